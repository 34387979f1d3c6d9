import CBOR
import Cryptography
import DeviceAttestation
import JOSE
import Primitives

/// What the target of attestations stands on: one device's key as it was attested, another's assertion, both published by who had them.
struct AttestFuzzSample: Sendable {
    let app: AttestedApp
    let keyID: Digest32
    let key: AttestedKey
    let assertingKey: AttestedKey
    let clientDataHash: [UInt8]
    let attestations: AppAttestationVerifier
    let receipts: AttestReceiptVerifier

    /// A time at which all certificates are valid and the receipt is fresh: 2024-02-07T21:08:57Z.
    static let time = WallTime(seconds: 1_707_340_137)
    /// When the receipt was made, in microseconds.
    static let created: Int64 = 1_707_340_136_308_000
    /// SHA-256 of what the authenticator says in the attestation.
    static let authenticatorData = "cfaa100767ed323f9cad98531902b14c0f6bd2c4c7fa95039a3832b1e9896f1c"
    /// SHA-256 of what the app signed by the assertion.
    static let assertedHash = decoded("POWXJx3BO/8ORI1dUnbOz69f1PruPwBxhBa9iyc+lMI=")

    static let known = AttestFuzzSample()

    private init?() {
        let keyID = AttestFuzzSample.decoded("SC86LZmoFbL/KxWfezr7ihgEdLHK8ZrDbTwMtAkBCbM=")
        guard let app = AttestedApp(teamID: "V8H6LQ9448", bundleID: "io.uebelacker.AppAttestExample"),
            let id = Digest32(keyID.span), let key = AttestedKey(point: AttestFuzzSample.decoded(pointText)),
            let asserting = AttestedKey(point: AttestFuzzSample.decoded(assertingText)),
            let root = try? AppleAttestRoot.certificate(),
            let receiptRoot = try? X509Certificate(der: AttestFuzzSample.decoded(receiptRootText))
        else { return nil }
        self.app = app
        self.keyID = id
        self.key = key
        assertingKey = asserting
        clientDataHash = AttestFuzzSample.decoded("Pp71C3/w+YUwT3tmCJXEwtoDTkPa+zhbcVKJjSJsADc=")
        attestations = AppAttestationVerifier(apps: [app], environment: .production, roots: [root])
        receipts = AttestReceiptVerifier(roots: [receiptRoot])
    }

    /// The attestation with something else that the authenticator says.
    static func object(around data: [UInt8]) -> [UInt8] {
        CBORValue.map([
            CBOREntry(.text("fmt"), .text("apple-appattest")),
            CBOREntry(
                .text("attStmt"),
                .map([
                    CBOREntry(
                        .text("x5c"),
                        .array([.bytes(decoded(leafText)), .bytes(decoded(intermediateText))])
                    ), CBOREntry(.text("receipt"), .bytes([])),
                ])
            ), CBOREntry(.text("authData"), .bytes(data)),
        ]).encoded
    }

    private static func decoded(_ text: String) -> [UInt8] {
        Base64.decode(String(decoding: text.utf8.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) ?? []
    }
}

private let pointText = """
    BNmCnsCaXyvQ4i195d5i77yogok8VQyahZi7u0x3rD8ZYWOrI1j4ynUUaKRrZF1DAAUx/JR2AE15W/2DHeVWKoY=
    """

private let assertingText = """
    BIOvbdmM4HD0y1MfGYLvq23IpHmhC/D6W/hxtEEyLpc/GFAfbYL9aQ0a7lpPO52Qt6Lq+eqcyFmqlxG2lsmpncw=
    """

private let leafText = """
    MIIDNDCCArqgAwIBAgIGAY2FZv9OMAoGCCqGSM49BAMCME8xIzAhBgNVBAMMGkFwcGxlIEFwcCBBdHRlc3RhdGlvbiBDQSAxMRMw
    EQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9ybmlhMB4XDTI0MDIwNjIxMDg1NloXDTI0MTIyMTEyNDI1NlowgZEx
    STBHBgNVBAMMQDQ4MmYzYTJkOTlhODE1YjJmZjJiMTU5ZjdiM2FmYjhhMTgwNDc0YjFjYWYxOWFjMzZkM2MwY2I0MDkwMTA5YjMx
    GjAYBgNVBAsMEUFBQSBDZXJ0aWZpY2F0aW9uMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9ybmlhMFkwEwYH
    KoZIzj0CAQYIKoZIzj0DAQcDQgAE2YKewJpfK9DiLX3l3mLvvKiCiTxVDJqFmLu7THesPxlhY6sjWPjKdRRopGtkXUMABTH8lHYA
    TXlb/YMd5VYqhqOCAT0wggE5MAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgTwMIGKBgkqhkiG92NkCAUEfTB7pAMCAQq/iTAD
    AgEBv4kxAwIBAL+JMgMCAQG/iTMDAgEBv4k0KwQpVjhINkxROTQ0OC5pby51ZWJlbGFja2VyLkFwcEF0dGVzdEV4YW1wbGWlBgQE
    c2tzIL+JNgMCAQW/iTcDAgEAv4k5AwIBAL+JOgMCAQC/iTsDAgEAMFcGCSqGSIb3Y2QIBwRKMEi/ingIBAYxNy4yLjG/iFAHAgUA
    /////7+KewcEBTIxQzY2v4p9CAQGMTcuMi4xv4p+AwIBAL+LDA8EDTIxLjMuNjYuMC4wLDAwMwYJKoZIhvdjZAgCBCYwJKEiBCAc
    CMADdh/I+YF+luHIBOxxqBxrq6wL7dEutq6MmJD3JTAKBggqhkjOPQQDAgNoADBlAjEA3jTRLIe/NhXI5A9W4on8tXch9c3iWFzc
    /O15kHkbDdlXNnvI4n8HKaeUgbQjMl3aAjBLZMuJj3LMIc7MunoEICYym5NancnsA/rAPLzTSm/giQacXQdZTAu9BNgPAujBZj8=
    """

private let intermediateText = """
    MIICQzCCAcigAwIBAgIQCbrF4bxAGtnUU5W8OBoIVDAKBggqhkjOPQQDAzBSMSYwJAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRp
    b24gUm9vdCBDQTETMBEGA1UECgwKQXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODM5NTVaFw0zMDAz
    MTMwMDAwMDBaME8xIzAhBgNVBAMMGkFwcGxlIEFwcCBBdHRlc3RhdGlvbiBDQSAxMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYD
    VQQIDApDYWxpZm9ybmlhMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAErls3oHdNebI1j0Dn0fImJvHCX+8XgC3qs4JqWYdP+NKtFSV4
    mqJmBBkSSLY8uWcGnpjTY71eNw+/oI4ynoBzqYXndG6jWaL2bynbMq9FXiEWWNVnr54mfrJhTcIaZs6Zo2YwZDASBgNVHRMBAf8E
    CDAGAQH/AgEAMB8GA1UdIwQYMBaAFKyREFMzvb5oQf+nDKnl+url5YqhMB0GA1UdDgQWBBQ+410cBBmpybQx+IR01uHhV3LjmzAO
    BgNVHQ8BAf8EBAMCAQYwCgYIKoZIzj0EAwMDaQAwZgIxALu+iI1zjQUCz7z9Zm0JV1A1vNaHLD+EMEkmKe3R+RToeZkcmui1rvjT
    qFQz97YNBgIxAKs47dDMge0ApFLDukT5k2NlU/7MKX8utN+fXr5aSsq2mVxLgg35BDhveAe7WJQ5tw==
    """

private let receiptRootText = """
    MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwSQXBwbGUgUm9vdCBDQSAtIEczMSYwJAYDVQQL
    DB1BcHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcNMTQwNDMw
    MTgxOTA2WhcNMzkwNDMwMTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBSb290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRp
    ZmljYXRpb24gQXV0aG9yaXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqGSM49AgEGBSuBBAAiA2IA
    BJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtfTjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqX
    l5dvMVztK517IDvYuVTZXpmkOlEKMaNCMEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySrMA8GA1UdEwEB/wQFMAMBAf8w
    DgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMDA2gAMGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3meoyhpmvOwgPUnPWT
    xnS4at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM6BgD56KyKA==
    """
