import IntegrationKit
import Testing

/// What a buyer agrees to is what the page has shown, in whichever window it stands.
@Suite("A page where the buyer agrees", .tags(.database))
struct ConsentTests {
    @Test func `counts for nothing once another address was reviewed, also where the sum is the same`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            _ = try await shopper.toConfirm()
            let old = try await shop.reviewElsewhere("okinawa", shopper)
            let new = try await shop.reviewElsewhere("hokkaido", shopper)
            #expect(old.text.contains("28,536") && new.text.contains("28,536"), "the total tells nothing")
            let stale = try await shopper.tab.agree(old)
            #expect(stale.status == 409 && stale.error == "price_changed", "\(stale.text)")
            #expect(try shop.state(of: shopper.webviewSession) == "reviewed")
            #expect(try await shop.control.calls("UpdateCheckoutSession").isEmpty)
            let answer = try await shopper.purchase(try ReturnFields(try await shopper.tab.agree(new)))
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test func `counts when the same was reviewed again, and when it names nothing`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let first = try await shopper.toConfirm()
            let session = try shop.value(
                "SELECT order_ref FROM webview_session WHERE webview_session_id = $1",
                [shopper.webviewSession]
            )
            let again = try await shopper.tab.browser.open("/confirm_order?amazonCheckoutSessionId=" + session)
            let form = try #require(first.form(to: "/confirm_order"))
            #expect(try #require(again.form(to: "/confirm_order")).action == form.action)
            // A form may be posted to the bare address.
            let bare = try await shopper.tab.browser.request("POST", "/confirm_order", form: form.fields)
            #expect(bare.status == 303, "\(bare.text)")
            let answer = try await shopper.purchase(try ReturnFields(try await shopper.tab.agree(first)))
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test func `is refused where its mark is none`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let fields = try #require(try await shopper.toConfirm().form(to: "/confirm_order")).fields
            for mark in ["x", String(repeating: "A", count: 44)] {
                let page = try await shopper.tab.browser.request("POST", "/confirm_order?shown=" + mark, form: fields)
                #expect(page.status == 400 && page.error == "invalid_request")
            }
            #expect(try shop.state(of: shopper.webviewSession) == "reviewed")
        }
    }
}

extension Shop {
    /// Has the buyer choose another address of the book, and come back.
    fileprivate func reviewElsewhere(_ address: String, _ shopper: Shopper) async throws -> Page {
        try await chooseElsewhere(address, shopper.webviewSession, shopper.tab)
        let session = try value(
            "SELECT order_ref FROM webview_session WHERE webview_session_id = $1",
            [shopper.webviewSession]
        )
        let page = try await shopper.tab.browser.open("/confirm_order?amazonCheckoutSessionId=" + session)
        #expect(page.status == 200, "\(page.text)")
        return page
    }
}
