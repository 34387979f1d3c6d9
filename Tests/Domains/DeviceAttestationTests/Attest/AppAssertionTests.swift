import AppleSimulator
import Cryptography
import DeviceAttestation
import Primitives
import Testing

@Suite("An assertion")
struct AppAssertionTests {
    private let samples: AttestSamples
    private let key: AttestedKey

    init() throws {
        samples = try AttestSamples()
        key = try #require(AttestedKey(point: samples.key.point))
    }

    private func assertion(_ flaw: AssertionFlaw? = nil, _ extensions: AttestExtensions? = nil) throws -> [UInt8] {
        var device = samples.key
        return try device.assert(
            clientDataHash: samples.clientDataHash,
            app: samples.app.text,
            extensions: extensions,
            flaw: flaw
        )
    }

    private func verify(_ object: [UInt8]) throws -> AppAssertion {
        try AppAssertion.verify(object, clientDataHash: samples.clientDataHash, key: key, app: samples.app)
    }

    @Test func `gives the counter, which goes up by one`() throws {
        var device = samples.key
        for counter in 1...3 {
            let object = try device.assert(clientDataHash: samples.clientDataHash, app: samples.app.text)
            #expect(try verify(object).counter == UInt32(counter))
        }
        // That it does not go up is found by whoever keeps the counter.
        #expect(try verify(assertion(.sameCounter)).counter == 0)
    }

    static let reasons: [(AssertionFlaw, AttestRefusal?)] = [
        (.trailingByte, .form), (.noSignature, .members), (.cutData, .authenticatorData), (.otherKey, .signature),
        (.signedDigest, .signature), (.otherRequest, .signature), (.otherApp, .app), (.sameCounter, nil),
    ]

    @Test func `has a reason for each flaw`() {
        #expect(Set(AppAssertionTests.reasons.map(\.0)) == Set(AssertionFlaw.allCases))
    }

    @Test(arguments: reasons)
    func `with one flaw is refused for its reason`(flaw: AssertionFlaw, reason: AttestRefusal?) throws {
        guard let reason else { return }
        let object = try assertion(flaw)
        #expect(throws: reason) { try verify(object) }
    }

    @Test func `says on newer systems how the app came onto the device`() throws {
        let judged = try verify(assertion(nil, AttestExtensions(category: 4, bundleVersion: "7")))
        #expect(judged.category == .appStore && judged.bundleVersion == "7")
    }

    @Test func `is refused with any bit changed`() throws {
        let object = try assertion()
        for index in object.indices {
            for bit in 0..<8 {
                var changed = object
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: AttestRefusal.self) { try verify(changed) }
            }
        }
        #expect(throws: AttestRefusal.tooLarge) {
            try verify([UInt8](repeating: 0, count: AppAssertion.greatestSize + 1))
        }
    }

    @Test func `of a key that is no point is refused`() throws {
        #expect(AttestedKey(point: [4]) == nil && AttestedKey(point: [UInt8](repeating: 2, count: 65)) == nil)
        let off = try #require(AttestedKey(point: [4] + [UInt8](repeating: 1, count: 64)))
        let object = try assertion()
        #expect(throws: AttestRefusal.signature) {
            try AppAssertion.verify(object, clientDataHash: samples.clientDataHash, key: off, app: samples.app)
        }
    }

    @Test func `is worth nothing for another request`() {
        let one = AssertedRequest(method: "POST", target: "/app/v1/x?y=1", body: [1], challenge: "c")
        #expect(
            String(decoding: one.clientData, as: UTF8.self)
                == "sallyport-assertion-1\nPOST\n/app/v1/x?y=1\n"
                + "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a\nc"
        )
        for other in [
            AssertedRequest(method: "PUT", target: "/app/v1/x?y=1", body: [1], challenge: "c"),
            AssertedRequest(method: "POST", target: "/app/v1/x?y=2", body: [1], challenge: "c"),
            AssertedRequest(method: "POST", target: "/app/v1/x?y=1", body: [2], challenge: "c"),
            AssertedRequest(method: "POST", target: "/app/v1/x?y=1", body: [1], challenge: "d"),
        ] {
            #expect(other.clientDataHash != one.clientDataHash)
        }
    }

    @Test(arguments: [
        ("A1B2C3D4E", "jp.example"), ("A1B2C3D4E5", ""), ("A1B2C3D4E5", "jp example"), ("A1B2C3D4E\n", "a"),
    ])
    func `is of an app that has a name`(team: String, bundle: String) {
        #expect(AttestedApp(teamID: team, bundleID: bundle) == nil)
    }
}
