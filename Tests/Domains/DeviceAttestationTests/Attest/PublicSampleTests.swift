import Cryptography
import DeviceAttestation
import Primitives
import StrictJSON
import Testing

/// What real devices and Apple made, judged at its own time by Apple's roots.
@Suite("What a real device sent")
struct PublicSampleTests {
    static let attestations = PublicSample.list("attestations")
    static let assertions = PublicSample.list("assertions")
    static let receipts = PublicSample.list("receipts")

    @Test func `comes in 12 samples`() {
        #expect(PublicSampleTests.attestations.count == 5)
        #expect(PublicSampleTests.assertions.count == 3 && PublicSampleTests.receipts.count == 4)
    }

    private func verifier(_ sample: PublicSample) throws -> AppAttestationVerifier {
        AppAttestationVerifier(
            apps: [try sample.app()],
            environment: try sample.environment(),
            roots: [try AppleAttestRoot.certificate()]
        )
    }

    private func verify(_ sample: PublicSample, at time: WallTime? = nil) throws -> AppAttestation {
        try verifier(sample).verify(
            sample.bytes("object"),
            keyID: sample.digest("keyId"),
            clientDataHash: sample.bytes("clientDataHash"),
            at: time ?? sample.time()
        )
    }

    @Test func `leads to the root that Apple published`() throws {
        let root = try AppleAttestRoot.certificate()
        #expect(root.fingerprint.hexadecimal == AppleAttestRoot.fingerprint)
        #expect(root.isAuthority && root.isSigned(by: root, strength: 112))
    }

    @Test(arguments: attestations)
    func `is attested`(sample: PublicSample) throws {
        let attestation = try verify(sample)
        #expect(attestation.key == (try sample.key()))
        let category = sample.json["category"]?.integer.flatMap { ValidationCategory(rawValue: UInt32($0)) }
        #expect(attestation.category == category && attestation.bundleVersion == sample.json["bundleVersion"]?.text)
    }

    @Test(arguments: attestations)
    func `is not attested for ever, nor for another app`(sample: PublicSample) throws {
        let late = try sample.time() + .seconds(366 * 86_400)
        #expect(throws: AttestRefusal.validity) { try verify(sample, at: late) }
        let other = AppAttestationVerifier(
            apps: [try #require(AttestedApp(teamID: "A1B2C3D4E5", bundleID: "a.b"))],
            environment: try sample.environment(),
            roots: [try AppleAttestRoot.certificate()]
        )
        #expect(throws: AttestRefusal.app) {
            try other.verify(
                sample.bytes("object"),
                keyID: sample.digest("keyId"),
                clientDataHash: sample.bytes("clientDataHash"),
                at: sample.time()
            )
        }
    }

    @Test(arguments: assertions)
    func `is signed by its key`(sample: PublicSample) throws {
        let assertion = try AppAssertion.verify(
            sample.bytes("object"),
            clientDataHash: sample.bytes("clientDataHash"),
            key: sample.key(),
            app: sample.app()
        )
        #expect(assertion.counter == 1)
        #expect(throws: AttestRefusal.signature) {
            try AppAssertion.verify(
                sample.bytes("object"),
                clientDataHash: [0],
                key: sample.key(),
                app: sample.app()
            )
        }
    }

    // MARK: Receipts

    /// The root that Apple puts into its receipts; believed for its fingerprint.
    private func receiptRoot(_ receipt: [UInt8]) throws -> X509Certificate {
        let message = try SignedMessage(DERValue.fromBER(receipt))
        let roots = message.certificates.compactMap { try? X509Certificate(der: $0) }
        let fingerprint = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"
        return try #require(roots.first { $0.fingerprint.hexadecimal == fingerprint })
    }

    private func verify(_ receipt: [UInt8], of sample: PublicSample, at time: WallTime) throws -> AttestReceipt {
        try AttestReceiptVerifier(roots: [receiptRoot(receipt)]).verify(
            receipt,
            key: sample.key(),
            app: sample.app(),
            environment: sample.environment(),
            at: time
        )
    }

    @Test(arguments: attestations)
    func `has a receipt of the attestation`(sample: PublicSample) throws {
        let receipt = try verify(sample).receipt
        let time = try sample.time() + .seconds(2)
        #expect(try verify(receipt, of: sample, at: time).kind == .attestation)
    }

    @Test(arguments: receipts)
    func `has a receipt of an exchange`(sample: PublicSample) throws {
        let receipt = try verify(sample.bytes("receipt"), of: sample, at: sample.time() + .seconds(1))
        #expect(receipt.kind.rawValue == sample.text("type"))
        #expect(receipt.riskMetric == sample.json["riskMetric"]?.integer)
        // To the thousandth of a second.
        let thousandths = String(receipt.createdAt.microseconds / 1_000 % 1_000 + 1_000).dropFirst()
        #expect(sample.text("creationTime").hasSuffix(".\(thousandths)Z"))
        #expect(CalendarDate(receipt.createdAt).extendedText.prefix(19) == sample.text("creationTime").prefix(19))
        #expect((receipt.notBefore == nil) == (sample.json["notBefore"]?.text == nil))
        let before = try sample.time() + .seconds(-120)
        #expect(throws: AttestRefusal.age) { try verify(sample.bytes("receipt"), of: sample, at: before) }
    }
}
