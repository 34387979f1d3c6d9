import Cryptography
import Primitives
import Testing

@Suite("The development authority")
struct DevelopmentAuthorityTests {
    /// 2026-03-14T01:59:26Z.
    private let now = WallTime(seconds: 1_773_453_566)

    private func make(_ names: [CertificateName] = CertificateName.loopback) throws -> DevelopmentAuthority {
        try DevelopmentAuthority.make(name: "Test authority", permitting: names, now: now, random: CountingRandom())
    }

    @Test func `describes itself`() throws {
        let facts = try CertificateFacts(pem: try make().certificatePEM)
        #expect(facts.commonName == "Test authority")
        #expect(facts.isAuthority)
        #expect(facts.names.isEmpty)
        #expect(facts.notBefore == now + .seconds(-86_400))
        #expect(facts.notAfter == now + DevelopmentAuthority.lifetime)
    }

    @Test func `issues a server certificate with every name`() throws {
        let issued = try make().issue(for: CertificateName.loopback, now: now, random: CountingRandom())
        let facts = try CertificateFacts(pem: issued.certificatePEM)
        #expect(facts.commonName == "localhost")
        #expect(!facts.isAuthority)
        #expect(
            facts.names == [
                .host("localhost"), .host("links.localhost"), .host("signin.localhost"), .host("*.localhost"),
                .address("127.0.0.1"), .address("0:0:0:0:0:0:0:1"),
            ]
        )
        #expect(facts.notAfter == now + DevelopmentAuthority.leafLifetime)
        #expect(String(decoding: issued.keyPEM.reveal(), as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----"))
    }

    @Test func `issues an authority that issues certificates with RSA keys`() throws {
        let names = [CertificateName.host("sns.amazonaws.com")]
        let root = try DevelopmentAuthority.make(
            name: "Root",
            permitting: names,
            intermediates: 1,
            now: now,
            random: CountingRandom()
        )
        let issuing = try root.issueAuthority(name: "Issuing", now: now, random: CountingRandom())
        let facts = try CertificateFacts(pem: issuing.certificatePEM)
        #expect(facts.commonName == "Issuing")
        #expect(facts.isAuthority)
        let again = try DevelopmentAuthority(certificatePEM: issuing.certificatePEM, keyPEM: issuing.keyPEM)
        let leaf = try again.issue(for: names, key: .rsa2048, now: now, random: CountingRandom())
        let chain = try CertificateChain(
            anchorsPEM: root.certificatePEM,
            intermediatesPEM: issuing.certificatePEM
        )
        let verdict = chain.verify(leafPEM: leaf.certificatePEM, names: ["sns.amazonaws.com"], at: now)
        #expect(verdict == .good(until: now + DevelopmentAuthority.leafLifetime))
        let signature = try RSAPrivateKey(pem: leaf.keyPEM).signPKCS1([7], digest: .sha256)
        let key = try RSAPublicKey(certificatePEM: leaf.certificatePEM)
        #expect(key.verifyPKCS1(signature, of: [7], digest: .sha256))
    }

    @Test func `cannot have an authority below it that it was not made for, nor one for other names`() throws {
        let host = CertificateName.host("localhost")
        let chains = try [(0, host), (1, CertificateName.host("example.com"))].map {
            (intermediates: Int, name: CertificateName) in
            let root = try DevelopmentAuthority.make(
                name: "Root",
                permitting: [host],
                intermediates: intermediates,
                now: now,
                random: CountingRandom()
            )
            let issuing = try root.issueAuthority(name: "Issuing", now: now, random: CountingRandom())
            let leaf = try issuing.issue(for: [name], now: now, random: CountingRandom())
            let chain = try CertificateChain(
                anchorsPEM: root.certificatePEM,
                intermediatesPEM: issuing.certificatePEM
            )
            return chain.verify(leafPEM: leaf.certificatePEM, names: ["localhost", "example.com"], at: now)
        }
        for case .good in chains { Issue.record("a chain that no client may believe") }
    }

    @Test func `comes back from its two files`() throws {
        let authority = try make()
        let again = try DevelopmentAuthority(certificatePEM: authority.certificatePEM, keyPEM: authority.keyPEM)
        let issued = try again.issue(for: [.host("localhost")], now: now, random: CountingRandom())
        #expect(try CertificateFacts(pem: issued.certificatePEM).names == [.host("localhost")])
    }

    @Test func `is not taken from files that do not belong together`() throws {
        let one = try make()
        let two = try make()
        #expect(
            code { try DevelopmentAuthority(certificatePEM: one.certificatePEM, keyPEM: two.keyPEM) } == .invalidKey
        )
        let leaf = try one.issue(for: [.host("localhost")], now: now, random: CountingRandom())
        #expect(
            code { try DevelopmentAuthority(certificatePEM: leaf.certificatePEM, keyPEM: leaf.keyPEM) }
                == .invalidCertificate
        )
        #expect(code { try DevelopmentAuthority(certificatePEM: [], keyPEM: one.keyPEM) } == .invalidCertificate)
    }

    @Test(
        arguments: [
            [], [.host("")], [.host("a,DNS:evil.example")], [.host("a b")], [.host("ホスト")], [.address("1.2.3.4,DNS:x")],
            [.address("300.1.1.1")], [.host("fine"), .host("\n")], [.host(String(repeating: "a", count: 254))],
        ] as [[CertificateName]]
    )
    func `refuses malformed names`(names: [CertificateName]) throws {
        let authority = try make()
        #expect(code { try authority.issue(for: names, now: now, random: CountingRandom()) } != nil)
        #expect(code { try make(names) } != nil)
    }

    @Test(arguments: ["", "nothing", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `facts need a certificate`(pem: String) {
        #expect(code { try CertificateFacts(pem: Array(pem.utf8)) } == .invalidCertificate)
    }

    private func code<T>(_ body: () throws -> T) -> CryptographyError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? CryptographyError)?.code
        }
    }
}
