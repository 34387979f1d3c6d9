import Cryptography
import EventIO
import Primitives
import TLS

/// A server context with a certificate for this machine, and a file with the authority behind it.
struct WireTLS {
    let context: TLSContext
    let authorityPath: String

    init(folder: String) throws {
        let now = SystemClock().now()
        let names = CertificateName.loopback
        let authority = try DevelopmentAuthority.make(
            name: "Simulator test",
            permitting: names,
            now: now,
            random: KernelRandom()
        )
        let issued = try authority.issue(for: names, now: now, random: KernelRandom())
        authorityPath = folder + "/authority.pem"
        try Files.write(authorityPath, authority.certificatePEM)
        context = try TLSContext(
            certificatePEM: issued.certificatePEM,
            keyPEM: issued.keyPEM,
            alpn: ["http/1.1"]
        )
    }
}
