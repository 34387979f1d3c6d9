import AppleSimulator
import CBOR
import Cryptography
import DeviceAttestation
import Primitives
import TestKit
import Testing

@Suite("An attestation")
struct AppAttestationTests {
    private let samples: AttestSamples

    init() throws { samples = try AttestSamples() }

    @Test func `names key, app and environment, and brings a receipt`() throws {
        let attestation = try samples.verify(samples.attestation())
        #expect(attestation.key.point == samples.key.point && attestation.key.id == samples.key.id)
        #expect(attestation.app == samples.app && attestation.environment == .production)
        #expect(attestation.category == nil && attestation.bundleVersion == nil && !attestation.receipt.isEmpty)
    }

    static let reasons: [(AttestationFlaw, AttestRefusal)] = [
        (.trailingByte, .form), (.otherFormat, .format), (.noReceipt, .members), (.oneCertificate, .certificateCount),
        (.threeCertificates, .certificateCount), (.swappedCertificates, .path), (.foreignRoot, .path),
        (.expired, .validity), (.notYetValid, .validity), (.unmarked, .marker), (.otherNonceForm, .nonceForm),
        (.otherChallenge, .nonce), (.otherKey, .keyID), (.otherApp, .app), (.counterMoved, .counter),
        (.otherAuthenticator, .environment), (.otherCredential, .credentialID), (.cutData, .authenticatorData),
        (.trailingData, .authenticatorData), (.otherCredentialKey, .credentialKey),
    ]

    @Test func `has a reason for each flaw`() {
        #expect(Set(AppAttestationTests.reasons.map(\.0)) == Set(AttestationFlaw.allCases))
    }

    @Test(arguments: reasons)
    func `with one flaw is refused for its reason`(flaw: AttestationFlaw, reason: AttestRefusal) throws {
        let object = try samples.attestation(flaw)
        #expect(throws: reason) { try samples.verify(object) }
    }

    @Test func `counts in its own environment alone`() throws {
        let order = samples.order(isDevelopment: true)
        let object = try samples.authority.attest(order, now: AttestSamples.now)
        #expect(throws: AttestRefusal.environment) { try samples.verify(object) }
        let development = try samples.verifier(.development)
        let attestation = try development.verify(
            object,
            keyID: samples.key.id,
            clientDataHash: samples.clientDataHash,
            at: AttestSamples.now
        )
        #expect(attestation.environment == .development)
        let production = try samples.attestation()
        #expect(throws: AttestRefusal.environment) {
            try development.verify(
                production,
                keyID: samples.key.id,
                clientDataHash: samples.clientDataHash,
                at: AttestSamples.now
            )
        }
    }

    @Test(arguments: [(UInt32(4), ValidationCategory.appStore), (2, .testFlight), (3, .development), (99, .other)])
    func `says on newer systems how the app came onto the device`(number: UInt32, category: ValidationCategory) throws {
        let extensions = AttestExtensions(category: number, bundleVersion: "1.2")
        let object = try samples.authority.attest(samples.order(extensions: extensions), now: AttestSamples.now)
        let attestation = try samples.verify(object)
        #expect(attestation.category == category && attestation.bundleVersion == "1.2")
    }

    @Test func `is for the challenge and the key that were asked for`() throws {
        let object = try samples.attestation()
        let verifier = try samples.verifier()
        #expect(throws: AttestRefusal.nonce) {
            try verifier.verify(object, keyID: samples.key.id, clientDataHash: [1], at: AttestSamples.now)
        }
        let other = try SimulatedAttestKey.make().id
        #expect(throws: AttestRefusal.keyID) {
            try verifier.verify(object, keyID: other, clientDataHash: samples.clientDataHash, at: AttestSamples.now)
        }
    }

    @Test func `is judged at a time, and by roots that are given`() throws {
        let object = try samples.attestation()
        #expect(throws: AttestRefusal.validity) {
            try samples.verify(object, at: AttestSamples.now + .seconds(181 * 86_400))
        }
        let nobody = AppAttestationVerifier(apps: [samples.app], environment: .production, roots: [])
        #expect(throws: AttestRefusal.path) {
            try nobody.verify(
                object,
                keyID: samples.key.id,
                clientDataHash: samples.clientDataHash,
                at: AttestSamples.now
            )
        }
    }

    @Test func `with a certificate of a key on another curve is refused`() throws {
        let statement = try AttestationStatementParts(samples.attestation())
        let nonce = SHA256.digest(of: statement.data + samples.clientDataHash)
        let digits = Hex.encode([0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + nonce.bytes)
        let text = stride(from: 0, to: digits.count, by: 2).map { digits.dropFirst($0).prefix(2) }
        let leaf = try IssuedCertificate.make(
            CertificateProfile(
                subject: [.init("CN", "test")],
                extensions: [
                    .init("basicConstraints", "critical,CA:FALSE"),
                    .init("1.2.840.113635.100.8.2", "DER:" + text.joined(separator: ":")),
                ],
                lifetime: .seconds(86_400)
            ),
            issuer: samples.authority.issuing,
            key: .p384,
            now: AttestSamples.now,
            random: SeededRandom(seed: 1)
        )
        let object = try statement.object(leaf: X509Certificate(leaf.certificatePEM).der)
        #expect(throws: AttestRefusal.key) { try samples.verify(object) }
    }

    @Test func `that is too large is not read`() {
        #expect(throws: AttestRefusal.tooLarge) {
            try samples.verify([UInt8](repeating: 0, count: AppAttestationVerifier.greatestSize + 1))
        }
    }

    @Test func `that is cut anywhere is refused`() throws {
        let object = try samples.attestation()
        for count in 0..<object.count {
            #expect(throws: AttestRefusal.form) { try samples.verify(Array(object.prefix(count))) }
        }
    }

    @Test func `is refused with any byte of what the authenticator says changed`() throws {
        let object = try samples.attestation()
        let data = try AttestationStatementParts(object).data
        let start = object.count - data.count
        for index in start..<object.count {
            var changed = object
            changed[index] ^= 1
            #expect(throws: AttestRefusal.nonce) { try samples.verify(changed) }
        }
    }
}

/// An attestation that is put together again around another certificate.
struct AttestationStatementParts {
    let data: [UInt8]
    private let value: CBORValue

    init(_ object: [UInt8]) throws {
        value = try CBORValue(object)
        data = try #require(value["authData"]?.asBytes)
    }

    func object(leaf: [UInt8]) throws -> [UInt8] {
        let statement = try #require(value["attStmt"])
        let certificates = try #require(statement["x5c"]?.elements)
        let receipt = try #require(statement["receipt"])
        return CBORValue.map([
            CBOREntry(.text("fmt"), .text("apple-appattest")),
            CBOREntry(
                .text("attStmt"),
                .map([
                    CBOREntry(.text("x5c"), .array([.bytes(leaf), certificates[1]])),
                    CBOREntry(.text("receipt"), receipt),
                ])
            ), CBOREntry(.text("authData"), .bytes(data)),
        ]).encoded
    }
}
