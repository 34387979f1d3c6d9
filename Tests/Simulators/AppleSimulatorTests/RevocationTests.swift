import Cryptography
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("State of certificates")
struct RevocationTests {
    /// A request for a certificate of the store: hashes by SHA-1, no extensions.
    private static func request(_ certificate: [UInt8], issuer: [UInt8]) throws -> [UInt8] {
        let (one, other) = (try X509Certificate(certificate), try X509Certificate(issuer))
        let fields = try DERValue(issuer).values()[0].values()
        let key = try fields[6].values()[1].content.dropFirst()
        let sha1 = encode(0x30, encode(0x06, [0x2B, 0x0E, 0x03, 0x02, 0x1A]) + [0x05, 0x00])
        let id = encode(
            0x30,
            sha1 + encode(0x04, DigestAlgorithm.sha1.digest(of: other.subject))
                + encode(0x04, DigestAlgorithm.sha1.digest(of: Array(key))) + encode(0x02, one.serialNumber)
        )
        return encode(0x30, encode(0x30, encode(0x30, encode(0x30, id))))
    }

    private static func encode(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + (content.count < 0x80 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]) + content
    }

    /// The state in an answer: the tag of the choice, and who has signed it.
    private func ask(_ bench: StoreBench, _ certificate: [UInt8], issuer: [UInt8]) async throws -> (UInt8, Bool) {
        let answer = try await bench.send("POST", "/ocsp", Self.request(certificate, issuer: issuer))
        #expect(answer.status == 200)
        #expect(answer.first("content-type") == "application/ocsp-response")
        let parts = try DERValue(answer.body).values()
        guard parts[0].content == [0] else { return (parts[0].content.first ?? 0xFF, false) }
        let basic = try DERValue(parts[1].values()[0].values()[1].content).values()
        let data = try basic[0].values()
        let single = try #require(data.first { $0.tag == 0x30 }?.values().first).values()
        let name = try #require(data.first { $0.tag == 0xA2 }).values()[0].content
        let key = try DERValue(issuer).values()[0].values()[6].values()[1].content.dropFirst()
        return (single[1].tag, name == DigestAlgorithm.sha1.digest(of: Array(key)))
    }

    @Test func `is good until a tester says otherwise`() async throws {
        try await withStore { bench in
            let chain = try ReadText(try #require(try await bench.buy()["signedTransaction"]?.text)).chain
            #expect(try await ask(bench, chain[0], issuer: chain[1]) == (0x80, true))
            #expect(try await ask(bench, chain[1], issuer: chain[2]) == (0x80, true))
            try await bench.control("POST", "/authority/ocsp", ["certificate": "leaf", "status": "revoked"])
            #expect(try await ask(bench, chain[0], issuer: chain[1]) == (0xA1, true))
            #expect(try await ask(bench, chain[1], issuer: chain[2]) == (0x80, true))
            try await bench.control("POST", "/authority/ocsp", ["certificate": "intermediate", "status": "unknown"])
            #expect(try await ask(bench, chain[1], issuer: chain[2]) == (0x82, true))
            try await bench.control("POST", "/authority/ocsp", ["certificate": "leaf", "status": "good"])
            #expect(try await ask(bench, chain[0], issuer: chain[1]) == (0x80, true))
            // The answers for certificates of before go on.
            try await bench.control("POST", "/authority", ["rotate": "intermediate"])
            #expect(try await ask(bench, chain[0], issuer: chain[1]) == (0x80, true))
        }
    }

    @Test func `is not to be had where a tester wants it`() async throws {
        try await withStore { bench in
            let chain = try ReadText(try #require(try await bench.buy()["signedTransaction"]?.text)).chain
            try await bench.control("POST", "/authority/ocsp", ["mode": "tryLater"])
            #expect(try await ask(bench, chain[0], issuer: chain[1]) == (3, false))
            try await bench.control("POST", "/authority/ocsp", ["mode": "unauthorized"])
            #expect(try await ask(bench, chain[0], issuer: chain[1]) == (6, false))
            try await bench.control("POST", "/authority/ocsp", ["mode": "foreignSigner"])
            #expect(try await ask(bench, chain[0], issuer: chain[1]) == (0x80, false))
            try await bench.control("POST", "/authority/ocsp", ["mode": "garbage"])
            #expect(try await bench.send("POST", "/ocsp", []).body == Array("not DER".utf8))
            try await bench.control("POST", "/authority/ocsp", ["mode": "normal"])
            #expect(try await ask(bench, chain[0], issuer: chain[0]) == (6, false))
            #expect(try await bench.send("POST", "/ocsp", [1, 2, 3]).body == [0x30, 0x03, 0x0A, 0x01, 0x01])
            try await bench.control(
                "POST",
                "/faults",
                ["match": ["operation": "ocsp"], "action": ["status": 503]]
            )
            #expect(try await bench.send("POST", "/ocsp", [1, 2, 3]).status == 503)
        }
    }

    @Test func `is named by the certificates`() async throws {
        try await withStore { bench in
            let chain = try ReadText(try #require(try await bench.buy()["signedTransaction"]?.text)).chain
            for der in chain[..<2] {
                let access = try X509Certificate(der).value(ofExtension: "1.3.6.1.5.5.7.1.1") ?? []
                #expect(String(decoding: access, as: UTF8.self).contains(bench.origin + "/ocsp"))
            }
        }
    }
}
