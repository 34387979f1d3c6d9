import EventIO
import IntegrationKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// The database or Amazon is away: documented answers at once, and a purchase neither lost nor doubled.
@Suite struct `While the database is away` {
    @Test func `requests that need it get 503 at once, and all goes on when it is back`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            try shop.takeDatabaseAway()
            let cart = [("client", "iosApp"), ("hd8", "1"), ("hd10", "1")]
            let clock = ContinuousClock()
            for _ in 0..<3 {
                let start = clock.now
                let answers = [
                    try await shopper.app.fetch("/secureWebviewSession", cart), try await shopper.purchase(link),
                    try await shopper.tab.browser.open("/button?secureWebviewSessionId=" + link.ticket),
                    try await shopper.tab.browser.open("/checkout_result"),
                    try await shopper.app.open("/thanks?secureWebviewSessionId=" + link.ticket),
                ]
                #expect(clock.now - start < .seconds(20))
                for answer in answers {
                    #expect(answer.status == 503, "\(answer.url.text)")
                    #expect(answer.error == "unavailable")
                    #expect(answer[field: "retry-after"] == "5")
                    // Some of these are made at the start and refused before their handler; they look like all others.
                    #expect(answer[field: "strict-transport-security"] != nil)
                    #expect(answer[field: "content-security-policy"]?.contains("default-src 'none'") == true)
                    #expect(answer[field: "cache-control"] == "no-store")
                }
            }
            #expect(try await shopper.app.open("/iosApp/cart").status == 200)
            #expect(try await shopper.app.request("GET", shop.admin + "/healthz").status == 200)
            #expect(try await shopper.app.request("GET", shop.admin + "/readyz").status == 503)
            try shop.bringDatabaseBack()
            try await withDeadline {
                while try await shopper.app.request("GET", shop.admin + "/readyz").status != 200 {}
            }
            #expect(try await shopper.purchase(link).status == 200)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }
}

@Suite struct `While Amazon is away` {
    /// Whether some end on this machine still takes a connection to a port for an open one, by the kernel's table.
    private func isConnected(to port: UInt16) throws -> Bool {
        let suffix = ":" + String(UInt32(port) + 0x1_0000, radix: 16, uppercase: true).dropFirst()
        let table = String(decoding: try Files.read("/proc/net/tcp"), as: UTF8.self)
        return table.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[2].hasSuffix(suffix) && fields[3] == "01"
        }
    }

    @Test func `a purchase is given back, and can be tried again`() async throws {
        var options = ShopOptions()
        // Where it was nobody else may answer.
        options.simulatorPort = try freePort()
        try await withShop(options) { [options] shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            await shop.simulator.stop()
            // On a loaded machine the kernel tells the broker a moment later; what is sent until then may have arrived.
            try await withDeadline {
                while try isConnected(to: options.simulatorPort) { await Task.yield() }
            }
            let answer = try await shopper.purchase(link)
            #expect(answer.status == 503)
            #expect(answer.error == "provider_failed")
            #expect(answer[field: "retry-after"] != nil)
            #expect(try shop.state(of: shopper.webviewSession) == "placed")
        }
    }

    @Test func `review and order can be repeated`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let button = try await shopper.toButton()
            try await shop.control.fault("GetCheckoutSession", count: 10, ["status": 500])
            let failed = try await shopper.tab.choose(button)
            #expect(failed.status == 503)
            #expect(failed.error == "provider_failed")
            #expect(try shop.state(of: shopper.webviewSession) == "opened")
            try await shop.control.clearFaults()
            let confirm = try await shopper.tab.choose(try await shopper.tab.browser.open("/button"))
            try await shop.control.fault("UpdateCheckoutSession", count: 10, ["status": 503])
            let refused = try await shopper.tab.agree(confirm)
            #expect(refused.status == 503)
            #expect(refused.error == "provider_failed")
            #expect(try shop.state(of: shopper.webviewSession) == "reviewed")
        }
    }

    @Test func `an answer that is lost is asked for again with the same key`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            try await shop.control.fault("CompleteCheckoutSession", count: 1, ["resetAfter": true])
            var answer = try await shopper.purchase(link)
            if answer.status == 409 {
                #expect(answer.error == "purchase_in_progress")
                answer = try await shop.purchaseAfterLease(shopper, link)
            }
            #expect(answer.status == 200, "\(answer.text)")
            let calls = try await shop.control.calls("CompleteCheckoutSession")
            #expect(calls.filter(\.isEffective).count == 1)
            #expect(Set(calls.map(\.key)).count == 1)
        }
    }

    @Test func `answers that stay lost leave the purchase under way until somebody finds out`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            try await shop.control.fault("CompleteCheckoutSession", count: 20, ["resetAfter": true])
            try await shop.control.fault("GetCheckoutSession", count: 20, ["status": 500])
            let unknown = try await shopper.purchase(link)
            #expect(unknown.status == 409)
            #expect(unknown.error == "purchase_in_progress")
            #expect(unknown[field: "retry-after"] != nil)
            #expect(try shop.state(of: shopper.webviewSession) == "purchasing")
            // Nobody else gets in between.
            #expect(try await shopper.purchase(link).status == 409)
            try await shop.control.clearFaults()
            let found = try await shop.purchaseAfterLease(shopper, link)
            #expect(found.status == 200, "\(found.text)")
            #expect(try await shop.effectiveCompletions() == 1)
            #expect(
                try shop.value(
                    "SELECT attempt FROM webview_session WHERE webview_session_id = $1",
                    [shopper.webviewSession]
                ) == "1"
            )
        }
    }

    @Test func `a slow completion keeps a second purchase out`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let link = try await shopper.toReturn()
            try await shop.control.fault("CompleteCheckoutSession", ["delayMs": 8_000])
            async let first = shopper.purchase(link)
            try await withDeadline {
                while try shop.state(of: shopper.webviewSession) != "purchasing" { await Task.yield() }
            }
            let second = try await shopper.purchase(link)
            #expect(second.status == 409)
            #expect(second.error == "purchase_in_progress")
            #expect(second[field: "retry-after"] != nil)
            #expect(try await first.status == 200)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }
}

@Suite struct `A payment that does not come` {
    @Test func `declined, is said, and works with another card`() async throws {
        try await withShop { shop in
            var shopper = try await shop.shopper()
            shopper.tab.buyer.card = "card-3434"
            let page = try await shopper.tab.agree(try await shopper.toConfirm())
            #expect(page.error == "payment_declined")
            #expect(try shop.state(of: shopper.webviewSession) == "declined")
            let refused = try shop.value("SELECT order_ref FROM webview_session")
            shopper.tab.buyer.card = "card-1111"
            let retry = try #require(page.link("retry"))
            let button = try await shopper.tab.browser.open(retry, from: page)
            let link = try ReturnFields(try await shopper.tab.agree(try await shopper.tab.choose(button)))
            #expect(link.order != refused)
            #expect(try await shopper.purchase(link).status == 200)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `declined, is told to an app that purchases too early`() async throws {
        try await withShop { shop in
            var shopper = try await shop.shopper()
            shopper.tab.buyer.card = "card-3434"
            let confirm = try await shopper.toConfirm()
            // The buyer's tab never comes back from Amazon.
            let form = try #require(confirm.form(to: "/confirm_order")).fields
            let sent = try await shopper.tab.browser.request("POST", "/confirm_order", form: form)
            let processing = try #require(sent[field: "location"])
            let ticket = try #require(form.first?.1)
            let order = String(processing.suffix(36))
            let early = try await shopper.cart.purchase(ticket, "sealed", order)
            #expect(early.status == 409)
            #expect(early.error == "not_ready")
            _ = try await shopper.tab.browser.request("GET", processing)
            let answer = try await shopper.cart.purchase(ticket, "sealed", order)
            #expect(answer.status == 402)
            #expect(answer.error == "payment_declined")
            #expect(try shop.state(of: shopper.webviewSession) == "declined")
            #expect(try await shop.effectiveCompletions() == 0)
        }
    }

    /// No repeat of the purchase could succeed: the provider compares the sum of the call with that of the session.
    @Test func `because the provider holds another sum, leads to another checkout`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let stale = try await shopper.toReturn()
            try shop.rows("UPDATE webview_session SET total = total + 1 WHERE true")
            try shop.rows("UPDATE merchant_order SET total = total + 1 WHERE true")
            let answer = try await shopper.purchase(stale)
            #expect(answer.status == 402 && answer.error == "payment_declined", "\(answer.text)")
            #expect(try shop.state(of: shopper.webviewSession) == "declined")
            let page = try await shopper.tab.browser.open("/checkout_result")
            #expect(page.error == "payment_declined")
            let button = try await shopper.tab.browser.open(try #require(page.link("retry")), from: page)
            let link = try ReturnFields(try await shopper.tab.agree(try await shopper.tab.choose(button)))
            #expect(link.order != stale.order)
            #expect(try await shopper.purchase(link).status == 200)
            #expect(try await shop.effectiveCompletions() == 1)
        }
    }

    @Test func `cancelled at Amazon, is said, and may be tried again`() async throws {
        try await withShop { shop in
            var shopper = try await shop.shopper()
            shopper.tab.buyer.card = "card-3064"
            let page = try await shopper.tab.agree(try await shopper.toConfirm())
            #expect(page.text.contains("<title>Checkout cancelled"))
            #expect(page.error.isEmpty)
            #expect(page.link("retry") == "/button")
            shopper.tab.buyer.card = "card-1111"
            let button = try await shopper.tab.browser.open("/button", from: page)
            let link = try ReturnFields(try await shopper.tab.agree(try await shopper.tab.choose(button)))
            #expect(try await shopper.purchase(link).status == 200)
        }
    }

    @Test func `cancelled in the shop, ends the webview session`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            let confirm = try await shopper.toConfirm()
            let cancel = try #require(confirm.form(to: "/checkout_cancel"))
            let order = try shop.value("SELECT order_ref FROM webview_session")
            let page = try await shopper.tab.browser.submit(cancel, on: confirm)
            #expect(page.status == 200)
            #expect(try shop.state(of: shopper.webviewSession) == "canceled")
            let answer = try await shopper.cart.purchase(cancel["secureWebviewSessionId"] ?? "", "sealed", order)
            #expect(answer.status == 410)
            #expect(answer.error == "session_canceled")
            #expect(try await shopper.tab.browser.open("/confirm_order").status == 403)
            #expect(try await shop.effectiveCompletions() == 0)
        }
    }
}
