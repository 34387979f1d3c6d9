import Cryptography
import JOSE
import Primitives

/// Certificates and answers that the target of signed texts stands on; all are public test data.
enum SignedSamples {
    /// A time at which all certificates and answers are valid: 2026-12-01T00:00:00Z.
    static let time = WallTime(seconds: 1_796_083_200)

    /// Believed for signed texts.
    static let root = try? X509Certificate(der: rootDER)
    /// The one leaf and the one intermediate that the corpus has below it.
    static let leaf = try? X509Certificate(der: leafDER)
    static let intermediate = try? X509Certificate(der: intermediateDER)

    /// Whom the answers of the corpus are about, and who has issued it.
    static let asked = try? X509Certificate(der: askedDER)
    static let issuer = try? X509Certificate(der: issuerDER)
    /// SHA-256 of what is signed in those of them that say good or revoked.
    static let answers: Set<String> = [
        "67a7c04c0b39b1e51caaea0b0ffd1d114b8972aade30c11d255aa58a796c26ad",
        "7c29f971df2106de0efe0b7fcaadc1af8fd82afc56b3d88513acef26b4a9dfa7",
        "d64683d4dbc69128a251bf4ec162506c04da620b806bd055e295fb73b6b6f75d",
    ]

    /// SHA-256 of header and payload of the text in the corpus that the leaf has signed.
    static let text = "ba55a464925982467ff677be614e05173d7c5c4a9a42e5c6aef0c9956ae6530e"
}

private func decoded(_ text: String) -> [UInt8] {
    Base64.decode(String(decoding: text.utf8.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) ?? []
}

private let rootDER = decoded(
    """
    MIICBDCCAYugAwIBAgIUM6QK4Ja+Hid9C9yQ8qPvZKJZMrowCgYIKoZIzj0EAwMwQTEeMBwGA1UEAwwVU2FsbHlwb3J0IFZlY3Rv
    ciBSb290MRIwEAYDVQQLDAl0ZXN0IG9ubHkxCzAJBgNVBAYTAkpQMCAXDTE4MDEwMTAwMDAwMFoYDzIwNjAwMTAxMDAwMDAwWjBB
    MR4wHAYDVQQDDBVTYWxseXBvcnQgVmVjdG9yIFJvb3QxEjAQBgNVBAsMCXRlc3Qgb25seTELMAkGA1UEBhMCSlAwdjAQBgcqhkjO
    PQIBBgUrgQQAIgNiAASO3Z2um26uzgZrrNmlWIJIxozWRIrXES8psBsRRdSlGF7/0NJJQ6x0LpS3CJ6hbveJx2dOI+EwgCgkfAZR
    VfRxMT1ix0HlWDNzeRqdpb9oIsb9DBouNjBtCfYYymvMf2GjQjBAMA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFBcbl+IPz0gt
    klkSGO4JcVu+lJgOMA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAwNnADBkAjAcWod9OtH2VGbTvwCgJRaUTvtOoUNW+CONvyYt
    sBisnI5kQ80Zxls+foKx2r4d1gMCMF1i1drCmJtuNzt8Ttm9gtI+vuceiKmHFvQrZ0MjiB9EkmGTX23jMtm24gFG+U9zWg==
    """
)

private let leafDER = decoded(
    """
    MIICHzCCAaagAwIBAgIUVHtwdRWM4TP1h+Qw5ceoIdVGPYYwCgYIKoZIzj0EAwMwSTEmMCQGA1UEAwwdU2FsbHlwb3J0IFZlY3Rv
    ciBJbnRlcm1lZGlhdGUxEjAQBgNVBAsMCXRlc3Qgb25seTELMAkGA1UEBhMCSlAwIBcNMjIwMTAxMDAwMDAwWhgPMjA1MDAxMDEw
    MDAwMDBaMEExHjAcBgNVBAMMFVNhbGx5cG9ydCBWZWN0b3IgTGVhZjESMBAGA1UECwwJdGVzdCBvbmx5MQswCQYDVQQGEwJKUDBZ
    MBMGByqGSM49AgEGCCqGSM49AwEHA0IABL3d/+0Ke/gq1cOy9PjjaZ9QGizt29vpu0W4QFXYm3Iei2rh0uBT2f04hJzmP0Nk0Xz+
    Sa+3Ip9R2dJDw6iv4byjcjBwMAwGA1UdEwEB/wQCMAAwHQYDVR0OBBYEFMXWQnwLzoc9sBeYz49MmKxzK3uyMB8GA1UdIwQYMBaA
    FAMn4xgxSITqHlyIoHiuUNFPfZx+MA4GA1UdDwEB/wQEAwIHgDAQBgoqhkiG92NkBgsBBAIFADAKBggqhkjOPQQDAwNnADBkAjBf
    TxyVsdO9vzxw6GCH95PMz7kTzGQb/xYIJSbfrtj5WNuqtw83eHFiogMSADja2dcCMDTZY2aAWzmnq0sYcjLLf2E2CpUePQxzEzYU
    DocOczE+olWcQsJRU8q/L2PIDDu8JQ==
    """
)

private let intermediateDER = decoded(
    """
    MIICQzCCAcmgAwIBAgIURlGvP68jId8uB+p+MqbQu+8YG6MwCgYIKoZIzj0EAwMwQTEeMBwGA1UEAwwVU2FsbHlwb3J0IFZlY3Rv
    ciBSb290MRIwEAYDVQQLDAl0ZXN0IG9ubHkxCzAJBgNVBAYTAkpQMCAXDTE5MDEwMTAwMDAwMFoYDzIwNTUwMTAxMDAwMDAwWjBJ
    MSYwJAYDVQQDDB1TYWxseXBvcnQgVmVjdG9yIEludGVybWVkaWF0ZTESMBAGA1UECwwJdGVzdCBvbmx5MQswCQYDVQQGEwJKUDB2
    MBAGByqGSM49AgEGBSuBBAAiA2IABOlYkDJuIj7YDykUCZr6mC1LrQvDipN4J9LfxDZzmU+KkyCwUVzscWUYyONgtLOd825gsqX5
    l5rAqYvweZKbh8z8RRpk34kyrUSyHJzVjnW+ksYvOrw+nk4WPERESdDMEaN4MHYwEgYDVR0TAQH/BAgwBgEB/wIBADAdBgNVHQ4E
    FgQUAyfjGDFIhOoeXIigeK5Q0U99nH4wHwYDVR0jBBgwFoAUFxuX4g/PSC2SWRIY7glxW76UmA4wDgYDVR0PAQH/BAQDAgEGMBAG
    CiqGSIb3Y2QGAgEEAgUAMAoGCCqGSM49BAMDA2gAMGUCMQCJblg2Rf6UQcd770WTiXrVOos8cMLHNc6Y1zWJk76eHc3YBpuBRuXC
    RSLTOn4yHHICMGddMqSg12Qcq/QEzvLvAXv8KwPkFzwY2RrMr+R3S8eoYgAcRNSygT85C2cBlLOY+A==
    """
)

private let askedDER = decoded(
    """
    MIICXTCCAeOgAwIBAgIUVphtKtN9vx7IgIJbRCWkilcQJmEwCgYIKoZIzj0EAwMwSTEmMCQGA1UEAwwdU2FsbHlwb3J0IFZlY3Rv
    ciBJbnRlcm1lZGlhdGUxEjAQBgNVBAsMCXRlc3Qgb25seTELMAkGA1UEBhMCSlAwIBcNMjIwMTAxMDAwMDAwWhgPMjA1MDAxMDEw
    MDAwMDBaMEExHjAcBgNVBAMMFVNhbGx5cG9ydCBWZWN0b3IgTGVhZjESMBAGA1UECwwJdGVzdCBvbmx5MQswCQYDVQQGEwJKUDBZ
    MBMGByqGSM49AgEGCCqGSM49AwEHA0IABL3d/+0Ke/gq1cOy9PjjaZ9QGizt29vpu0W4QFXYm3Iei2rh0uBT2f04hJzmP0Nk0Xz+
    Sa+3Ip9R2dJDw6iv4byjga4wgaswDAYDVR0TAQH/BAIwADAdBgNVHQ4EFgQUxdZCfAvOhz2wF5jPj0yYrHMre7IwHwYDVR0jBBgw
    FoAUAyfjGDFIhOoeXIigeK5Q0U99nH4wDgYDVR0PAQH/BAQDAgeAMDkGCCsGAQUFBwEBBC0wKzApBggrBgEFBQcwAYYdaHR0cDov
    LzEyNy4wLjAuMToxODkzMS9vY3NwL2wwEAYKKoZIhvdjZAYLAQQCBQAwCgYIKoZIzj0EAwMDaAAwZQIwAV0A0IrA1TCc7siiPZv6
    h5FleG9gtVgQJWTuvWPdGV1FJXQ9E1edqxrNPUOqYBolAjEAmwAJjsAm+ShbeIxqut1sfl6i/XB7gqRqr8OgOd3gIfhdcBydMntQ
    WKg6A/oux1q0
    """
)

private let issuerDER = decoded(
    """
    MIICgTCCAgagAwIBAgIUICJDtwL4+fncYT9BKzyzb4zTamAwCgYIKoZIzj0EAwMwQTEeMBwGA1UEAwwVU2FsbHlwb3J0IFZlY3Rv
    ciBSb290MRIwEAYDVQQLDAl0ZXN0IG9ubHkxCzAJBgNVBAYTAkpQMCAXDTE5MDEwMTAwMDAwMFoYDzIwNTUwMTAxMDAwMDAwWjBJ
    MSYwJAYDVQQDDB1TYWxseXBvcnQgVmVjdG9yIEludGVybWVkaWF0ZTESMBAGA1UECwwJdGVzdCBvbmx5MQswCQYDVQQGEwJKUDB2
    MBAGByqGSM49AgEGBSuBBAAiA2IABOlYkDJuIj7YDykUCZr6mC1LrQvDipN4J9LfxDZzmU+KkyCwUVzscWUYyONgtLOd825gsqX5
    l5rAqYvweZKbh8z8RRpk34kyrUSyHJzVjnW+ksYvOrw+nk4WPERESdDMEaOBtDCBsTASBgNVHRMBAf8ECDAGAQH/AgEAMB0GA1Ud
    DgQWBBQDJ+MYMUiE6h5ciKB4rlDRT32cfjAfBgNVHSMEGDAWgBQXG5fiD89ILZJZEhjuCXFbvpSYDjAOBgNVHQ8BAf8EBAMCAQYw
    OQYIKwYBBQUHAQEELTArMCkGCCsGAQUFBzABhh1odHRwOi8vMTI3LjAuMC4xOjE4OTMxL29jc3AvaTAQBgoqhkiG92NkBgIBBAIF
    ADAKBggqhkjOPQQDAwNpADBmAjEAtqCzknoqeCsi/1FrtuDKh/r6XLSfOXUHuteAA8lt6nEjR4sV5lp3HxXJqcnFu3DgAjEA4CdH
    bssNlN0CJX6JV4rcmZ24HxVCK29clZcQ8GPpr76VIHlflxhAhz1ncPwjpubh
    """
)
