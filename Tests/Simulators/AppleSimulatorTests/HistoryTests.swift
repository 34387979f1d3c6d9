import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Lists of the API")
struct HistoryTests {
    /// The ids of a page, and what leads to the next one.
    private func page(
        _ bench: StoreBench,
        _ path: String,
        store: String = "sandbox"
    ) async throws -> (ids: [String], revision: String, hasMore: Bool) {
        let answer = try await bench.call("GET", path, store: store)
        #expect(answer.status == 200, "\(path): \(answer.json)")
        var ids: [String] = []
        for text in answer.json["signedTransactions"]?.elements ?? [] {
            ids.append(try #require(ReadText(text.text ?? "").payload["transactionId"]?.text))
        }
        let revision = try #require(answer.json["revision"]?.text)
        return (ids, revision, answer.json["hasMore"]?.flag ?? false)
    }

    private func tickets(_ bench: StoreBench, _ count: Int) async throws -> [String] {
        var ids: [String] = []
        for _ in 0..<count { ids.append(try await bench.ticket()) }
        return ids
    }

    @Test func `have pages of twenty, and show once more what has changed between them`() async throws {
        try await withStore { bench in
            let ids = try await tickets(bench, 41)
            let path = "/v2/history/\(ids[7])?sort=ASCENDING&productType=CONSUMABLE"
            let first = try await page(bench, path)
            #expect(first.ids == Array(ids[..<20]))
            #expect(first.hasMore)
            try await bench.control("POST", "/purchases/\(ids[3])/refund")
            let second = try await page(bench, path + "&revision=" + first.revision)
            #expect(second.ids == Array(ids[20..<40]))
            let third = try await page(bench, path + "&revision=" + second.revision)
            #expect(third.ids == [ids[40], ids[3]])
            #expect(!third.hasMore)
            let nothing = try await page(bench, path + "&revision=" + third.revision)
            #expect(nothing.ids.isEmpty)
            #expect(nothing.revision == third.revision)
            let last = try await bench.ticket()
            #expect(try await page(bench, path + "&revision=" + third.revision).ids == [last])
        }
    }

    @Test func `begin with the latest where that is wanted`() async throws {
        try await withStore { bench in
            let ids = try await tickets(bench, 22)
            let path = "/v2/history/\(ids[0])?sort=DESCENDING"
            let first = try await page(bench, path)
            #expect(first.ids == Array(ids.reversed()[..<20]))
            #expect(try await page(bench, path + "&revision=" + first.revision).ids == [ids[1], ids[0]])
        }
    }

    @Test func `take a revision with the same filters and customer alone`() async throws {
        try await withStore { bench in
            let ids = try await tickets(bench, 2)
            let other = try await bench.ticket([("customer", "another")])
            let revision = try await page(bench, "/v2/history/\(ids[0])?sort=ASCENDING").revision
            #expect(try await page(bench, "/v2/history/\(ids[1])?revision=\(revision)&sort=ASCENDING").ids == [])
            for path in [
                "\(ids[0])?revision=\(revision)", "\(other)?sort=ASCENDING&revision=\(revision)",
                "\(ids[0])?sort=ASCENDING&revision=x", "\(ids[0])?sort=ASCENDING&revision=",
            ] {
                let answer = try await bench.call("GET", "/v2/history/" + path)
                #expect(answer.status == 400)
                #expect(answer.json["errorCode"] == 4_000_005, "\(path)")
            }
        }
    }

    @Test func `are filtered`() async throws {
        try await withStore { bench in
            let ticket = try await bench.ticket()
            let dear = try await bench.ticket([("product", "ticket.10")])
            let book = try await bench.ticket([("product", "book"), ("type", "Non-Consumable")])
            let shared = try await bench.ticket([("ownership", "FAMILY_SHARED"), ("product", "book.2")])
            let monthly = try await bench.ticket([
                ("product", "monthly"), ("type", "Auto-Renewable Subscription"), ("subscriptionGroup", "7"),
            ])
            try await bench.control("POST", "/purchases/\(dear)/refund")
            let date = try await bench.transaction(ticket)["purchaseDate"]?.integer ?? 0
            let expected: [String: [String]] = [
                "": [ticket, book, shared, monthly, dear], "productId=ticket.10": [dear],
                "productId=ticket.10&productId=book": [book, dear], "productType=NON_CONSUMABLE": [book],
                "productType=CONSUMABLE&revoked=false": [ticket, shared], "revoked=true": [dear],
                "revoked=True": [dear],
                "inAppOwnershipType=FAMILY_SHARED": [shared], "subscriptionGroupIdentifier=7": [monthly],
                "productId=ticket.1&productType=NON_CONSUMABLE": [], "endDate=\(date)": [],
                "startDate=\(date)&productId=ticket.1": [ticket], "startDate=\(date + 3_600_000)": [],
            ]
            for (query, ids) in expected {
                #expect(try await page(bench, "/v2/history/\(ticket)?\(query)").ids == ids, "\(query)")
            }
            let bad = [
                "startDate=x": 4_000_015, "endDate=-1": 4_000_016, "startDate=2&endDate=2": 4_000_013,
                "productType=TICKET": 4_000_022, "productId=": 4_000_023, "subscriptionGroupIdentifier=": 4_000_024,
                "inAppOwnershipType=MINE": 4_000_026, "sort=UP": 4_000_021, "revoked=1": 4_000_030,
            ]
            for (query, code) in bad {
                let answer = try await bench.call("GET", "/v2/history/\(ticket)?\(query)")
                #expect(answer.json["errorCode"] == JSONValue(code), "\(query)")
            }
        }
    }

    @Test func `of the old kind leave finished consumables out`() async throws {
        try await withStore { bench in
            let (one, other) = (try await bench.ticket(), try await bench.ticket())
            try await bench.control("POST", "/purchases/\(one)/finish")
            #expect(try await page(bench, "/v1/history/\(one)").ids == [other])
            #expect(try await page(bench, "/v2/history/\(one)").ids == [one, other])
        }
    }

    @Test func `of refunds begin with the earliest`() async throws {
        try await withStore { bench in
            let ids = try await tickets(bench, 24)
            for id in ids.reversed()[..<21] { try await bench.control("POST", "/purchases/\(id)/refund") }
            let first = try await page(bench, "/v2/refund/lookup/\(ids[0])")
            #expect(first.ids == Array(ids.reversed()[..<20]))
            #expect(first.hasMore)
            let second = try await page(bench, "/v2/refund/lookup/\(ids[0])?revision=\(first.revision)")
            #expect(second.ids == [ids[3]])
            #expect(!second.hasMore)
        }
    }

    @Test func `of an order are of production`() async throws {
        try await withStore { bench in
            let bought = try await bench.buy([("environment", "Production")])
            let order = try #require(bought["orderId"]?.text)
            let answer = try await bench.call("GET", "/v1/lookup/\(order)", store: "production")
            #expect(answer.json["status"] == 0)
            #expect(answer.json["signedTransactions"]?.elements.count == 1)
            #expect(try await bench.call("GET", "/v1/lookup/M0", store: "production").json == ["status": 1])
            #expect(try await bench.call("GET", "/v1/lookup/\(order)").status == 404)
        }
    }

    @Test func `of subscriptions have their latest period and its renewal`() async throws {
        try await withStore { bench in
            let id = try await bench.ticket([("product", "monthly"), ("type", "Auto-Renewable Subscription")])
            func last() async throws -> JSONValue {
                let answer = try await bench.call("GET", "/v1/subscriptions/\(id)")
                return try #require(answer.json["data"]?.elements.first?["lastTransactions"]?.elements.first)
            }
            #expect(try await last()["status"] == 1)
            try await bench.control("POST", "/purchases/\(id)/renew")
            let renewed = try await last()
            let period = try await bench.verified(try #require(renewed["signedTransactionInfo"]?.text))
            #expect(period["transactionReason"] == "RENEWAL")
            #expect(period["originalTransactionId"] == .string(id))
            #expect(period["transactionId"] != .string(id))
            let renewal = try await bench.verified(try #require(renewed["signedRenewalInfo"]?.text))
            #expect(renewal["autoRenewStatus"] == 1)
            try await bench.control("POST", "/purchases/\(id)/expire")
            let ended = try await last()
            #expect(ended["status"] == 2)
            let end = try await bench.verified(try #require(ended["signedRenewalInfo"]?.text))
            #expect(end["autoRenewStatus"] == 0)
            #expect(end["expirationIntent"] == 1)
            let none = try await bench.call("GET", "/v1/subscriptions/\(id)?status=1")
            #expect(none.json["data"]?.elements.first?["lastTransactions"] == [])
            #expect(try await bench.call("GET", "/v1/subscriptions/\(id)?status=6").json["errorCode"] == 4_000_031)
            let second = try #require(period["transactionId"]?.text)
            let token: JSONValue = ["appAccountToken": "7b9f3c52-0d0f-4b1f-9b57-0f4f8f1f6a01"]
            let answer = try await bench.call("PUT", "/v1/transactions/\(second)/appAccountToken", token)
            #expect(answer.json["errorCode"] == 4_000_187)
        }
    }
}
