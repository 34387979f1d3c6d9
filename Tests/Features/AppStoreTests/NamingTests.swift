import AppStoreTransactions
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppStore

@Suite struct `The account that Apple names in a purchase` {
    private static let production = [JSONMember("environment", "Production")]

    @Test func `is set for what was bought outside of the app, which is granted with it, once`() async throws {
        try await withSimulatedStore { bench in
            let client = try await Client.open(bench.shop)
            // One that names nobody, and one with a token of a server before this one.
            for token in [nil, UUIDBytes(high: 1, low: 2)] {
                let bought = try await bench.buy(token, Self.production)
                let before = try await bench.calls("setAppAccountToken")
                for _ in 0..<2 {
                    let named = try await client.name(bought.id)
                    #expect(named["accountId"]?.text == client.account.description, "\(named)")
                    #expect(named["appAccountToken"]?.text == (try await client.token()))
                    #expect(named["purchase"]?["units"]?.integer == 10)
                }
                // What Apple knows already it is not told again.
                #expect(try await bench.calls("setAppAccountToken") == before + 1)
            }
            #expect(try await bench.shop.balance(client.account, in: .production) == 20)
            #expect(try bench.shop.falseSums().isEmpty)
        }
    }

    @Test func `is told of the first purchase of a line, whichever is named`() async throws {
        try await withSimulatedStore { bench in
            let client = try await Client.open(bench.shop)
            let bought = try await bench.buy(
                nil,
                [
                    JSONMember("product", "premium"), JSONMember("type", "Auto-Renewable Subscription"),
                    JSONMember("subscriptionGroup", "group-1"), JSONMember("environment", "Production"),
                ]
            )
            try await bench.control("POST", "/purchases/\(bought.id)/renew", [:])
            let all = try await bench.control("GET", "/purchases")["purchases"]?.elements ?? []
            let renewal = all.first { one in
                one["originalTransactionId"]?.text == bought.id && one["transactionId"]?.text != bought.id
            }
            let id = try #require(renewal?["transactionId"]?.text)
            let named = try await client.name(id)
            #expect(named["transactionId"]?.text == id && named["originalTransactionId"]?.text == bought.id, "\(named)")
            let token = try await client.token()
            #expect(named["appAccountToken"]?.text == token)
            let first = try await bench.control("GET", "/purchases/\(bought.id)")
            #expect(first["appAccountToken"]?.text == token)
        }
    }

    @Test func `is never set for a purchase of another account, or of one that was erased`() async throws {
        try await withSimulatedStore { bench in
            let (client, other) = (try await Client.open(bench.shop), try await Client.open(bench.shop))
            let token = try await other.token()
            let meant = try await bench.buy(UUIDBytes(token), Self.production)
            let shown = try await bench.buy(nil, Self.production)
            #expect(await bench.shop.submit(shown.text, other.account).outcome == "granted")
            for id in [meant.id, shown.id] {
                #expect(try await client.name(id)["code"]?.text == "purchase_of_other_account")
            }
            _ = try await other.account(.delete, "")
            #expect(try await client.name(shown.id)["code"]?.text == "purchase_of_other_account")
            #expect(try await bench.calls("setAppAccountToken") == 0)
            #expect(try await bench.shop.balance(client.account, in: .production) == 0)
        }
    }

    @Test func `is none where Apple binds nobody, and the account has to be there`() async throws {
        try await withSimulatedStore { bench in
            let client = try await Client.open(bench.shop)
            for ownership in ["FAMILY_SHARED", "ASSIGNED"] {
                let more = Self.production + [JSONMember("ownership", .string(ownership))]
                let bought = try await bench.buy(nil, more)
                #expect(try await client.name(bought.id)["code"]?.text == "app_account_token_refused", "\(ownership)")
            }
            #expect(try await client.name("1")["code"]?.text == "transaction_unknown")
            let off = try await client.name("1", #"{"environment":"Xcode"}"#)
            #expect(off["code"]?.text == "environment_off")
            let bought = try await bench.buy(nil, Self.production)
            _ = try await client.account(.delete, "")
            #expect(try await client.name(bought.id)["code"]?.text == "not_found")
        }
    }

    /// The rows of Apple's table that this call can bring about.
    @Test func `is refused over the wire as the table says`() async throws {
        try await withSimulatedStore { bench in
            let client = try await Client.open(bench.shop)
            let bought = try await bench.buy(nil, Self.production)
            let rows: [(JSONValue, String)] = [
                (["reasonCode": "4000185"], "app_account_token_refused"),
                (["reasonCode": "4000187"], "app_account_token_refused"),
                (["reasonCode": "4000227"], "app_account_token_refused"),
                (["reasonCode": "4000008"], "transaction_unknown"), (["reasonCode": "4000183"], "transaction_unknown"),
                (["reasonCode": "4040005"], "transaction_unknown"), (["status": 401], "app_store_unavailable"),
                (["status": 403], "app_store_unavailable"), (["reasonCode": "4290000"], "app_store_unavailable"),
            ]
            for (action, code) in rows {
                try await bench.control("DELETE", "/faults")
                let match: JSONValue = ["operation": "setAppAccountToken", "count": 9]
                try await bench.control("POST", "/faults", ["match": match, "action": action])
                #expect(try await client.name(bought.id)["code"]?.text == code, "\(action)")
            }
            #expect(try bench.shop.admin.rows("SELECT count(*) FROM app_store_purchase") == [["0"]])
        }
    }
}

extension Client {
    /// The token that the app passes with purchases.
    fileprivate func token() async throws -> String {
        try #require(try await app(.get, "/customer")["appAccountToken"]?.text)
    }

    /// Has Apple name the account.
    fileprivate func name(_ transaction: String, _ json: String = "{}") async throws -> JSONValue {
        try await shop(.put, "/transactions/\(transaction)", json: json)
    }
}
