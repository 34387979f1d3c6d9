import IntegrationKit
import StrictJSON
import Testing

/// Who bought and where to, after the answer that said so has got lost.
@Suite("The buyer of a session", .tags(.database))
struct BuyerTests {
    /// Where the work on a purchase ends, as in the table of crashes.
    enum Moment: String, CaseIterable, Sendable {
        /// The purchase is written down, the provider has heard nothing.
        case begun
        /// The provider has carried it out, and the answer is lost.
        case sent
        /// The provider has answered, and nothing of it is stored.
        case answered
        /// All is stored, and the merchant does not get the answer.
        case settled
    }

    private var options: ShopOptions {
        var options = ShopOptions.merchants()
        options.jobPause = .milliseconds(2)
        return options
    }

    /// A buyer who has agreed and is back.
    private func returned(_ shop: Shop, _ merchant: MerchantClient) async throws -> (OpenSession, String) {
        let session = try await merchant.open()
        return (session, try #require(try await shop.tab().cross(session.url).link("purchase_link")))
    }

    private func expectAddress(_ reply: MerchantReply) {
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply["name"]?.text == "見本 太郎", "\(reply.text)")
        #expect(reply["email"]?.text == "tokyo@example.test")
        #expect(reply["id"]?.text?.hasPrefix("amzn1.account.") == true)
        #expect(reply["address"]?["stateOrRegion"]?.text == "東京都")
        #expect(reply["address"]?["postalCode"]?.text == "153-0064")
    }

    @Test(arguments: Moment.allCases)
    func `is read at the provider, wherever the work on the purchase ended`(at moment: Moment) async throws {
        try await withShop(options) { shop in
            let merchant = try await shop.merchant()
            let (session, back) = try await returned(shop, merchant)
            let path = "/v1/sessions/\(session.id)/buyer"
            switch moment {
            case .begun, .sent:
                let fault: JSONValue = moment == .begun ? ["resetBefore": true] : ["resetAfter": true]
                try await shop.control.fault("CompleteCheckoutSession", count: 100, fault)
                try await shop.control.fault("GetCheckoutSession", count: 10_000, ["status": 403])
                let under = try await merchant.complete(session, back)
                #expect(under.status == 202 && under["state"]?.text == "paying", "\(under.text)")
                let early = try await merchant.get(path)
                #expect(early.status == 503 && early.code == "provider_failed", "\(early.text)")
                #expect(early.page[field: "retry-after"] != nil)
                try await shop.control.clearFaults()
            case .answered:
                try shop.refuse(updatesOf: "webview_session", where: "NEW.state = 'authorized'")
                #expect(try await merchant.complete(session, back).status >= 500)
            case .settled:
                #expect(try await merchant.complete(session, back).status == 200)
            }
            let found = try await merchant.get(path)
            if moment == .begun, found.status != 200 {
                #expect(found.status == 409 && found.code == "purchase_in_progress", "\(found.text)")
            } else {
                expectAddress(found)
            }
            if moment == .answered { try shop.rows("DROP TRIGGER refuse ON webview_session") }
            if moment != .settled { try shop.endLease(of: session.id) }
            try shop.rows("UPDATE webview_session_purchase SET next_at = now()")
            try await shop.wait(for: "the end of the purchase") { try shop.state(of: session.id) == "authorized" }
            // The receipt shows nobody any more.
            try await TimeTravel(shop).advance(by: .seconds(1_200))
            let again = try await merchant.complete(session, back)
            #expect(again["state"]?.text == "paid" && again["buyer"] == nil, "\(again.text)")
            expectAddress(try await merchant.get(path))
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `is read for thirty days, whatever became of the money`() async throws {
        try await withShop(options) { shop in
            let merchant = try await shop.merchant()
            let (session, back) = try await returned(shop, merchant)
            let paid = try await merchant.complete(session, back)
            let charge = try #require(paid["charges"]?.elements.first?["id"]?.text)
            let path = "/v1/sessions/\(session.id)/buyer"
            #expect(try await merchant.post("/v1/charges/\(charge)/cancel", [:]).status == 200)
            #expect(try await merchant.get("/v1/sessions/\(session.id)")["state"]?.text == "canceled")
            try await shop.control.advanceClock(by: "PT719H")
            expectAddress(try await merchant.get(path))
            try await shop.control.advanceClock(by: "PT2H")
            let late = try await merchant.get(path)
            #expect(late.status == 410 && late.code == "buyer_unavailable", "\(late.text)")
            try await shop.control.reset()
            let gone = try await merchant.get(path)
            #expect(gone.status == 410 && gone.code == "buyer_unavailable", "\(gone.text)")
        }
    }

    @Test func `is told to nobody before the session is paid`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let (session, _) = try await returned(shop, merchant)
            let path = "/v1/sessions/\(session.id)"
            let calls = try await shop.control.calls().count
            let early = try await merchant.get(path + "/buyer")
            #expect(early.status == 409 && early.code == "not_ready", "\(early.text)")
            #expect(try await merchant.post(path + "/cancel", [:]).status == 200)
            let over = try await merchant.get(path + "/buyer")
            #expect(over.status == 410 && over.code == "session_over", "\(over.text)")
            let unknown = try await merchant.get("/v1/sessions/00000000-0000-4000-8000-000000000000/buyer")
            #expect(unknown.status == 404)
            #expect(try await shop.control.calls().count == calls)
        }
    }

    @Test func `is told to keys with a scope of its own`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let (session, back) = try await returned(shop, merchant)
            #expect(try await merchant.complete(session, back).status == 200)
            let path = "/v1/sessions/\(session.id)/buyer"
            let others = try await shop.merchant("sessions:read,sessions:write,payments:write,refunds:write")
            let refused = try await others.get(path)
            #expect(refused.status == 403 && refused.code == "scope_missing", "\(refused.text)")
            expectAddress(try await shop.merchant("buyers:read").get(path))
        }
    }

    @Test func `costs a session no more than its part of the provider's limits`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let (session, back) = try await returned(shop, merchant)
            #expect(try await merchant.complete(session, back).status == 200)
            let path = "/v1/sessions/\(session.id)/buyer"
            var limited: MerchantReply?
            // One comes back every five seconds, so no machine is too slow to run into it.
            for _ in 0..<500 where limited == nil {
                let reply = try await merchant.get(path)
                if reply.status != 200 { limited = reply }
            }
            #expect(limited?.status == 429 && limited?.code == "rate_limited", "\(limited?.text ?? "never")")
            #expect(limited?.page[field: "retry-after"] != nil)
        }
    }

    @Test func `waits for the account's limits no longer than it makes sense`() async throws {
        try await withShop(.merchants(["provider.quota.get_permission": "1/0.001"])) { shop in
            let merchant = try await shop.merchant()
            let (session, back) = try await returned(shop, merchant)
            #expect(try await merchant.complete(session, back).status == 200)
            let path = "/v1/sessions/\(session.id)/buyer"
            expectAddress(try await merchant.get(path))
            let refused = try await merchant.get(path)
            #expect(refused.status == 503 && refused.code == "provider_failed", "\(refused.text)")
            #expect(refused.page[field: "retry-after"] != nil)
        }
    }
}
