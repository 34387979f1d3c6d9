import Cryptography
import EventIO
import Primitives
import TestKit
import Testing

@Suite("The OpenSSL command line, asked about certificates")
struct CertificateSecondOpinionTests {
    /// The present: `openssl verify` compares with the real clock.
    private let now = SystemClock().now()

    /// Verifies a chain of two with a program that this project's code has no part in.
    private func accepts(_ leaf: [UInt8], _ authority: [UInt8], _ options: [String]) async throws -> Bool {
        try await withTemporaryFolder { folder in
            try Files.write(folder + "/leaf.pem", leaf, atomically: false)
            try Files.write(folder + "/authority.pem", authority, atomically: false)
            let plan = ChildPlan(
                "/usr/bin/openssl",
                ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", folder + "/authority.pem"] + options
                    + [folder + "/leaf.pem"]
            )
            return try plan.run(atMost: .seconds(300)).exit.isSuccess
        }
    }

    private func make(_ names: [CertificateName] = CertificateName.loopback) throws -> DevelopmentAuthority {
        try DevelopmentAuthority.make(name: "Test", permitting: names, now: now, random: SeededRandom(seed: 1))
    }

    @Test(arguments: [
        ["-verify_hostname", "localhost"], ["-verify_hostname", "links.localhost"],
        ["-verify_hostname", "signin.localhost"], ["-verify_ip", "127.0.0.1"], ["-verify_ip", "::1"],
    ])
    func `accepts what the authority issues, for each name`(options: [String]) async throws {
        let authority = try make()
        let leaf = try authority.issue(for: CertificateName.loopback, now: now, random: SeededRandom(seed: 2))
        #expect(try await accepts(leaf.certificatePEM, authority.certificatePEM, options))
    }

    @Test(arguments: [["-verify_hostname", "example.com"], ["-verify_ip", "127.0.0.2"]])
    func `refuses other names`(options: [String]) async throws {
        let authority = try make()
        let leaf = try authority.issue(for: CertificateName.loopback, now: now, random: SeededRandom(seed: 2))
        #expect(try await !accepts(leaf.certificatePEM, authority.certificatePEM, options))
    }

    @Test(arguments: [
        CertificateName.host("example.com"), .host("notlocalhost"), .address("10.0.0.1"), .address("::2"),
    ])
    func `refuses what the authority had no right to issue`(name: CertificateName) async throws {
        let authority = try make()
        let leaf = try authority.issue(for: [.host("localhost"), name], now: now, random: SeededRandom(seed: 2))
        #expect(try await !accepts(leaf.certificatePEM, authority.certificatePEM, []))
    }

    @Test func `refuses a certificate of another authority of the same name`() async throws {
        let leaf = try make().issue(for: [.host("localhost")], now: now, random: SeededRandom(seed: 2))
        #expect(try await !accepts(leaf.certificatePEM, make().certificatePEM, []))
    }
}
