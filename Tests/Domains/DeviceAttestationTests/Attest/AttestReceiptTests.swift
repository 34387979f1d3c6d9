import AppleSimulator
import Cryptography
import DeviceAttestation
import Primitives
import Testing

@Suite("A receipt of an attestation")
struct AttestReceiptTests {
    private let samples: AttestSamples
    private let key: AttestedKey
    private let verifier: AttestReceiptVerifier

    init() throws {
        samples = try AttestSamples()
        key = try #require(AttestedKey(point: samples.key.point))
        verifier = AttestReceiptVerifier(roots: [try X509Certificate(samples.authority.receiptRoot.certificatePEM)])
    }

    private func verify(_ receipt: [UInt8], at time: WallTime = AttestSamples.now) throws -> AttestReceipt {
        try verifier.verify(receipt, key: key, app: samples.app, environment: .production, at: time)
    }

    private func exchanged(_ flaw: ReceiptFlaw? = nil) throws -> [UInt8] {
        let first = try samples.verify(samples.attestation()).receipt
        let order = ReceiptOrder(
            app: samples.app.text,
            isDevelopment: false,
            clientDataHash: samples.clientDataHash,
            riskMetric: 3
        )
        let leaf = try #require(AppAttestAuthority.leaf(ofReceipt: first))
        return try samples.authority.receipt(of: leaf, order, now: AttestSamples.now, flaw: flaw)
    }

    @Test func `comes with the attestation, without a risk`() throws {
        let receipt = try verify(samples.verify(samples.attestation()).receipt)
        #expect(receipt.kind == .attestation && receipt.riskMetric == nil && receipt.notBefore == nil)
        #expect(receipt.createdAt == AttestSamples.now)
    }

    @Test func `is exchanged for one with a risk`() throws {
        let receipt = try verify(exchanged())
        #expect(receipt.kind == .exchange && receipt.riskMetric == 3)
        #expect(receipt.notBefore == AttestSamples.now + .seconds(86_400) && receipt.key == key)
        #expect(receipt.expiresAt == AttestSamples.now + .seconds(90 * 86_400))
    }

    static let reasons: [(ReceiptFlaw, AttestRefusal)] = [
        (.foreignRoot, .path), (.expired, .validity), (.unmarked, .marker), (.otherContent, .signature),
        (.otherApp, .app), (.otherKey, .credentialKey), (.otherEnvironment, .environment), (.old, .age), (.early, .age),
        (.noCreation, .field), (.fieldTwice, .field), (.otherKind, .field),
    ]

    @Test func `has a reason for each flaw`() {
        #expect(Set(AttestReceiptTests.reasons.map(\.0)) == Set(ReceiptFlaw.allCases))
    }

    @Test(arguments: reasons)
    func `with one flaw is refused for its reason`(flaw: ReceiptFlaw, reason: AttestRefusal) throws {
        let receipt = try exchanged(flaw)
        #expect(throws: reason) { try verify(receipt) }
    }

    @Test func `is fresh for five minutes`() throws {
        let receipt = try exchanged()
        #expect(throws: Never.self) { try verify(receipt, at: AttestSamples.now + .seconds(300)) }
        #expect(throws: AttestRefusal.age) { try verify(receipt, at: AttestSamples.now + .seconds(301)) }
    }

    @Test func `that is cut anywhere, or too large, is refused`() throws {
        let receipt = try exchanged()
        for count in 0..<receipt.count {
            #expect(throws: AttestRefusal.form) { try verify(Array(receipt.prefix(count))) }
        }
        #expect(throws: AttestRefusal.tooLarge) { try verify([UInt8](repeating: 0, count: 1 << 16)) }
    }
}
