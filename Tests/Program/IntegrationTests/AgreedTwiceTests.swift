import IntegrationKit
import StrictJSON
import Testing

/// What comes too late for the provider is no failure: the buyer goes on from where the order stands.
@Suite struct `Agreeing once more` {
    @Test(arguments: ["iosApp", "browser"])
    func `after the provider has finished leads to the same result`(client: String) async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper(client)
            let tab = shopper.tab
            let stale = try await shopper.toConfirm()
            let first = try ReturnFields(try await tab.agree(stale))
            for isReloaded in [true, false, true] {
                let confirm = isReloaded ? try await tab.browser.open("/confirm_order") : stale
                let again = try await tab.agree(confirm)
                #expect(again.status == 200 && again.hops.last == "/checkout_result")
                let fields = try ReturnFields(again)
                #expect(fields.link == first.link && fields.ticket == first.ticket)
                #expect(try shop.state(of: shopper.webviewSession) == "placed")
            }
            let back = try await tab.browser.open("/confirm_order?amazonCheckoutSessionId=\(first.order)")
            #expect(back.form(to: "/confirm_order") != nil)
            #expect(try shop.state(of: shopper.webviewSession) == "placed")
            #expect(try await shopper.purchase(first).status == 200)
            #expect(try await shop.effectiveCompletions() == 1)
            #expect(try shop.trail(of: shopper.webviewSession).allSatisfy { !$0.hasPrefix("unplace") })
        }
    }

    @Test func `while the provider cannot be asked leaves the link good`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let confirm = try await shopper.toConfirm()
            let link = try ReturnFields(try await shopper.tab.agree(confirm))
            try await shop.control.fault("UpdateCheckoutSession", ["status": 400, "reasonCode": "InvalidRequest"])
            let refused = try await shopper.tab.agree(confirm)
            #expect(refused.status == 503 && refused.error == "provider_failed")
            #expect(try shop.state(of: shopper.webviewSession) == "placed")
            #expect(try await shopper.purchase(link).status == 200)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `after the provider has given the session up says so`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let confirm = try await shopper.toConfirm()
            let link = try ReturnFields(try await shopper.tab.agree(confirm))
            try await shop.control.force("sessions/\(link.order)", "Canceled", "Expired")
            let again = try await shopper.tab.agree(confirm)
            #expect(again.status == 200 && again.error == "payment_declined")
            #expect(try shop.state(of: shopper.webviewSession) == "declined")
            #expect(try await shopper.purchase(link).status == 402)
        }
    }

    @Test func `to another sum than the provider holds leads to another payment, and never to a charge`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let confirm = try await shopper.toConfirm()
            let link = try ReturnFields(try await shopper.tab.agree(confirm))
            // As if the order had been priced anew in another window while the provider finished.
            try shop.rows(
                "UPDATE webview_session SET state = 'reviewed', total = total + 1 WHERE webview_session_id = $1",
                [shopper.webviewSession]
            )
            let changed = try await shopper.tab.browser.open("/confirm_order")
            let again = try await shopper.tab.agree(changed)
            #expect(again.status == 200 && again.error == "payment_declined")
            #expect(try shop.state(of: shopper.webviewSession) == "declined")
            #expect(try await shopper.purchase(link).status == 402)
            #expect(try await shop.effectiveCompletions() == 0)
        }
    }

    @Test func `at the same time, or beside the purchase, changes nothing`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let confirm = try await shopper.toConfirm()
            let form = try #require(confirm.form(to: "/confirm_order"))
            let tab = shopper.tab
            async let one = tab.browser.submit(form, on: confirm)
            async let other = tab.browser.submit(form, on: confirm)
            _ = try await (one, other)
            let link = try ReturnFields(try await tab.browser.open("/checkout_result"))
            #expect(try shop.state(of: shopper.webviewSession) == "placed")
            async let late = tab.browser.submit(form, on: confirm)
            async let purchase = shopper.purchase(link)
            let (page, paid) = try await (late, purchase)
            #expect(paid.status == 200 && [200, 403].contains(page.status))
            #expect(try shop.state(of: shopper.webviewSession) == "authorized")
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }
}
