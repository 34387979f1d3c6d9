import Cryptography
import EventIO
import Primitives
import TestKit
import Testing

@Suite("A signed message")
struct SignedMessageTests {
    private static let content = Array("{\n \"pass.json\": \"…\"\n}\n".utf8)

    private func sign(at time: WallTime = PassKeyFiles.time) throws -> [UInt8] {
        try SignedMessage.sign(
            SignedMessageTests.content,
            as: PassKeyFiles.certificate("pass-member.pem"),
            with: PassKeyFiles.key(),
            intermediates: [PassKeyFiles.certificate("wwdr-test.pem")],
            at: time
        )
    }

    private func refusal(_ message: [UInt8], root: String = "root.pem", _ content: [UInt8] = content) throws -> String?
    {
        SignedMessage.refusal(
            of: message,
            over: content,
            roots: [try PassKeyFiles.certificate(root)],
            at: PassKeyFiles.time
        )
    }

    @Test func `has one signer, its certificate with the issuer's, and the time`() throws {
        let message = try SignedMessage(sign())
        #expect(!message.hasContent && !message.hasRevocations)
        #expect(message.contentType == "1.2.840.113549.1.7.1")
        #expect(message.digests == ["2.16.840.1.101.3.4.2.1"])
        let leaf = try PassKeyFiles.certificate("pass-member.pem")
        let issuer = try PassKeyFiles.certificate("wwdr-test.pem")
        #expect(Set(message.certificates) == [leaf.der, issuer.der])
        #expect(message.signers.count == 1)
        let signer = try #require(message.signers.first)
        #expect(message.certificate(of: signer) == leaf)
        #expect(signer.isInOrder)
        #expect(signer.attributes?.count == 3)
        #expect(try signer.values("1.2.840.113549.1.9.5")?.first?.time() == PassKeyFiles.time)
        let digest = DigestAlgorithm.sha256.digest(of: SignedMessageTests.content)
        #expect(signer.values("1.2.840.113549.1.9.4")?.first?.content == digest)
        let key = try RSAPublicKey(certificatePEM: leaf.pem())
        #expect(key.verifyPKCS1(signer.signature, of: try #require(signer.signedBytes), digest: .sha256))
    }

    @Test func `is the same bytes in the same second`() throws {
        #expect(try sign() == sign())
        #expect(try sign() != sign(at: PassKeyFiles.time + .seconds(1)))
    }

    @Test func `has a time after 2049 in the long form`() throws {
        let time = WallTime(seconds: 2_600_000_000)
        let signer = try #require(try SignedMessage(sign(at: time)).signers.first)
        let value = try #require(signer.values("1.2.840.113549.1.9.5")?.first)
        #expect(value.tag == DERValue.Tag.generalizedTime)
        #expect(try value.time() == time)
    }

    @Test func `is good for its content and under its root alone`() throws {
        let message = try sign()
        #expect(try refusal(message) == nil)
        #expect(try refusal(message, root: "rogue-root.pem") != nil)
        #expect(try refusal(message, SignedMessageTests.content + [0]) != nil)
        #expect(try refusal([]) != nil)
    }

    @Test func `is not made with the key of another certificate`() throws {
        #expect(throws: CryptographyError.self) {
            try SignedMessage.sign(
                [1],
                as: PassKeyFiles.certificate("pass-event.pem"),
                with: PassKeyFiles.key(),
                intermediates: [],
                at: PassKeyFiles.time
            )
        }
    }

    @Test func `is good for the OpenSSL command line, too`() async throws {
        let message = try sign()
        try await withTemporaryFolder { folder in
            try Files.write(folder + "/signature", message, atomically: false)
            try Files.write(folder + "/content", SignedMessageTests.content, atomically: false)
            let plan = ChildPlan(
                "/usr/bin/openssl",
                ["cms", "-verify", "-inform", "DER", "-in", folder + "/signature", "-content", folder + "/content"]
                    + ["-binary", "-purpose", "any", "-CAfile", PassKeyFiles.path("root.pem"), "-no-CApath"]
                    + ["-attime", "\(PassKeyFiles.time.seconds)", "-out", "/dev/null"]
            )
            #expect(try plan.run(atMost: .seconds(300)).exit.isSuccess)
        }
    }

    @Test func `in BER is read once it is written as DER`() throws {
        let message = try sign()
        // The outermost value without a length.
        let indefinite = [0x30, 0x80] + message.dropFirst(4) + [0, 0]
        #expect(throws: DERError.self) { try SignedMessage(indefinite) }
        #expect(try DERValue.fromBER(indefinite) == message)
        #expect(try DERValue.fromBER(message) == message)
        let pieces: [UInt8] = [0x24, 0x80, 4, 2, 1, 2, 4, 1, 3, 0, 0]
        #expect(try DERValue.fromBER(pieces) == [4, 3, 1, 2, 3])
    }

    @Test func `that is cut or changed is refused, or says the same to both readers`() throws {
        let message = try sign()
        for count in stride(from: 0, to: message.count, by: 53) {
            #expect(throws: DERError.self) { try SignedMessage(Array(message.prefix(count))) }
        }
        let random = SeededRandom(seed: 5)
        for _ in 0..<500 {
            var changed = message
            changed[random.below(message.count)] ^= UInt8(1 << random.below(8))
            guard try refusal(changed) == nil else { continue }
            // What OpenSSL takes has the same signer here.
            let signer = (try? SignedMessage(changed)) ?? (try? SignedMessage(DERValue.fromBER(changed)))
            #expect(signer?.signers.count == 1)
        }
    }
}

@Suite("A value of DER")
struct DERTests {
    @Test(
        arguments: [
            [], [0x30], [0x30, 1], [0x30, 0x80], [0x30, 0x81, 1, 0], [0x30, 0x82, 0, 1, 0], [0x1F, 1, 0], [0x30, 0, 0],
            [0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x04, 0x85, 0, 0, 0, 0, 1, 0],
        ] as [[UInt8]]
    )
    func `in another form is refused`(bytes: [UInt8]) {
        #expect(throws: DERError.self) { try DERValue(bytes) }
    }

    @Test func `of a primitive kind has no values inside`() throws {
        #expect(throws: DERError.self) { try DERValue([4, 2, 0x05, 0]).values() }
        #expect(throws: DERError.self) { try DERValue([0x30, 3, 4, 2, 0]).values() }
    }

    @Test(
        arguments: [
            ([6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2], "1.2.840.113549.1.7.2"),
            ([6, 3, 0x88, 0x37, 3], "2.999.3"),
            ([6, 1, 0], "0.0"),
        ] as [([UInt8], String)]
    )
    func `that is an identifier has numbers`(bytes: [UInt8], text: String) throws {
        #expect(try DERValue(bytes).identifier() == text)
    }

    @Test func `that is no identifier has none`() {
        for bytes: [UInt8] in [
            [6, 0], [6, 1, 0x80], [4, 1, 0], [6, 12] + [UInt8](repeating: 0xFF, count: 11) + [1],
        ] {
            #expect(throws: DERError.self) { try DERValue(bytes).identifier() }
        }
    }

    @Test(
        arguments: [
            (0x17, "261124190640Z", 1_795_547_200), (0x17, "491231235959Z", 2_524_607_999),
            (0x18, "20500101000000Z", 2_524_608_000),
            (0x17, "261324190640Z", nil), (0x17, "2611241906Z", nil), (0x18, "20261124190640Z", nil),
            (0x17, "261124190640+0", nil), (0x18, "20500101000000.5Z", nil), (0x04, "261124190640Z", nil),
        ] as [(UInt8, String, Int64?)]
    )
    func `that is a time is one of the calendar`(tag: UInt8, text: String, seconds: Int64?) {
        let time = try? DERValue([tag, UInt8(text.utf8.count)] + text.utf8).time()
        #expect(time?.seconds == seconds)
    }

    @Test func `in BER is not read deeper than it is safe`() {
        let deep = Array(repeatElement([0x30, 0x80] as [UInt8], count: 2_000).joined())
        #expect(throws: DERError.self) { try DERValue.fromBER(deep) }
    }
}

@Suite("A certificate as a value")
struct X509CertificateTests {
    @Test func `is the same from PEM and from DER`() throws {
        let pem = try PassKeyFiles.certificate("wwdr-test.pem")
        #expect(try PassKeyFiles.certificate("wwdr-test.cer") == pem)
        #expect(try X509Certificate.list(PassKeyFiles.bytes("wwdr-test.cer")) == [pem])
        let both = try PassKeyFiles.bytes("wwdr-test.pem") + PassKeyFiles.bytes("root.pem")
        #expect(try X509Certificate.list(both).count == 2)
        #expect(try X509Certificate(pem.pem()) == pem)
    }

    @Test func `has the fields of its bytes`() throws {
        let leaf = try PassKeyFiles.certificate("pass-member.pem")
        let issuer = try PassKeyFiles.certificate("wwdr-test.pem")
        #expect(leaf.subjectTexts("0.9.2342.19200300.100.1.1") == ["pass.com.example.sallyport.member"])
        #expect(leaf.subjectTexts("2.5.4.11") == ["SP4TEST9Z0"])
        #expect(leaf.issuerTexts("2.5.4.11") == ["G4"])
        #expect(leaf.extendedUsages.contains("1.2.840.113635.100.4.14"))
        #expect(leaf.maySign && !leaf.isAuthority && issuer.isAuthority)
        #expect(leaf.issuerKeyIdentifier != nil && leaf.issuerKeyIdentifier == issuer.keyIdentifier)
        let facts = try CertificateFacts(pem: PassKeyFiles.bytes("pass-member.pem"))
        #expect(leaf.notBefore == facts.notBefore && leaf.notAfter == facts.notAfter)
        #expect(leaf.fingerprint == facts.fingerprint)
        #expect(leaf.isValid(at: leaf.notBefore) && leaf.isValid(at: leaf.notAfter))
        #expect(!leaf.isValid(at: leaf.notAfter + .seconds(1)))
    }

    @Test func `is signed by its issuer, not by one of the same name`() throws {
        let leaf = try PassKeyFiles.certificate("pass-member.pem")
        #expect(leaf.isSigned(by: try PassKeyFiles.certificate("wwdr-test.pem")))
        #expect(!leaf.isSigned(by: try PassKeyFiles.certificate("rogue-wwdr.pem")))
        #expect(!leaf.isSigned(by: try PassKeyFiles.certificate("root.pem")))
    }

    @Test func `that is none is refused`() throws {
        let der = try PassKeyFiles.bytes("wwdr-test.cer")
        for bytes in [[], [0x30, 0], Array(der.dropLast()), der + [0], Array("-----BEGIN".utf8)] {
            #expect(throws: CryptographyError.self) { try X509Certificate(bytes) }
            #expect(throws: CryptographyError.self) { try X509Certificate.list(bytes) }
        }
    }
}
