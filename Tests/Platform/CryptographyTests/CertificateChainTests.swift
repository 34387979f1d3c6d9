import Cryptography
import Primitives
import TestKit
import Testing

@Suite("A chain of certificates")
struct CertificateChainTests {
    private func chain(_ intermediate: String? = "issuing") throws -> CertificateChain {
        try CertificateChain(
            anchorsPEM: ChainFiles.pem("root"),
            intermediatesPEM: intermediate.map { try ChainFiles.pem($0) } ?? []
        )
    }

    private func verdict(_ leaf: String, at time: WallTime = ChainFiles.now) throws -> ChainVerdict {
        try chain().verify(leafPEM: ChainFiles.pem(leaf), names: [ChainFiles.name], at: time)
    }

    private func isUntrusted(_ verdict: ChainVerdict) -> Bool {
        if case .untrusted(let text) = verdict { !text.isEmpty } else { false }
    }

    @Test func `is good where it leads to the root through a certificate that was kept`() throws {
        #expect(try verdict("leaf") == .good(until: ChainFiles.end))
    }

    @Test func `is good where what was left out comes with it, apart or behind it`() throws {
        let chain = try chain(nil)
        let leaf = try ChainFiles.pem("leaf")
        let issuing = try ChainFiles.pem("issuing")
        let names = [ChainFiles.name]
        #expect(
            chain.verify(leafPEM: leaf, extra: issuing, names: names, at: ChainFiles.now)
                == .good(until: ChainFiles.end)
        )
        #expect(
            chain.verify(leafPEM: leaf + issuing, names: names, at: ChainFiles.now) == .good(until: ChainFiles.end)
        )
    }

    @Test func `with a gap is not trusted`() throws {
        let leaf = try ChainFiles.pem("leaf")
        #expect(isUntrusted(try chain(nil).verify(leafPEM: leaf, names: [ChainFiles.name], at: ChainFiles.now)))
    }

    @Test func `of an unrelated root is not trusted`() throws {
        #expect(isUntrusted(try verdict("leaf-unrelated-root")))
    }

    @Test func `brings no trust with it`() throws {
        let served = try ChainFiles.pem("leaf") + ChainFiles.pem("issuing") + ChainFiles.pem("root")
        let other = try DevelopmentAuthority.make(
            name: "Other",
            permitting: [.host(ChainFiles.name)],
            now: ChainFiles.now,
            random: SeededRandom(seed: 1)
        )
        let chain = try CertificateChain(anchorsPEM: other.certificatePEM)
        #expect(isUntrusted(chain.verify(leafPEM: served, names: [ChainFiles.name], at: ChainFiles.now)))
    }

    @Test func `does not lead to the machine's roots when it is a test's`() throws {
        let chain = try CertificateChain(anchorsPEM: nil, intermediatesPEM: ChainFiles.pem("issuing"))
        let leaf = try ChainFiles.pem("leaf")
        #expect(isUntrusted(chain.verify(leafPEM: leaf, names: [ChainFiles.name], at: ChainFiles.now)))
    }

    // MARK: Time

    @Test(arguments: [
        ("leaf", Duration.seconds(-1), ChainVerdict.notYetValid), ("leaf", .zero, .good(until: ChainFiles.end)),
        ("leaf-expired", .zero, .good(until: ChainFiles.earlyEnd)),
    ])
    func `begins with its time`(leaf: String, offset: Duration, expected: ChainVerdict) throws {
        #expect(try verdict(leaf, at: ChainFiles.begin + offset) == expected)
    }

    @Test(arguments: [
        (ChainFiles.earlyEnd + .seconds(-1), ChainVerdict.good(until: ChainFiles.earlyEnd)),
        (ChainFiles.earlyEnd, .expired), (ChainFiles.now, .expired),
    ])
    func `ends with its time, whatever the machine's clock says`(time: WallTime, expected: ChainVerdict) throws {
        #expect(try verdict("leaf-expired", at: time) == expected)
    }

    // MARK: Names

    @Test func `for another name is refused`() throws {
        #expect(try verdict("leaf-wrong-name") == .wrongName)
    }

    @Test(
        arguments: [
            ([], false), ([""], false), (["", ChainFiles.name], false), (["other.example", ChainFiles.name], true),
            ([ChainFiles.name.uppercased()], true), (["amazonaws.com"], false), (["x." + ChainFiles.name], false),
            (["sns.amazonaws.com\u{0}.example"], false),
        ] as [([String], Bool)]
    )
    func `needs one of the names, and a name`(names: [String], isGood: Bool) throws {
        let verdict = try chain().verify(leafPEM: ChainFiles.pem("leaf"), names: names, at: ChainFiles.now)
        #expect((verdict == .good(until: ChainFiles.end)) == isGood)
    }

    // MARK: Texts

    @Test(arguments: [
        "", "nothing", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", TestKeys.publicKey,
    ])
    func `without a certificate is malformed`(pem: String) throws {
        let verdict = try chain().verify(leafPEM: Array(pem.utf8), names: [ChainFiles.name], at: ChainFiles.now)
        #expect(verdict == .malformed)
    }

    @Test func `with a broken companion is malformed`() throws {
        let broken = Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        let leaf = try ChainFiles.pem("leaf")
        let chain = try chain()
        let names = [ChainFiles.name]
        #expect(chain.verify(leafPEM: leaf, extra: broken, names: names, at: ChainFiles.now) == .malformed)
        #expect(chain.verify(leafPEM: leaf + broken, names: names, at: ChainFiles.now) == .malformed)
    }

    @Test(arguments: ["", "nothing", TestKeys.publicKey])
    func `needs a root to begin with`(pem: String) throws {
        let error = try #require(throws: CryptographyError.self) { try CertificateChain(anchorsPEM: Array(pem.utf8)) }
        #expect(error.code == .invalidCertificate)
    }

    @Test func `is not built on certificates that cannot be read`() throws {
        let broken = Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
        let root = try ChainFiles.pem("root")
        let first = try #require(throws: CryptographyError.self) { try CertificateChain(anchorsPEM: root + broken) }
        #expect(first.code == .invalidCertificate)
        let second = try #require(throws: CryptographyError.self) {
            try CertificateChain(anchorsPEM: root, intermediatesPEM: broken)
        }
        #expect(second.code == .invalidCertificate)
    }

    @Test func `that is refused leaves nothing in the thread's error queue`() throws {
        let clean = try #require(throws: CryptographyError.self) { try RSAPublicKey(pem: []) }
        for leaf in ["leaf-unrelated-root", "leaf-expired", "leaf-wrong-name", "leaf"] { _ = try verdict(leaf) }
        _ = try CertificateChain(anchorsPEM: nil)
        let after = try #require(throws: CryptographyError.self) { try RSAPublicKey(pem: []) }
        #expect(after.detail == clean.detail)
    }
}

@Suite("The key of a certificate")
struct CertificateKeyTests {
    @Test func `verifies what the certificate's owner has signed`() throws {
        let key = try RSAPrivateKey(pem: Secret(ChainFiles.pem("leaf-key")))
        let signature = try key.signPKCS1([1, 2, 3], digest: .sha1)
        let certified = try RSAPublicKey(certificatePEM: ChainFiles.pem("leaf"))
        #expect(certified.verifyPKCS1(signature, of: [1, 2, 3], digest: .sha1))
        let other = try RSAPublicKey(certificatePEM: ChainFiles.pem("root"))
        #expect(!other.verifyPKCS1(signature, of: [1, 2, 3], digest: .sha1))
    }

    @Test func `is taken from certificates for RSA only`() throws {
        let authority = try DevelopmentAuthority.make(
            name: "Curve",
            permitting: [.host("localhost")],
            now: ChainFiles.now,
            random: CountingRandom()
        )
        let curve = try #require(throws: CryptographyError.self) {
            try RSAPublicKey(certificatePEM: authority.certificatePEM)
        }
        #expect(curve.code == .invalidKey)
        let none = try #require(throws: CryptographyError.self) {
            try RSAPublicKey(certificatePEM: Array(TestKeys.publicKey.utf8))
        }
        #expect(none.code == .invalidCertificate)
    }
}
