import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Purchases")
struct PurchaseTests {
    @Test func `of one environment are unknown in the other`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket([("environment", "Production")])
            #expect(try await bench.transaction(id, store: "production")["environment"] == "Production")
            let elsewhere = try await bench.call("GET", "/v1/transactions/\(id)")
            #expect(elsewhere.status == 404)
            #expect(elsewhere.json["errorCode"] == 4_040_010)
        }
    }

    @Test func `that wait for somebody are unknown until he agrees`() async throws {
        try await withStore { bench in
            let bought = try await bench.buy([("askToBuy", true)])
            let id = try #require(bought["transactionId"]?.text)
            #expect(bought["state"] == "pending")
            #expect(bought["signedTransaction"] == nil)
            #expect(try await bench.call("GET", "/v1/transactions/\(id)").status == 404)
            let approved = try await bench.control("POST", "/purchases/\(id)/approve")
            #expect(approved["signedTransaction"] != nil)
            #expect(try await bench.transaction(id)["transactionId"] == .string(id))
            let second = try await bench.send("POST", "/_sim/purchases/\(id)/approve")
            #expect(second.status == 409)
            let refused = try await bench.ticket([("askToBuy", true)])
            #expect(try await bench.control("POST", "/purchases/\(refused)/reject")["state"] == "rejected")
        }
    }

    @Test func `stay on the device until they are finished, by the app or by the server`() async throws {
        try await withStore { bench in
            let (one, other) = (try await bench.ticket(), try await bench.ticket())
            func unfinished() async throws -> [String] {
                let device = try await bench.control("GET", "/device")
                return (device["unfinished"]?.elements ?? []).compactMap { $0["transactionId"]?.text }
            }
            #expect(try await unfinished() == [one, other])
            try await bench.control("POST", "/purchases/\(one)/finish")
            #expect(try await unfinished() == [other])
            let answer = try await bench.call("POST", "/v1/transactions/\(other)/finish")
            #expect(answer.status == 200)
            #expect(answer.json == .null)
            #expect(try await unfinished() == [])
            #expect(try await bench.call("POST", "/v1/transactions/\(other)/finish").status == 200)
            #expect(try await bench.transaction(one)["transactionId"] == .string(one))
        }
    }

    @Test func `that are refunded say so, in full or in part, until that is reversed`() async throws {
        try await withStore { bench in
            let (full, part) = (try await bench.ticket(), try await bench.ticket())
            try await bench.control("POST", "/purchases/\(full)/refund", ["reason": 1])
            try await bench.control("POST", "/purchases/\(part)/refund", ["percentage": 40_000])
            let one = try await bench.transaction(full)
            #expect(one["revocationType"] == "REFUND_FULL")
            #expect(one["revocationReason"] == 1)
            #expect(one["revocationPercentage"] == 100_000)
            #expect(one["revocationDate"] != nil)
            let other = try await bench.transaction(part)
            #expect(other["revocationType"] == "REFUND_PRORATED")
            #expect(other["revocationPercentage"] == 40_000)
            #expect(try await bench.send("POST", "/_sim/purchases/\(full)/refund").status == 409)
            try await bench.control("POST", "/purchases/\(full)/reverse-refund")
            #expect(try await bench.transaction(full)["revocationDate"] == nil)
        }
    }

    @Test func `are refused where they make no sense`() async throws {
        try await withStore { bench in
            let bodies: [JSONValue] = [
                [:], ["product": ""], ["product": "a", "quantity": 0], ["product": "a", "quantity": 11],
                ["product": "a", "appAccountToken": "x"], ["product": "a", "environment": "Moon"],
                ["product": "a", "price": -1], ["product": "a", "unknown": 1], ["product": "a b"],
            ]
            for body in bodies {
                let answer = try await bench.send("POST", "/_sim/purchases", body.bytes)
                #expect(answer.status == 400, "\(body)")
            }
            #expect(try await bench.send("GET", "/_sim/purchases/nothing").status == 404)
            #expect(try await bench.send("POST", "/_sim/purchases/nothing/refund").status == 404)
            #expect(try await bench.control("GET", "/purchases")["purchases"] == [])
        }
    }

    @Test func `have ids that are checked`() async throws {
        try await withStore { bench in
            let bought = try await bench.buy()
            let app = try await bench.transaction(try #require(bought["transactionId"]?.text))["appTransactionId"]
            let expected = [
                "abc": 4_000_006, "12%2034": 4_000_006, "999": 4_040_010, app?.text ?? "": 4_000_048,
            ]
            for (id, code) in expected {
                #expect(try await bench.call("GET", "/v1/transactions/\(id)").json["errorCode"] == JSONValue(code))
            }
            let info = try await bench.call("GET", "/v1/transactions/appTransactions/\(app?.text ?? "")")
            let text = try await bench.verified(try #require(info.json["signedAppTransactionInfo"]?.text))
            #expect(text["appTransactionId"] == app)
            #expect(try await bench.call("GET", "/v1/nothing/1").status == 404)
        }
    }
}
