import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("State of certificates")
struct RevocationTests {
    /// A purchase's certificates.
    private func chain(_ bench: StoreBench) async throws -> [X509Certificate] {
        try ReadText(try #require(try await bench.buy()["signedTransaction"]?.text)).chain.map {
            try X509Certificate($0)
        }
    }

    /// What the responder says of a certificate, as the program's own reader takes it.
    private func ask(
        _ bench: StoreBench,
        _ certificate: X509Certificate,
        _ issuer: X509Certificate
    ) async throws -> String {
        let responder = try #require(certificate.responder)
        let url = responder.origin + responder.rest
        #expect(url == bench.origin + "/ocsp")
        let answer = try await bench.curl.send(
            OutboundRequest(
                method: "POST",
                url: url,
                fields: [("content-type", OCSPRequest.mediaType)],
                body: try OCSPRequest.about(certificate, issuer: issuer),
                timeout: Patience.usual
            )
        )
        #expect(answer.status == 200)
        #expect(answer.first("content-type") == "application/ocsp-response")
        switch OCSPAnswer.status(answer.body, of: certificate, issuer: issuer, at: bench.reactor.wallNow) {
        case .good: return "good"
        case .revoked: return "revoked"
        case .undecided(let fault): return fault.rawValue
        }
    }

    @Test func `is good until a tester says otherwise`() async throws {
        try await withStore { bench in
            let chain = try await chain(bench)
            #expect(try await ask(bench, chain[0], chain[1]) == "good")
            #expect(try await ask(bench, chain[1], chain[2]) == "good")
            try await bench.control("POST", "/authority/ocsp", ["certificate": "leaf", "status": "revoked"])
            #expect(try await ask(bench, chain[0], chain[1]) == "revoked")
            #expect(try await ask(bench, chain[1], chain[2]) == "good")
            try await bench.control("POST", "/authority/ocsp", ["certificate": "intermediate", "status": "unknown"])
            #expect(try await ask(bench, chain[1], chain[2]) == "unknown")
            let serial = Hex.encode(chain[0].serialNumber)
            try await bench.control("POST", "/authority/ocsp", ["certificate": .string(serial), "status": "good"])
            #expect(try await ask(bench, chain[0], chain[1]) == "good")
            // Certificates of before are answered for, too.
            try await bench.control("POST", "/authority", ["rotate": "intermediate"])
            #expect(try await ask(bench, chain[0], chain[1]) == "good")
        }
    }

    @Test func `is not to be had where a tester wants it`() async throws {
        try await withStore { bench in
            let chain = try await chain(bench)
            let expected = [
                "tryLater": "unsuccessful", "unauthorized": "unsuccessful", "stale": "stale",
                "foreignSigner": "signer", "garbage": "malformed", "normal": "good",
            ]
            for (mode, word) in expected {
                try await bench.control("POST", "/authority/ocsp", ["mode": .string(mode)])
                #expect(try await ask(bench, chain[0], chain[1]) == word, "\(mode)")
            }
            try await bench.control("POST", "/authority/ocsp", ["mode": "normal"])
            // About a certificate of somebody else, and no question at all.
            #expect(try await ask(bench, chain[0], chain[0]) == "unsuccessful")
            #expect(try await bench.send("POST", "/ocsp", [1, 2, 3]).body == [0x30, 0x03, 0x0A, 0x01, 0x01])
            let fault: JSONValue = ["match": ["operation": "ocsp"], "action": ["status": 503]]
            try await bench.control("POST", "/faults", fault)
            #expect(try await bench.send("POST", "/ocsp", [1, 2, 3]).status == 503)
        }
    }
}
