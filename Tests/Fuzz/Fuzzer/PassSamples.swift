import Cryptography
import Primitives
import WalletPass

/// Images, certificates and contents that the targets of passes stand on; keys are public test keys.
enum PassSamples {
    /// What the message in the corpus signs.
    static let content = Array("fuzz\n".utf8)
    /// A time at which all certificates are valid.
    static let time = WallTime(seconds: 1_795_600_000)
    static let root = try? X509Certificate(decoded(rootText))
    static let leaf = try? X509Certificate(decoded(leafText))

    static let icons = [
        PassFile(name: "icon.png", bytes: decoded(iconText)), PassFile(name: "icon@2x.png", bytes: decoded(icon2Text)),
        PassFile(name: "icon@3x.png", bytes: decoded(icon3Text)),
    ]

    private static func decoded(_ text: String) -> [UInt8] {
        Base64.decode(String(decoding: text.utf8.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)) ?? []
    }
}

private let iconText = """
    iVBORw0KGgoAAAANSUhEUgAAACYAAAAmCAIAAAAnX375AAAAYklEQVR42u3UwQ3AIAxDUY/REXpgmu7JSp2FAUAUQlJV5Us+Rn6n
    WEe6Xo4gIf9N3vmsE0U2MQMsF2wKlq83osrde1QV4fXVzcnBOoM6Ta4fy2tlQkjDB0NCQkJCQkJCfoss0RYkMkb6wb8AAAAASUVO
    RK5CYII=
    """

private let icon2Text = """
    iVBORw0KGgoAAAANSUhEUgAAAEwAAABMCAIAAABI9cZ8AAAAx0lEQVR42u3YsQ1CMQwFQI/BCBRMw56sxCwUSFRIQBInzuekVz/l
    GstxnC7XwycgISEhISEhISEhId/mfjs/cxzki/RN9kP+xMumRh1eHjWq8TKoUVY40BmVhaOcUVw4xBn1hf3O2ELY6YxdhD3O2EjY
    7ISsJ2xzQv4tcrmwwTkVmVe1Hrmkcypybe0MZJHmRGTq3C6BzF6J1yMnfN8gIYe8YM7RCBISEhISEhISEhISEhISEhISEhISEhIS
    EhISEhISEhLyYx7hgEho+b1EZQAAAABJRU5ErkJggg==
    """

private let icon3Text = """
    iVBORw0KGgoAAAANSUhEUgAAAHIAAAByCAIAAAAAvxIqAAABP0lEQVR42u3au5ECMAxAQZVBCQRUQ5+0RC3XwgW20GdnXm5rI89Y
    8Xi9dbxAgBUrVmHFilVYsWIVVqxYhRUrVmHFilWTWb+f53/CeoyyPnEM0CzoG8NAi+DGSNCf48Zg0B/ixgbTfNnYAJqPG6tM02Rj
    m2mObCw0TZCNnaa3ZWOt6VXZ2Gx6TxZrH9ZGppdkg+kNWawdWJuaHpfFinUna2vTs7JYa7MOMD0oi3Ula6kTJ7C23jGoyNru9Fus
    RUaqI1uIddJNqrCWej4PYZ23eYh1KGvBX5/2rDW/07FixZozQNn1L6xYsWLtylp5CxwrVqxYsWLFihUrVqxYsWLFihUrVqxYsWLF
    ihUrVqxYsWLFihUrVqxYsWLFihUrVqxYsWLFihUrVqxYsWLFihUrVqxYsWLFihUrVqxYsWbc7Q8LMQQay2pM0AAAAABJRU5ErkJg
    gg==
    """

private let rootText = """
    MIIDnDCCAoSgAwIBAgICEAEwDQYJKoZIhvcNAQELBQAwbjEfMB0GA1UEAwwWU2FsbHlwb3J0IFRlc3QgUm9vdCBDQTElMCMGA1UE
    CwwcVGVzdCBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTEXMBUGA1UECgwOU2FsbHlwb3J0IFRlc3QxCzAJBgNVBAYTAlVTMCAXDTIw
    MDEwMTAwMDAwMFoYDzIwNTAwMTAxMDAwMDAwWjBuMR8wHQYDVQQDDBZTYWxseXBvcnQgVGVzdCBSb290IENBMSUwIwYDVQQLDBxU
    ZXN0IENlcnRpZmljYXRpb24gQXV0aG9yaXR5MRcwFQYDVQQKDA5TYWxseXBvcnQgVGVzdDELMAkGA1UEBhMCVVMwggEiMA0GCSqG
    SIb3DQEBAQUAA4IBDwAwggEKAoIBAQCS/CdznnGhA1E4wC3oL4MKWNeDNaY8sVH7PzrfFu528fl2G1D/wCwOfoDa3zw5Dk8yHBW0
    aO4euMDrgGdqvi5Y8HOUM7XylDmtFtAoMK5tUDVaZezghLhjsXIYMGyqI1UvnxWF6a7Jtf+39UmC5AgR6A9qmUyKatFKxwR0EOtm
    Y2tENZggPHDH0B+yNC7hwozvYT3BWKHoex7DiV5HmCu3t9y3lqPaZVvp1A1qJAyDbc5tE+lV9f69sl/YECDVtOXbdHOj5xJ12ygd
    D4O0zXwrGKqZbuKto2C3u+6D6ouJjbOiLbrpb45pQi9UVAcfmdWvphPgcAl9vxoRK0rNFKvlAgMBAAGjQjBAMA8GA1UdEwEB/wQF
    MAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQWBBRB1c//RKo/1Siw95dabRsCOVCEozANBgkqhkiG9w0BAQsFAAOCAQEASV79
    zqK2tcTUJC8hSDSB89a8LpqydTDIqSBktkWofNJZ/i0bIpoYV0lBYJJRGdeMEbhzuCXeh1VG5Y9pGYsyYb/aAtHInbYUkas6cCQV
    xl2Wzj6ab57fx+8jTlGAXwkCnEWpAKQ5wAL9MulO0gZ6PZShNLW2h9wKueVdeMZgd6B853c/EbvL8/Fn8ZUjNzRp8OHdvO7orlrP
    wCrti9Lc7ytw4D9R9HAbgPwisX3VyfbfcxEu/akcQNUSIW0AE+1Pbm2tZ5QvEH0d8QtGnmw0Y0JDWQxEIR71neGPPhV1sTnnsAJa
    gCO5hCA7WgnKLAjfRR/5410Mw9f96q2qSuwRNQ==
    """

private let leafText = """
    MIIEgjCCA2qgAwIBAgIIFuSIMD1RPPswDQYJKoZIhvcNAQELBQAweDFDMEEGA1UEAww6U2FsbHlwb3J0IFRlc3QgRGV2ZWxvcGVy
    IFJlbGF0aW9ucyBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTELMAkGA1UECwwCRzQxFzAVBgNVBAoMDlNhbGx5cG9ydCBUZXN0MQsw
    CQYDVQQGEwJVUzAeFw0yNTA2MDEwMDAwMDBaFw00NTA2MDEwMDAwMDBaMIGoMTEwLwYKCZImiZPyLGQBAQwhcGFzcy5jb20uZXhh
    bXBsZS5zYWxseXBvcnQubWVtYmVyMTgwNgYDVQQDDC9QYXNzIFR5cGUgSUQ6IHBhc3MuY29tLmV4YW1wbGUuc2FsbHlwb3J0Lm1l
    bWJlcjETMBEGA1UECwwKU1A0VEVTVDlaMDEXMBUGA1UECgwOU2FsbHlwb3J0IFRlc3QxCzAJBgNVBAYTAlVTMIIBIjANBgkqhkiG
    9w0BAQEFAAOCAQ8AMIIBCgKCAQEAsHWWtpcX6Tsctw5Hm5ILtXJVWjnt6RzKYr+hHb2LKjhhW2Cas8GJdoj0zFTycVP9LIAGEmIe
    GaZjKIGUtMeYtgk9L3BoCYpApT9wh0m8E1H1euNL6l4NdaAft0JaM8TcqvV5CB+zFSVjRmy9EsUX1EOWw8QDehu8noYPBq5a0y5j
    mJhJMf0Rw/go1lZ1AN7ApSLrIq5CZ7FJJjPMhuQnZMD/Yi/plDQiNDreXCCWNCzyMt2bQDiqGLE9OCjn6N4PsmWySHYYGWF02CCH
    H0IifqAMZdN0cEKeOlR/ZnxbJ/yEg2x1mxwynF8zRd2rNvUGCouQa1EZ8WJVT1ozyg8eQwIDAQABo4HeMIHbMAwGA1UdEwEB/wQC
    MAAwHwYDVR0jBBgwFoAU1Du3+kiyM5P5iEnCM3QxT/qh6mswHQYDVR0OBBYEFJa/IZDaWqIv6i7gkVpaEZlZSQm0MA4GA1UdDwEB
    /wQEAwIHgDAWBgNVHSAEDzANMAsGCSqGSIb3Y2QFATAeBgNVHSUEFzAVBggrBgEFBQcDAgYJKoZIhvdjZAQOMDEGCiqGSIb3Y2QG
    ARAEIwwhcGFzcy5jb20uZXhhbXBsZS5zYWxseXBvcnQubWVtYmVyMBAGCiqGSIb3Y2QGAwIEAgUAMA0GCSqGSIb3DQEBCwUAA4IB
    AQBoU0orCwGR0UevKv1+13vZypG+bertD50X28CHr3BjVPOAyE1YUjSCZ814NKjQpwbpxs69LR+C7+L56C57F1KBA6VgCmcHvk+f
    TEPd44lymD74ymYgG8lpx6IvUkbBAa8TJyKemjo6zULsgZg/NKgO/DEHcNgA2zZ6yDI4cJ/Nd8aounpJH0x90VyVsG3LkGaJMK5o
    rt8BWCJuZmN0qW25CZdf2d68bt7VAH6UyOL+jU+h+JDHiLQY+dEiRUtM7e98C+E1sWeEJ4bCUAbAHKuKi03h1ROp629b1VIMuC/k
    YhIr1GTrmG5EV/fQ3LnHdZ+z/LfcTZjvaiIQnenmhy8p
    """
