import AppStoreTransactions
import Cryptography
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppStore

@Suite struct `Questions that go on to Apple's server` {
    @Test func `say what an order has and whose it is, and keep nothing`() async throws {
        try await withSimulatedStore { bench in
            let client = try await Client.open(bench.shop)
            let token = try await client.token()
            let production = [JSONMember("environment", "Production")]
            let mine = try await bench.buy(token, production)
            let order = try #require(try await bench.control("GET", "/purchases/\(mine.id)")["orderId"]?.text)
            let found = try await client.ask("/orders/\(order)")
            #expect(found["isKnown"] == true)
            let one = found["data"]?.elements.first
            #expect(one?["transactionId"]?.text == mine.id && one?["purchase"]?["transactionId"] == nil)
            #expect(one?["accountId"]?.text == client.account.description)
            #expect(try bench.shop.admin.rows("SELECT count(*) FROM app_store_purchase") == [["0"]])
            #expect(await bench.shop.submit(mine.text, client.account).outcome == "granted")
            let again = try await client.ask("/orders/\(order)")["data"]?.elements.first
            #expect(again?["purchase"]?["units"]?.integer == 10)
            #expect(try await client.ask("/orders/NOTHING")["isKnown"] == false)
        }
    }

    @Test func `find a transaction in any environment, and say where one is unknown`() async throws {
        try await withSimulatedStore { bench in
            let client = try await Client.open(bench.shop)
            let nameless = try await bench.buy(nil)
            let found = try await client.ask("/transactions/\(nameless.id)")
            #expect(found["environment"]?.text == "Sandbox" && found["accountId"]?.text == nil)
            #expect(found["productId"]?.text == "consumable.ticket.10")
            let unknown = try await client.ask("/transactions/\(nameless.id)?environment=Production")
            #expect(unknown["code"]?.text == "transaction_unknown")
            #expect(try await client.ask("/transactions/1?environment=Xcode")["code"]?.text == "environment_off")
        }
    }

    @Test func `say how the subscriptions of an account are`() async throws {
        try await withSimulatedStore { bench in
            let client = try await Client.open(bench.shop)
            let path = "/accounts/\(client.account)/subscriptions?environment=Sandbox"
            #expect(try await client.ask(path)["data"]?.elements.count == 0)
            let subscription = [
                JSONMember("product", "premium"), JSONMember("type", "Auto-Renewable Subscription"),
                JSONMember("subscriptionGroup", "group-1"),
            ]
            let bought = try await bench.buy(try await client.token(), subscription)
            #expect(await bench.shop.submit(bought.text, client.account).outcome == "granted")
            let active = try await client.ask(path)["data"]?.elements.first
            #expect(active?["status"]?.text == "active" && active?["renewal"]?["isRenewing"] == true)
            #expect(active?["transaction"]?["accountId"]?.text == client.account.description)
            try await bench.control("POST", "/purchases/\(bought.id)/expire", [:])
            #expect(try await client.ask(path)["data"]?.elements.first?["status"]?.text == "expired")
            let nobody = "/accounts/\(UUIDBytes(high: 1, low: 1))/subscriptions?environment=Sandbox"
            #expect(try await client.ask(nobody)["code"]?.text == "not_found")
        }
    }
}

@Suite struct `Receipts of the time before signed texts` {
    @Test func `are ids to ask Apple's server by, and prove nothing`() async throws {
        try await withSimulatedStore { bench in
            let client = try await Client.open(bench.shop)
            let mine = try await bench.buy(try await client.token())
            let nameless = try await bench.buy(nil)
            func hand(_ receipt: String) async throws -> JSONValue {
                try await client.app(.post, "/transactions", json: #"{"receipt":"\#(receipt)"}"#)
            }
            #expect(try await hand(Self.receipt(mine.id))["outcome"]?.text == "granted")
            #expect(try await hand(Self.receipt(mine.id))["outcome"]?.text == "duplicate")
            #expect(try await hand(Self.receipt(nameless.id))["code"]?.text == "signed_text_needed")
            #expect(try await hand(Self.receipt("1"))["code"]?.text == "transaction_unknown")
            #expect(try await hand("AAAA")["code"]?.text == "receipt_unreadable")
            let shown = #"{"receipt":"\#(Self.receipt(nameless.id))"}"#
            let shops = try await client.shop(.post, "/transactions", json: shown)
            #expect(shops["outcome"]?.text == "granted")
            let both = #"{"transactionId":"1","receipt":"AAAA"}"#
            #expect(try await client.app(.post, "/transactions", json: both)["code"]?.text == "invalid_request")
        }
    }

    /// As StoreKit gave it with a purchase until iOS 6.
    private static func receipt(_ id: String) -> String {
        let information = Base64.encode(Array(#"{ "transaction-id" = "\#(id)"; }"#.utf8))
        return Base64.encode(Array(#"{ "purchase-info" = "\#(information)"; }"#.utf8))
    }
}

extension Client {
    /// The token that the app passes with purchases.
    fileprivate func token() async throws -> UUIDBytes {
        let text = try await app(.get, "/customer")["appAccountToken"]?.text
        return try #require(text.flatMap { UUIDBytes($0) })
    }

    /// What the shop's program is answered below `/v1/app-store`.
    fileprivate func ask(_ path: String) async throws -> JSONValue {
        try JSONParser.parse(Array(try await program.ask(.get, "/v1/app-store" + path, key: key).body.utf8))
    }
}
