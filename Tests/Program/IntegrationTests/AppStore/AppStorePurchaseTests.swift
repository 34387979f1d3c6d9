import HTTPClient
import IntegrationKit
import StrictJSON
import Testing

@Suite("Purchases in the App Store", .tags(.database, .slow), .serialized)
struct AppStorePurchaseTests {
    @Test func `are granted once, however often, where and over which HTTP they are handed in at once`() async throws {
        try await withPurchaseShop(processes: 2) { shop in
            let buyer = try await shop.open("customer-1")
            // Nobody but the app tells of it: the notification comes later.
            try await shop.apple.control("POST", "notifications/options", ["holds": true])
            let bought = try await shop.apple.buy(.ten, quantity: 3, token: buyer.customer)
            let outcomes = try await inParallel(shop.reactor, Array(0..<64)) { number in
                // Two in turn go to each server.
                try await shop.submit(bought, for: buyer, over: number / 2 % 2 == 0 ? .http1 : .http2)
            }
            #expect(outcomes.count { $0 == "granted" } == 1)
            #expect(outcomes.count { $0 == "duplicate" } == 63)
            #expect(try await shop.balance(buyer) == 30)
            // Both servers had some of them.
            for server in shop.servers { #expect(try await shop.duplicates(at: server) > 0) }
            try await shop.apple.control("POST", "notifications/1/send")
            try await shop.told(1)
            #expect(try shop.outcomes() == ["ONE_TIME_CHARGE": "duplicate"])
            #expect(try await shop.balance(buyer) == 30)
            #expect(try shop.contradictions().isEmpty)
        }
    }

    @Test func `are granted once when Apple tells both servers at once, twice and again later`() async throws {
        try await withPurchaseShop(processes: 2) { shop in
            let buyer = try await shop.open("customer-1")
            try await shop.apple.control("POST", "notifications/options", ["duplicates": 15])
            let bought = try await shop.apple.buy(.one, quantity: 2, token: buyer.customer)
            try await shop.told(16)
            try await shop.apple.change(bought, "refund")
            try await shop.told(32)
            try await shop.apple.change(bought, "reverse-refund")
            try await shop.told(48)
            // The first once more, long after what it says is no longer so.
            try await shop.apple.control("POST", "notifications/2/send")
            try await shop.told(64)
            #expect(shop.ways.delivered == Array(repeating: 200, count: 64))
            #expect(try await shop.balance(buyer) == 2)
            let entries = try shop.shop.rows("SELECT kind, units FROM app_store_entry ORDER BY sequence")
            #expect(entries == [["purchase", "2"], ["refund", "-2"], ["reversal", "2"]])
            #expect(try shop.shop.value("SELECT count(*) FROM app_store_notification") == "3")
            #expect(try shop.contradictions().isEmpty)
        }
    }

    @Test func `follow the newest text when notifications come in reverse order`() async throws {
        try await withPurchaseShop { shop in
            let buyer = try await shop.open("customer-1")
            try await shop.apple.control("POST", "notifications/options", ["holds": true])
            let bought = try await shop.apple.buy(.ten, token: buyer.customer)
            #expect(try await shop.submit(bought, for: buyer) == "granted")
            try await shop.apple.change(bought, "refund", ["percentage": 25_000])
            try await shop.apple.change(bought, "reverse-refund")
            try await shop.apple.change(bought, "refund", ["percentage": 40_000])
            for (count, number) in [4, 3, 2, 1].enumerated() {
                try await shop.apple.control("POST", "notifications/\(number)/send")
                try await shop.told(count + 1)
                #expect(try await shop.balance(buyer) == 6, "\(number)")
            }
            #expect(try shop.contradictions().isEmpty)
        }
    }

    @Test func `are not touched by notifications that Apple has not signed, or that are not for this app`() async throws
    {
        try await withPurchaseShop { shop in
            let buyer = try await shop.open("customer-1")
            let bought = try await shop.apple.buy(.ten, token: buyer.customer)
            try await shop.told(1)
            let refund: [JSONMember] = [.init("type", "REFUND"), .init("transactionId", .string(bought.id))]
            // Once it is refunded for Apple, every text inside says so.
            try await shop.apple.control("POST", "notifications/options", ["holds": true])
            try await shop.apple.change(bought, "refund")
            try await shop.apple.control("POST", "notifications/options", ["holds": false])
            func send(_ more: JSONMember...) async throws -> Int? {
                let count = shop.ways.delivered.count
                try await shop.apple.control("POST", "notifications", .object(refund + more))
                try await shop.told(count + 1)
                return shop.ways.delivered.last ?? nil
            }
            #expect(try await send(.init("foreignSignature", true)) == 400)
            #expect(try await send(.init("foreignTransaction", true)) == 200)
            for change in ["certificates", "bundleId", "environment"] {
                let value: JSONValue = ["certificates": "unmarked", "bundleId": "com.example.other"][change] ?? "Xcode"
                try await shop.apple.control("POST", "texts", .object([JSONMember(change, value)]))
                #expect(try await send() == (change == "certificates" ? 400 : 200), "\(change)")
                let usual: JSONValue = change == "certificates" ? "good" : ""
                try await shop.apple.control("POST", "texts", .object([JSONMember(change, usual)]))
            }
            try await shop.apple.control("POST", "texts", ["spoilsSignatures": true])
            #expect(try await send() == 400)
            try await shop.apple.control("POST", "texts", ["spoilsSignatures": false])
            #expect(try await shop.balance(buyer) == 10)
            #expect(try shop.outcomes() == ["ONE_TIME_CHARGE": "granted", "REFUND": "refused"])
            // The real one, for all that was sent before it.
            #expect(try await send() == 200)
            #expect(try await shop.balance(buyer) == 0)
        }
    }

    @Test func `are followed by types that nobody knows yet, which are kept`() async throws {
        try await withPurchaseShop { shop in
            let buyer = try await shop.open("customer-1")
            try await shop.apple.control(
                "POST",
                "notifications",
                ["type": "SOMETHING_NEW", "subtype": "AND_MORE", "environment": "Sandbox"]
            )
            try await shop.told(1)
            let bought = try await shop.apple.buy(token: buyer.customer)
            try await shop.apple.control(
                "POST",
                "notifications",
                ["type": "SOMETHING_ELSE", "transactionId": .string(bought.id)]
            )
            try await shop.told(3)
            #expect(shop.ways.delivered == [200, 200, 200])
            let kept = try shop.outcomes()
            #expect(kept["SOMETHING_NEW"] == "none" && kept["SOMETHING_ELSE"] != nil)
            #expect(try await shop.balance(buyer) == 1)
        }
    }
}

extension PurchaseShop {
    /// How many submissions a server has found granted before.
    fileprivate func duplicates(at server: ServerProcess) async throws -> Int {
        let metric = #"sallyport_app_store_purchases_total{outcome="duplicate"} "#
        let text = try await shop.http.send("GET", server.adminURL + "/metrics").text
        let line = text.split(separator: "\n").first { $0.hasPrefix(metric) }
        return line.flatMap { Int($0.dropFirst(metric.utf8.count)) } ?? 0
    }

    /// Waits until so many notifications have come, since the beginning of the test.
    func told(_ count: Int) async throws {
        try await poll(reactor, "\(count) notifications") { self.ways.delivered.count >= count ? () : nil }
    }
}
