import Cryptography
import JOSE
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("An answer about a certificate")
struct OCSPTests {
    /// 2026-12-01T00:00:00Z; the answers were made ten days earlier.
    private static let now = WallTime(seconds: 1_796_083_200)

    /// Leaf, intermediate and root of the vectors.
    private static func certificates() throws -> [X509Certificate] {
        let jws = try CompactJWS(vectors["meta"]?["jws"]?.text ?? "")
        let texts = try #require(jws.header.certificates)
        return try texts.map { try X509Certificate(der: Base64.decode($0) ?? []) }
    }

    private static let vectors: JSONValue = (try? JSONParser.parse(JOSEVectors.bytes("store-ocsp.json"))) ?? .null

    private static func answer(_ id: String, about party: String = "leaf") throws -> [UInt8] {
        let one = vectors["cases"]?.elements.first { $0["id"]?.text == id }
        return try #require(Base64.decode(one?[party]?["bodyBase64"]?.text ?? ""))
    }

    private static func status(_ id: String, at time: WallTime = now) throws -> RevocationStatus {
        let path = try certificates()
        return try OCSPAnswer.status(answer(id), of: path[0], issuer: path[1], at: time)
    }

    @Test func `counts as in another program`() throws {
        let path = try OCSPTests.certificates()
        let cases = try #require(OCSPTests.vectors["cases"]?.elements)
        #expect(cases.count == 15)
        for one in cases {
            let id = try #require(one["id"]?.text)
            let statuses = try [("leaf", 0), ("intermediate", 1)].map { party, index -> RevocationStatus in
                // Without an answer nothing is known, either.
                guard one[party]?["httpStatus"]?.integer == 200 else { return .undecided(.unsuccessful) }
                let body = try OCSPTests.answer(id, about: party)
                return OCSPAnswer.status(body, of: path[index], issuer: path[index + 1], at: OCSPTests.now)
            }
            let isGood = statuses.allSatisfy { if case .good = $0 { true } else { false } }
            #expect(isGood == (one["oracle"]?["verdict"]?.text == "accept"), "\(id)")
            let isRevoked = statuses.contains { if case .revoked = $0 { true } else { false } }
            #expect(isRevoked == id.hasSuffix("revoked"), "\(id)")
        }
    }

    @Test(arguments: [
        ("leaf-unknown", RevocationStatus.Fault.unknown), ("response-expired", .stale), ("response-not-yet", .stale),
        ("delegate-without-usage", .signer), ("stray-responder", .signer),
        ("answer-for-other-certificate", .certificate),
        ("bad-signature", .signature), ("try-later", .unsuccessful), ("http-500", .malformed),
        ("garbage-body", .malformed),
    ])
    func `that says nothing of it is no verdict`(id: String, fault: RevocationStatus.Fault) throws {
        #expect(try OCSPTests.status(id) == .undecided(fault))
    }

    @Test func `says until when it counts, and since when the certificate is revoked`() throws {
        // 2050-01-01T00:00:00Z and 2025-01-01T00:00:00Z.
        #expect(try OCSPTests.status("both-good") == .good(until: WallTime(seconds: 2_524_608_000)))
        #expect(try OCSPTests.status("leaf-revoked") == .revoked(at: WallTime(seconds: 1_735_689_600)))
    }

    @Test func `counts within its time, and a minute around it`() throws {
        // From 2024-01-01T00:00:00Z to 2050-01-01T00:00:00Z.
        let (begin, end) = (WallTime(seconds: 1_704_067_200), WallTime(seconds: 2_524_608_000))
        for time in [begin + .seconds(-60), begin, end, end + .seconds(60)] {
            #expect(try OCSPTests.status("both-good", at: time) == .good(until: end))
        }
        for time in [begin + .seconds(-61), end + .seconds(61)] {
            #expect(try OCSPTests.status("both-good", at: time) == .undecided(.stale))
            #expect(try OCSPTests.status("leaf-revoked", at: time) == .undecided(.stale))
        }
    }

    @Test func `counts from a delegate while that is valid`() throws {
        #expect(try OCSPTests.status("leaf-good-by-delegate") == .good(until: WallTime(seconds: 2_524_608_000)))
        // 2020-01-01T00:00:00Z, before the delegate was appointed.
        #expect(
            try OCSPTests.status("leaf-good-by-delegate", at: WallTime(seconds: 1_577_836_800)) == .undecided(.signer)
        )
    }

    @Test func `counts for one certificate of one issuer`() throws {
        let path = try OCSPTests.certificates()
        let answer = try OCSPTests.answer("both-good")
        // The answer about the leaf, for the intermediate; then with the wrong issuer.
        #expect(OCSPAnswer.status(answer, of: path[1], issuer: path[2], at: OCSPTests.now) == .undecided(.signer))
        #expect(OCSPAnswer.status(answer, of: path[1], issuer: path[1], at: OCSPTests.now) == .undecided(.certificate))
        let other = try TestPath()
        #expect(
            OCSPAnswer.status(answer, of: other.leaf, issuer: other.intermediate, at: OCSPTests.now)
                == .undecided(.signer)
        )
    }

    @Test func `is read whole, and refused with any octet changed`() throws {
        let path = try OCSPTests.certificates()
        let answer = try OCSPTests.answer("both-good")
        for bytes in [answer + [0], Array(answer.dropLast()), [], [0x30], [0x30, 0x03, 0x0A, 0x01, 0x00]] {
            let status = OCSPAnswer.status(bytes, of: path[0], issuer: path[1], at: OCSPTests.now)
            #expect(status == .undecided(.malformed))
        }
        let long = answer + [UInt8](repeating: 0, count: OCSPAnswer.limit)
        #expect(OCSPAnswer.status(long, of: path[0], issuer: path[1], at: OCSPTests.now) == .undecided(.malformed))
        for index in answer.indices {
            var changed = answer
            changed[index] ^= 0x04
            let status = OCSPAnswer.status(changed, of: path[0], issuer: path[1], at: OCSPTests.now)
            guard case .undecided = status else {
                Issue.record("octet \(index): \(status)")
                continue
            }
        }
    }

    @Test func `is asked for by serial number and issuer`() throws {
        let path = try OCSPTests.certificates()
        let request = try OCSPRequest.about(path[0], issuer: path[1])
        // Request, list of requests, request, certificate: digest, name, key, number.
        let id = try DERValue(request).values()[0].values()[0].values()[0].values()[0].values()
        #expect(try id[0].values()[0].identifier() == "2.16.840.1.101.3.4.2.1")
        #expect(id[1].content == SHA256.digest(of: path[1].subject).bytes)
        #expect(id[3].content == path[0].serialNumber)
        // The entry of the answer names the certificate in the same octets.
        let entry = try DERValue(request).values()[0].values()[0].values()[0].values()[0].encoding
        let answer = try OCSPTests.answer("both-good")
        #expect(answer.indices.contains { answer[$0...].starts(with: entry) })
    }

    @Test func `is asked for where the certificate says`() throws {
        let path = try OCSPTests.certificates()
        #expect(path[0].responder == HTTPURL("http://127.0.0.1:18931/ocsp/l"))
        #expect(path[1].responder == HTTPURL("http://127.0.0.1:18931/ocsp/i"))
        #expect(path[2].responder == nil)
        for (value, address) in [
            ("caIssuers;URI:http://a.example/", String?.none), ("OCSP;URI:ldap://a.example/", nil),
            ("OCSP;URI:http://user@a.example/", nil), ("OCSP;DNS:a.example", nil),
            (
                "caIssuers;URI:http://a.example/,OCSP;URI:ldap://b.example/,OCSP;URI:http://c.example/",
                "http://c.example/"
            ),
        ] {
            let path = try TestPath(leaf: TestPath.leaf.with("authorityInfoAccess", value))
            #expect(path.leaf.responder == address.flatMap { HTTPURL($0) })
        }
    }
}
