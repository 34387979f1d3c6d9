import CBOR
import Cryptography
import EventIO
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Receipts of App Attest")
struct ReceiptExchangeTests {
    /// A phone with an attested key, and the receipt of that.
    private struct Phone {
        let bench: DeviceCheckBench
        let path: String
        let key: String
        let receipt: [UInt8]

        init(_ bench: DeviceCheckBench, environment: JSONValue = "production") async throws {
            self.bench = bench
            path = "/devices/\(try await bench.device())"
            try await bench.control("POST", path + "/install", ["environment": environment])
            (key, receipt) = try await Phone.attest(bench, path)
        }

        static func attest(_ bench: DeviceCheckBench, _ path: String) async throws -> (String, [UInt8]) {
            let key = try #require(try await bench.control("POST", path + "/attest-keys")["keyId"]?.text)
            let body: JSONValue = ["keyId": .string(key), "clientData": "challenge"]
            let made = try await bench.control("POST", path + "/attestations", body)
            let object = try CBORValue(try #require(Base64.decode(made["attestation"]?.text ?? "")))
            return (key, try #require(object["attStmt"]?["receipt"]?.asBytes))
        }
    }

    private func exchange(
        _ bench: DeviceCheckBench,
        _ content: String,
        in environment: String = "production",
        authorization: String? = nil
    ) async throws -> InboundResponse {
        let bare = String(try bench.bearer().dropFirst(7))
        let fields = [("authorization", authorization ?? bare), ("content-type", "base64")]
        return try await bench.send("POST", "/\(environment)/v1/attestationData", Array(content.utf8), fields: fields)
    }

    /// A new receipt for one.
    private func renew(_ bench: DeviceCheckBench, _ receipt: [UInt8]) async throws -> [UInt8] {
        let answer = try await exchange(bench, Base64.encode(receipt))
        #expect(answer.status == 200)
        return try #require(Base64.decode(String(decoding: answer.body, as: UTF8.self)))
    }

    /// What a receipt says, by number.
    private func fields(_ receipt: [UInt8]) throws -> [UInt8: String] {
        let body = try #require(try DERValue(receipt).values().last?.values().first?.values())
        let string = try #require(try body[2].values().last?.values().first)
        var fields: [UInt8: String] = [:]
        for field in try DERValue(string.content).values() {
            let parts = try field.values()
            fields[parts[0].content[0]] = String(decoding: parts[2].content, as: UTF8.self)
        }
        return fields
    }

    @Test func `are exchanged for newer ones, with the number of keys of the device`() async throws {
        try await withDeviceCheck { bench in
            let phone = try await Phone(bench)
            #expect(try fields(phone.receipt)[17] == nil && fields(phone.receipt)[6] == "ATTEST")
            let second = try await renew(bench, phone.receipt)
            #expect(try fields(second)[17] == "1" && fields(second)[6] == "RECEIPT")
            #expect(AppAttestAuthority.leaf(ofReceipt: second) == AppAttestAuthority.leaf(ofReceipt: phone.receipt))
            let early = try await exchange(bench, Base64.encode(second))
            #expect(early.status == 304 && early.body.isEmpty)
            // Erasing the phone changes nothing of what Apple has counted.
            try await bench.control("POST", phone.path + "/erase")
            try await bench.control("POST", phone.path + "/install")
            _ = try await Phone.attest(bench, phone.path)
            try await bench.control("POST", "/clock", ["advance": "P1D"])
            #expect(try fields(try await renew(bench, second))[17] == "2")
        }
    }

    @Test func `say what a tester wants of the device, and in time nothing`() async throws {
        try await withDeviceCheck { bench in
            let phone = try await Phone(bench)
            try await bench.control("POST", phone.path + "/risk", ["metric": 17])
            #expect(try await bench.control("GET", phone.path)["riskMetric"]?["production"] == 17)
            let second = try await renew(bench, phone.receipt)
            #expect(try fields(second)[17] == "17")
            try await bench.control("POST", phone.path + "/risk")
            #expect(try await bench.control("GET", phone.path)["riskMetric"]?["production"] == 1)
            try await bench.control("POST", "/clock", ["advance": "P31D"])
            let forgotten = try await exchange(bench, Base64.encode(second))
            #expect(forgotten.status == 404)
            #expect(String(decoding: forgotten.body, as: UTF8.self) == "No data found")
            _ = try await Phone.attest(bench, phone.path)
            #expect(try fields(try await renew(bench, second))[17] == "1", "it comes back to life")
        }
    }

    @Test func `are given for receipts of this environment alone, to whoever has a key of the team`() async throws {
        try await withDeviceCheck { bench in
            let phone = try await Phone(bench, environment: "development")
            let text = Base64.encode(phone.receipt)
            #expect(try await exchange(bench, text).status == 404)
            #expect(try await exchange(bench, text, in: "development").status == 200)
            let bearer = try bench.bearer()
            #expect(try await exchange(bench, text, in: "development", authorization: bearer).status == 200)
            #expect(try await exchange(bench, text, in: "development", authorization: "").status == 400)
            let other = try bench.bearer(team: "OTHERTEAM1")
            #expect(try await exchange(bench, text, in: "development", authorization: other).status == 401)
            for content in ["", "AAAA", text + "\n", "{}", String(text.dropLast(8))] {
                #expect(try await exchange(bench, content, in: "development").status == 400)
            }
            let log = try await bench.control("GET", "/log")
            #expect(log.description.contains("attestationData") && !log.description.contains(text))
        }
    }

    @Test func `are refused, or spoiled, as a tester wants`() async throws {
        try await withDeviceCheck { bench in
            let phone = try await Phone(bench)
            let text = Base64.encode(phone.receipt)
            let wanted: [(JSONValue, Int)] = [
                (["reasonCode": "tooEarly"], 304), (["status": 429, "retryAfter": "60"], 429),
                (["reasonCode": "noData"], 404), (["reasonCode": "empty"], 200), (["status": 503], 503),
            ]
            for (action, status) in wanted {
                let match: JSONValue = ["operation": "attestationData"]
                try await bench.control("POST", "/faults", ["match": match, "action": action])
                #expect(try await exchange(bench, text).status == status)
            }
            try await bench.control("POST", "/faults", ["action": ["reasonCode": "other_app"]])
            let spoiled = try await renew(bench, phone.receipt)
            #expect(try fields(spoiled)[2]?.hasSuffix(".other") == true)
        }
    }

    @Test func `stand on the page, with their number`() async throws {
        try await withDeviceCheck { bench in
            let phone = try await Phone(bench)
            let form = [("accept", "text/html"), ("content-type", "application/x-www-form-urlencoded")]
            let pressed = try await bench.send("POST", "/_sim\(phone.path)/risk", Array("metric=41".utf8), fields: form)
            #expect(pressed.status == 303)
            let page = try await bench.send(
                "GET",
                "/_sim",
                fields: [("accept", "text/html"), ("accept-language", "en")]
            )
            #expect(String(decoding: page.body, as: UTF8.self).contains("production: <b>41</b>"))
            let cleared = try await bench.send("POST", "/_sim\(phone.path)/risk", Array("metric=".utf8), fields: form)
            #expect(cleared.status == 303)
            #expect(try await bench.control("GET", phone.path)["riskMetric"]?["production"] == 1)
        }
    }

    @Test func `belong to keys that sign requests as the server makes their text`() async throws {
        try await withDeviceCheck { bench in
            let phone = try await Phone(bench)
            let request: JSONValue = [
                "keyId": .string(phone.key), "target": "/app/v1/devices/claim", "body": "{}", "challenge": "abc",
            ]
            let made = try await bench.control("POST", phone.path + "/assertions", request)
            let object = try CBORValue(try #require(Base64.decode(made["assertion"]?.text ?? "")))
            let data = try #require(object["authenticatorData"]?.asBytes)
            let signature = try #require(ECDSASignature(der: object["signature"]?.asBytes ?? [], on: .p256))
            let body = SHA256.digest(of: Array("{}".utf8)).hexadecimal
            let text = "sallyport-assertion-1\nPOST\n/app/v1/devices/claim\n\(body)\nabc"
            let nonce = SHA256.digest(of: data + SHA256.digest(of: Array(text.utf8)).bytes)
            let leaf = try X509Certificate(der: try #require(AppAttestAuthority.leaf(ofReceipt: phone.receipt)))
            guard case .ecdsa(let key) = try PublicKey(certificate: leaf) else {
                throw CryptographyError(.invalidKey, "")
            }
            #expect(key.verify(signature.octets, of: nonce.bytes))
        }
    }
}
