import CBOR
import Cryptography
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Phones whose app is attested")
struct AttestedPhoneTests {
    private func object(_ answer: JSONValue, _ name: String) throws -> CBORValue {
        let text = try #require(answer[name]?.text)
        return try CBORValue(try #require(Base64.decode(text)))
    }

    @Test func `make keys, attestations of them and assertions that count`() async throws {
        try await withDeviceCheck { bench in
            let path = "/devices/\(try await bench.device())"
            #expect(try await bench.send("POST", "/_sim\(path)/attest-keys").status == 409)
            try await bench.control("POST", path + "/install", ["environment": "development"])
            let key = try #require(try await bench.control("POST", path + "/attest-keys")["keyId"]?.text)
            #expect(Base64.decode(key)?.count == 32)
            let made = try await bench.control(
                "POST",
                path + "/attestations",
                ["keyId": .string(key), "clientData": "challenge"]
            )
            let object = try object(made, "attestation")
            #expect(object["fmt"]?.asText == "apple-appattest")
            #expect(object["authData"]?.asBytes?.contains(Array("appattestdevelop".utf8)) == true)
            for (counter, flaw) in [(1, nil), (2, nil), (2, "same_counter"), (3, "other_app")] as [(Int, String?)] {
                var members = [JSONMember("keyId", .string(key)), JSONMember("clientData", "{}")]
                if let flaw { members.append(JSONMember("flaw", .string(flaw))) }
                let signed = try await bench.control("POST", path + "/assertions", .object(members))
                #expect(signed["counter"] == JSONValue(counter))
            }
            let shown = try await bench.control("GET", path)
            #expect(shown["app"]?["attestKeys"] == [.string(key)])
            #expect(!shown.description.contains("PRIVATE"))
            try await bench.control("POST", path + "/erase")
            #expect(try await bench.send("POST", "/_sim\(path)/attest-keys").status == 409)
        }
    }

    @Test func `are under a root that verifiers can have, and say what is wrong with a call`() async throws {
        try await withDeviceCheck { bench in
            let path = "/devices/\(try await bench.device())"
            try await bench.control("POST", path + "/install")
            let key = try #require(try await bench.control("POST", path + "/attest-keys")["keyId"]?.text)
            let root = try X509Certificate(try await bench.send("GET", "/_sim/attest/root.pem").body)
            let hash = JSONValue.string(Base64.encode([UInt8](repeating: 7, count: 32)))
            let made = try await bench.control(
                "POST",
                path + "/attestations",
                ["keyId": .string(key), "clientDataHash": hash, "validationCategory": 4, "bundleVersion": "12"]
            )
            let chain = try object(made, "attestation")["attStmt"]?["x5c"]?.elements ?? []
            let issuer = try X509Certificate(try #require(chain.last?.asBytes))
            #expect(chain.count == 2 && issuer.isSigned(by: root))
            _ = try X509Certificate(try await bench.send("GET", "/_sim/attest/receipt-root.pem").body)
            #expect(try await bench.send("GET", "/_sim/attest/other.pem").status == 404)
            let wrong: [(JSONValue, Int)] = [
                ([:], 400), (["keyId": .string(key)], 400), (["keyId": "AAAA", "clientDataHash": hash], 404),
                (["keyId": .string(key), "clientDataHash": "AAAA"], 400),
                (["keyId": .string(key), "clientDataHash": hash, "clientData": ""], 400),
                (["keyId": .string(key), "clientDataHash": hash, "flaw": "same_counter"], 400),
            ]
            for (body, status) in wrong {
                let answer = try await bench.send("POST", "/_sim\(path)/attestations", body.bytes)
                #expect(answer.status == status, "\(body)")
            }
            #expect(try await bench.send("POST", "/_sim\(path)/attestations").status == 400)
        }
    }
}
