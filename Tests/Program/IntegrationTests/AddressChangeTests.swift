import IntegrationKit
import StrictJSON
import Testing

/// A buyer who reviews an order in one window and chooses another address in a second one.
@Suite("An address that changes after the review", .tags(.database))
struct AddressChangeTests {
    @Test func `is not charged with the postage of the old one`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let old = try await shopper.toConfirm()
            #expect(old.text.contains("27,996") && old.text.contains("東京都"))
            try await shop.chooseElsewhere("okinawa", shopper.webviewSession, shopper.tab)
            let stale = try await shopper.tab.agree(old)
            #expect(stale.status == 409 && stale.error == "price_changed", "\(stale.text)")
            #expect(try shop.state(of: shopper.webviewSession) == "reviewed")
            let new = try await shopper.tab.browser.open("/confirm_order")
            #expect(new.text.contains("28,536") && new.text.contains("沖縄県"), "\(new.text)")
            // The old page still names the old sum.
            #expect(try await shopper.tab.agree(old).error == "price_changed")
            #expect(try await shop.effectiveCompletions() == 0)
            let answer = try await shopper.purchase(try ReturnFields(try await shopper.tab.agree(new)))
            #expect(answer.status == 200, "\(answer.text)")
            let completions = try await shop.control.calls("CompleteCheckoutSession").filter(\.isEffective)
            #expect(completions.map(\.amount) == ["28536"])
            let permission = try shop.value(
                "SELECT charge_permission FROM webview_session WHERE webview_session_id = $1",
                [shopper.webviewSession]
            )
            let address = try await shop.control.object(permission)["shippingAddress"]
            #expect(address?["stateOrRegion"]?.text == "沖縄県")
        }
    }

    @Test func `is the one that the merchant reads, also where postage is the same`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open()
            let tab = shop.tab()
            let old = try await tab.choose(try await tab.open(session.url))
            try await shop.chooseElsewhere("hokkaido", session.id, tab)
            #expect(try await tab.agree(old).error == "price_changed")
            let new = try await tab.browser.open("/confirm_order")
            #expect(new.text.contains("3,180") && new.text.contains("北海道"), "\(new.text)")
            let back = try #require(try await tab.agree(new).link("purchase_link"))
            let paid = try await merchant.complete(session, back)
            #expect(paid["buyer"]?["address"]?["stateOrRegion"]?.text == "北海道", "\(paid.text)")
            let read = try await merchant.get("/v1/sessions/\(session.id)/buyer")
            #expect(read["address"]?["stateOrRegion"]?.text == "北海道", "\(read.text)")
        }
    }
}

extension Shop {
    /// Has the buyer choose another address of the book in a second window, which does not come back.
    func chooseElsewhere(_ address: String, _ webviewSession: String, _ tab: SecureTab) async throws {
        let session = try value("SELECT order_ref FROM webview_session WHERE webview_session_id = $1", [webviewSession])
        let change = "/ap/select?amazonCheckoutSessionId=\(session)&changeAction=changeAddress"
        let page = try await tab.browser.open(simulator.url + change)
        var fields = try #require(page.form(to: "/ap/select")).fields
        fields.removeAll { $0.0 == "addressId" || $0.0 == "action" }
        fields += [("addressId", address), ("action", "continue")]
        let sent = try await tab.browser.request("POST", simulator.url + "/ap/select", form: fields)
        #expect(sent[field: "location"]?.contains("/confirm_order?") == true, "\(sent.text)")
    }
}
