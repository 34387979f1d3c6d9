import IntegrationKit
import Testing

/// T04, T05, T07 and T29 of docs/contract.md: the same request again, and requests that only look ahead.
@Suite struct `Repeating a step` {
    @Test func `ten purchases give the same bytes and one completion`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            let first = try await shopper.purchase(link)
            #expect(first.status == 200)
            for _ in 0..<9 {
                let again = try await shopper.purchase(link)
                #expect(again.status == 200)
                #expect(again.text == first.text)
            }
            #expect(try await shop.control.calls("CompleteCheckoutSession").count == 1)
            var other = link.form
            other[2].1 = "00000000-0000-4000-8000-000000000000"
            let swapped = try await shopper.app.fetch("/purchase", other)
            #expect(swapped.status == 422)
            #expect(swapped.error == "order_mismatch")
        }
    }

    @Test func `every page of the tab can be loaded five times`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let tab = shopper.tab.browser
            for _ in 0..<5 {
                let page = try await shopper.toButton()
                #expect(page.status == 200)
                #expect(page.webviewSession == shopper.webviewSession)
            }
            let confirm = try await shopper.tab.choose(try await tab.open("/button"))
            let ticket = confirm.form(to: "/confirm_order")?["secureWebviewSessionId"]
            for _ in 0..<5 {
                let page = try await tab.open("/confirm_order")
                #expect(page.form(to: "/confirm_order")?["secureWebviewSessionId"] == ticket)
            }
            let result = try await shopper.tab.agree(confirm)
            let link = result.link("purchase_link")
            #expect(link != nil)
            for _ in 0..<5 { #expect(try await tab.open("/checkout_result").link("purchase_link") == link) }
            let opens = try shop.trail(of: shopper.webviewSession).filter { $0 == "open opened" }
            #expect(opens.count == 1)
            #expect(try await shop.control.calls("CompleteCheckoutSession").isEmpty)
        }
    }

    @Test func `a button that is loaded again is signed once`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let first = try #require(try await shopper.toButton().form(to: "/checkout/start"))
            let again = try #require(try await shopper.tab.browser.open("/button").form(to: "/checkout/start"))
            // Each signature has a salt of its own.
            #expect(first["signature"] != nil && first["signature"] == again["signature"])
            let other = try #require(try await shop.shopper().toButton().form(to: "/checkout/start"))
            #expect(other["signature"] != first["signature"])
        }
    }

    static let lookAheads: [[(String, String)]] = [
        [("Sec-Purpose", "prefetch")], [("Sec-Purpose", "prefetch;prerender")],
        [("Sec-Purpose", "prefetch;anonymous-client-ip")], [("Purpose", "prefetch")], [("X-Moz", "prefetch")],
        [("X-Purpose", "preview")], [("Sec-Fetch-Dest", "image")], [("Sec-Fetch-Dest", "iframe")],
        [("Sec-Fetch-Dest", "empty"), ("Sec-Fetch-Mode", "cors")], [("Sec-Fetch-Mode", "no-cors")],
        [("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Purpose", "prefetch")],
    ]

    @Test func `a look ahead uses no ticket up`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            for fields in Self.lookAheads {
                let answer = try await shop.browser().request("GET", shopper.launchPath, fields: fields)
                #expect(answer.status == 503, "\(fields)")
                #expect(answer[field: "retry-after"] == "0")
                #expect(answer[field: "cache-control"] == "no-store")
                #expect(answer.all("set-cookie").isEmpty)
            }
            let head = try await shop.browser().request("HEAD", shopper.launchPath)
            #expect(head.status == 200)
            #expect(head.all("set-cookie").isEmpty)
            #expect(try shop.state(of: shopper.webviewSession) == "issued")
            #expect(try await shopper.toButton().status == 200)
        }
    }

    @Test func `asking for heads alone has no effect, with whatever tokens`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            _ = try await shopper.tab.browser.request("GET", shopper.launchPath)
            let tab = shopper.tab.browser
            let paths = [
                "/button", "/confirm_order", "/checkout_result", "/checkout_cancel", "/rescue", "/thanks",
                "/confirm_order?amazonCheckoutSessionId=x", shopper.launchPath,
            ]
            let opened = try shop.footprint()
            for path in paths {
                let head = try await tab.request("HEAD", path)
                #expect(head.status == 200 && head.all("set-cookie").isEmpty && head.webviewSession.isEmpty, "\(path)")
            }
            #expect(try shop.footprint() == opened, "the tab was not seen, and may be opened again")
            // The provider would say that this one is cancelled.
            let confirm = try await shopper.tab.choose(try await tab.open("/button"))
            _ = try await shopper.tab.agree(confirm)
            let session = try shop.value(
                "SELECT order_ref FROM webview_session WHERE webview_session_id = $1",
                [shopper.webviewSession]
            )
            let reads = try await shop.control.calls("GetCheckoutSession").count
            let placed = try shop.footprint()
            for path in paths + ["/checkout_result?amazonCheckoutSessionId=" + session] {
                #expect(try await tab.request("HEAD", path).status == 200, "\(path)")
            }
            #expect(try shop.footprint() == placed)
            #expect(try await shop.control.calls("GetCheckoutSession").count == reads)
        }
    }

    @Test func `an app that lost its memory buys with its jar, and not without`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            shopper.cart.forget()
            #expect(try await shopper.purchase(link).status == 200)
            let other = try await shop.shopper()
            let second = try await other.toReturn()
            other.cart.forget()
            other.app.forgetCookies()
            #expect(try await other.purchase(second).status == 403)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }
}
