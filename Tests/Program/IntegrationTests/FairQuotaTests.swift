import HTTPClient
import IntegrationKit
import StrictJSON
import TestKit
import Testing

/// One client with as many sessions as it wants, under the limits of a live account.
@Suite("The provider's limits are shared", .tags(.database, .slow))
struct FairQuotaTests {
    /// A made-up checkout session.
    private static func id(_ index: Int) -> String {
        let digits = String(index)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    @Test(arguments: [false, true])
    func `by one client with 150 reviews in flight and a buyer who is served at once`(hasNetwork: Bool) async throws {
        let settings = ["simulator.quota": "live", "trusted_proxies": "127.0.0.1"]
        try await withShop(.over(.http1, settings)) { shop in
            try await shop.control.post("options", ["quota": "live"])
            var tabs: [TestBrowser] = []
            for _ in 0..<30 {
                let shopper = try await shop.shopper()
                #expect(try await shopper.toButton().status == 200)
                tabs.append(shopper.tab.browser)
            }
            let buyer = try await shop.shopper()
            let button = try await buyer.toButton()
            let before = try await shop.control.calls("GetCheckoutSession").count

            let many = tabs
            async let reviews = withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<150 {
                    let address = "203.0.113.\(hasNetwork ? index + 1 : 9)"
                    group.addTask {
                        let path = "/confirm_order?amazonCheckoutSessionId=" + Self.id(index)
                        let fields = [("X-Forwarded-For", address)]
                        return try await many[index % many.count].request("GET", path, fields: fields).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            // What may go out at once for buyers has nearly gone out, or is being kept for others.
            let patience = Patience()
            while try await shop.control.calls("GetCheckoutSession").count < before + 12, patience.isLeft {}
            let begun = try await shop.control.calls("GetCheckoutSession").count
            let page = try await buyer.tab.choose(button)
            #expect(page.form(to: "/confirm_order") != nil, "\(page.status)")

            let calls = try await shop.control.calls("GetCheckoutSession")
            let own = try #require(calls.firstIndex { !$0.session.hasPrefix("00000000-") })
            // Behind one that was being made, the few that may wait, and what went out until it came: a slow machine is slow to ask. With
            // nobody fair there it is behind them all.
            #expect(own - begun < 150 / 2, "\(own - begun)")
            let statuses = try await reviews
            #expect(Set(statuses) == [422, 429], "\(Set(statuses))")
            #expect(try await shop.control.calls().allSatisfy { $0.status != 429 })
        }
    }
}
