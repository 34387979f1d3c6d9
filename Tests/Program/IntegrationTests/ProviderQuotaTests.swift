import HTTPClient
import IntegrationKit
import StrictJSON
import Testing

/// One buyer's tab against everybody else, under the limits of a live account that two processes share.
@Suite struct `The provider's limits` {
    private static let names = (0..<1000).map { index in
        let digits = String(index)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// Has the provider asked by the tab's review page, sixteen at a time.
    ///
    /// - Returns: The answers' statuses.
    private static func review(_ tab: TestBrowser, _ sessions: [String]) async throws -> [Int] {
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for worker in 0..<16 {
                group.addTask {
                    var statuses: [Int] = []
                    for index in stride(from: worker, to: sessions.count, by: 16) {
                        let path = "/confirm_order?amazonCheckoutSessionId=" + sessions[index]
                        let answer = try await tab.request("GET", path)
                        if answer.status == 429 {
                            #expect(answer.error == "rate_limited")
                            #expect((1...5).contains(answer[field: "retry-after"].flatMap { Int($0) } ?? 0))
                        }
                        statuses.append(answer.status)
                    }
                    return statuses
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    @Test(arguments: [ClientConfiguration.Version.http1, .http2])
    func `are not used up by a tab with a thousand reviews`(version: ClientConfiguration.Version) async throws {
        let settings = ["simulator.quota": "live", "provider.quota_processes": "2"]
        try await withShop(.over(version, settings, processes: 2)) { shop in
            // Somebody's purchase whose answer was lost.
            let lost = try await shop.shopper()
            let link = try await lost.toReturn()
            try await shop.control.fault("CompleteCheckoutSession", count: 3, ["status": 503])
            try await shop.control.fault("GetCheckoutSession", count: 3, ["status": 503])
            #expect(try await lost.purchase(link).status == 409)
            try await shop.control.clearFaults()
            try await shop.control.post("options", ["quota": "live"])

            let busy = try await shop.shopper()
            let confirm = try await busy.toConfirm()
            let own = try shop.value(
                "SELECT order_ref FROM webview_session WHERE webview_session_id = $1",
                [busy.webviewSession]
            )
            let before = try await shop.control.calls("GetCheckoutSession").count
            let sessions = Self.names.enumerated().map { $0 % 2 == 0 ? $1 : own }
            let begun = ContinuousClock.now
            async let reviews = Self.review(busy.tab.browser, sessions)

            let other = try await shop.shopper()
            let bought = try await other.purchase(try await other.toReturn())
            #expect(bought.status == 200, "\(bought.text)")
            let recovered = try await shop.purchaseAfterLease(lost, link)
            #expect(recovered.status == 200, "\(recovered.text)")

            let statuses = try await reviews
            #expect(statuses.count == 1000)
            #expect(Set(statuses).isSubset(of: [303, 422, 429]))
            // Five at once from each process and one every five seconds, and what the others need.
            let allowed = 2 * (6 + Int((ContinuousClock.now - begun).components.seconds) / 5)
            let asked = try await shop.control.calls("GetCheckoutSession").count - before
            #expect(asked < allowed + 40, "\(asked)")
            // Eight ask about the same session at once, and share an answer.
            #expect(statuses.count { $0 == 429 } >= 1000 - 8 * allowed)
            let throttled = try await shop.control.calls().filter { $0.status == 429 }
            #expect(throttled.isEmpty)
            #expect(try await shop.effectiveCompletions() == 2)
            // Whoever asked too often can still buy.
            #expect(try await busy.purchase(try ReturnFields(try await busy.tab.agree(confirm))).status == 200)
        }
    }

    @Test func `are asked once about a session that the account does not have`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            _ = try await shopper.toConfirm()
            let before = try await shop.control.calls("GetCheckoutSession").count
            for _ in 0..<20 {
                let path = "/confirm_order?amazonCheckoutSessionId=" + Self.names[0]
                let answer = try await shopper.tab.browser.request("GET", path)
                #expect(answer.status == 422)
                #expect(answer.error == "order_mismatch")
            }
            #expect(try await shop.control.calls("GetCheckoutSession").count == before + 1)
        }
    }

    @Test func `are asked once about a session that belongs to another tab`() async throws {
        try await withShop { shop in
            let owner = try await shop.shopper()
            let confirm = try await owner.toConfirm()
            let foreign = try shop.value(
                "SELECT order_ref FROM webview_session WHERE webview_session_id = $1",
                [owner.webviewSession]
            )
            let shopper = try await shop.shopper()
            _ = try await shopper.toButton()
            let before = try await shop.control.calls("GetCheckoutSession").count
            for _ in 0..<20 {
                let path = "/confirm_order?amazonCheckoutSessionId=" + foreign
                #expect(try await shopper.tab.browser.request("GET", path).error == "order_mismatch")
            }
            #expect(try await shop.control.calls("GetCheckoutSession").count == before + 1)
            // Its owner is not concerned.
            #expect(try await owner.purchase(try ReturnFields(try await owner.tab.agree(confirm))).status == 200)
        }
    }

    @Test func `are spared where the state answers by itself`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let tab = shopper.tab.browser
            let before = try await shop.control.calls("GetCheckoutSession").count
            // The order is placed with another session.
            let foreign = try await tab.request("GET", "/confirm_order?amazonCheckoutSessionId=" + Self.names[0])
            #expect(foreign.status == 422)
            #expect(foreign.error == "order_mismatch")
            #expect(try await shopper.purchase(link).status == 200)
            let over = try await tab.request("GET", "/confirm_order?amazonCheckoutSessionId=" + link.order)
            #expect(over.status == 403)
            #expect(try await shop.control.calls("GetCheckoutSession").count == before)
        }
    }

    @Test func `are spared by a result page that is loaded again and again`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            for _ in 0..<100 {
                let page = try await shopper.tab.browser.open("/checkout_result")
                #expect(page.link("purchase_link") == link.link)
            }
            #expect(try await shop.control.calls("GetCheckoutSession").count < 30)
            #expect(try await shopper.purchase(link).status == 200)
        }
    }

    @Test func `are spared by consents and purchases that come again and again`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let confirm = try await shopper.toConfirm()
            let form = try #require(confirm.form(to: "/confirm_order"))
            var statuses: [Int] = []
            for _ in 0..<100 {
                statuses.append(try await shopper.tab.browser.fetch("/confirm_order", form.fields).status)
            }
            #expect(Set(statuses) == [303, 429])
            #expect(statuses.prefix(5).allSatisfy { $0 == 303 })
            #expect(try await shop.control.calls("UpdateCheckoutSession").count < 30)

            let other = try await shop.shopper()
            let page = try await other.toConfirm()
            // Agreed, but the buyer has not been to the provider's last page.
            let agreement = try #require(page.form(to: "/confirm_order"))
            #expect(try await other.tab.browser.fetch("/confirm_order", agreement.fields).status == 303)
            let result = try ReturnFields(try await other.tab.browser.open("/checkout_result"))
            var errors: [String?] = []
            for _ in 0..<60 { errors.append(try await other.purchase(result).error) }
            #expect(Set(errors) == ["not_ready", "rate_limited"])
            #expect(errors.prefix(10).allSatisfy { $0 == "not_ready" })
            #expect(try await shop.control.calls("CompleteCheckoutSession").count < 40)
        }
    }
}
