import Cryptography
import HTTPCore
import JOSE
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Signed texts")
struct TextTests {
    @Test func `carry three certificates under the root at the control interface`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket([("quantity", 2), ("price", 320_000)])
            let transaction = try await bench.transaction(id)
            #expect(transaction["transactionId"] == .string(id))
            #expect(transaction["originalTransactionId"] == .string(id))
            #expect(transaction["bundleId"] == .string(StoreBench.bundle))
            #expect(transaction["productId"] == "ticket.1")
            #expect(transaction["type"] == "Consumable")
            #expect(transaction["quantity"] == 2)
            #expect(transaction["price"] == 320_000)
            #expect(transaction["environment"] == "Sandbox")
            #expect(transaction["inAppOwnershipType"] == "PURCHASED")
            #expect(transaction["deviceVerification"] == nil)
            let pem = try await bench.send("GET", "/_sim/authority/root.pem").body
            let der = try await bench.send("GET", "/_sim/authority/root.der").body
            #expect(try X509Certificate(pem).der == der)
            #expect(try X509Certificate(der).subjectTexts("2.5.4.3") == ["Sallyport Test Root CA - G3"])
        }
    }

    @Test func `are taken by the program's own verifier, until they have a flaw`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            let root = try X509Certificate(try await bench.send("GET", "/_sim/authority/root.der").body)
            func isTaken() async throws -> Bool {
                let answer = try await bench.call("GET", "/v1/transactions/\(id)")
                let text = try CompactJWS(try #require(answer.json["signedTransactionInfo"]?.text))
                let verifier = CertificatePathVerifier(roots: [root], purpose: .appStore)
                let time = WallTime(seconds: Int64((text.payload["signedDate"]?.integer ?? 0) / 1_000))
                guard let path = try? verifier.verify(text.header.certificates ?? [], at: time) else { return false }
                return (try? text.verify(with: path.key, allowing: [.es256])) != nil
            }
            #expect(try await isTaken())
            for flaw in AppStoreAuthority.Flaw.allCases {
                try await bench.control("POST", "/texts", ["certificates": .string(flaw.rawValue)])
                #expect(try await !isTaken(), "\(flaw)")
            }
            try await bench.control("POST", "/texts", ["certificates": "good", "spoilsSignatures": true])
            #expect(try await !isTaken())
        }
    }

    @Test func `of the device are bound to it`() async throws {
        try await withStore { bench in
            let bought = try await bench.buy()
            let device = try await bench.control("GET", "/device?customer=customer-1&environment=Sandbox")
            let id = try #require(device["deviceVerificationId"]?.text)
            let text = try await bench.verified(try #require(bought["signedTransaction"]?.text))
            let nonce = try #require(text["deviceVerificationNonce"]?.text)
            let digest = Base64.encode(DigestAlgorithm.sha384.digest(of: Array((nonce + id).utf8)))
            #expect(text["deviceVerification"] == .string(digest))
            let app = try await bench.verified(try #require(device["signedAppTransaction"]?.text))
            #expect(app["receiptType"] == "Sandbox")
            #expect(app["appTransactionId"] == text["appTransactionId"])
        }
    }

    @Test func `are bound to the device by the rule of the vectors`() throws {
        let vectors = try StoreBench.vectors("device-verification")
        var checked = 0
        for one in vectors["cases"]?.elements ?? [] where one["verdict"] == "match" {
            let nonce = try #require(one["nonce"]?.text).lowercased()
            let id = try #require(one["deviceVerificationId"]?.text).lowercased()
            #expect(DeviceMark(nonce: nonce, deviceID: id).members.first?.value == one["deviceVerification"], "\(one)")
            checked += 1
        }
        #expect(checked > 0)
    }

    @Test func `are signed afresh at the simulated time, also by new certificates`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            let first = try await bench.transaction(id)["signedDate"]?.integer ?? 0
            let before = try await bench.control("GET", "/authority")
            try await bench.control("POST", "/clock", ["advance": "P400D"])
            let second = try await bench.transaction(id)["signedDate"]?.integer ?? 0
            #expect(second - first >= 400 * 86_400_000)
            let after = try await bench.control("GET", "/authority")
            #expect(before["leaf"] != after["leaf"])
            #expect(before["root"] == after["root"])
            try await bench.control("POST", "/authority", ["rotate": "leaf"])
            let rotated = try await bench.control("GET", "/authority")
            #expect(rotated["leaf"] != after["leaf"])
            #expect(rotated["intermediate"] == after["intermediate"])
            try await bench.control("POST", "/authority", ["rotate": "intermediate"])
            #expect(try await bench.control("GET", "/authority")["intermediate"] != after["intermediate"])
            _ = try await bench.transaction(id)
        }
    }

    @Test func `have the flaw that a tester wants, and no other`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket()
            let root = try await bench.send("GET", "/_sim/authority/root.der").body
            func read() async throws -> ReadText {
                let answer = try await bench.call("GET", "/v1/transactions/\(id)")
                return try ReadText(try #require(answer.json["signedTransactionInfo"]?.text))
            }
            let expected = [
                "expired": ["time"], "unmarked": ["leaf mark"], "unmarkedIntermediate": ["mark"],
                "foreign": ["intermediate"], "good": [],
            ]
            for (flaw, complaints) in expected {
                try await bench.control("POST", "/texts", ["certificates": .string(flaw)])
                let text = try await read()
                #expect(try text.complaints(root: root) == complaints, "\(flaw)")
                #expect(try text.isSigned)
            }
            try await bench.control("POST", "/texts", ["certificates": "good", "spoilsSignatures": true])
            #expect(try await read().isSigned == false)
            try await bench.control(
                "POST",
                "/texts",
                ["spoilsSignatures": false, "bundleId": "com.example.other", "environment": "Production"]
            )
            let other = try await read()
            #expect(other.payload["bundleId"] == "com.example.other")
            #expect(other.payload["environment"] == "Production")
            try await bench.control("POST", "/texts", ["bundleId": "", "environment": "", "padding": 2_000_000])
            #expect(try await read().payload["padding"]?.text?.utf8.count == 2_000_000)
        }
    }

    @Test func `of Xcode have a certificate that signs itself, a key's name and fractions`() async throws {
        try await withStore { bench in
            let bought = try await bench.buy([("environment", "Xcode")])
            let text = try ReadText(try #require(bought["signedTransaction"]?.text))
            #expect(text.chain.count == 1)
            #expect(text.header.keyID == "Apple_Xcode_Key")
            #expect(text.payload["environment"] == "Xcode")
            #expect(text.payload["transactionId"] == "0")
            guard case .number(let date)? = text.payload["purchaseDate"] else {
                Issue.record("no date")
                return
            }
            #expect(date.contains("."))
            #expect(try text.isSigned)
        }
    }
}
