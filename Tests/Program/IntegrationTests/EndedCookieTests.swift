import IntegrationKit
import Testing

/// Cookies of sessions that are over leave the jar, and no others do.
@Suite("Cookies of a session", .tags(.database))
struct EndedCookieTests {
    private static let cleared = [
        "__Host-secureWebviewSessionId=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
        "__Host-old_secureWebviewSessionId=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
    ]

    private static let pages = ["/button", "/confirm_order", "/checkout_result", "/checkout_cancel"]

    private func tabCookies(_ browser: TestBrowser) -> Int {
        browser.cookies.count { $0.name.hasSuffix("secureWebviewSessionId") }
    }

    @Test(arguments: ["revoked", "expired", "canceled"])
    func `are cleared by whichever page is asked for after the end`(state: String) async throws {
        try await withShop { shop in
            for path in Self.pages {
                let shopper = try await shop.shopper()
                _ = try await shopper.toConfirm()
                #expect(tabCookies(shopper.tab.browser) == 2)
                _ = try shop.rows(
                    "UPDATE webview_session SET state = '\(state)' WHERE webview_session_id = $1",
                    [shopper.webviewSession]
                )
                let page = try await shopper.tab.browser.request("GET", path)
                #expect(page.status == 403 && page.all("set-cookie") == Self.cleared, "\(path)")
                #expect(tabCookies(shopper.tab.browser) == 0)
                #expect(try await shopper.tab.browser.request("GET", path).all("set-cookie").isEmpty)
            }
        }
    }

    @Test func `are cleared with the answer to the buyer's own wish`() async throws {
        try await withShop { shop in
            let leaving = try await shop.shopper()
            let form = try #require(try await leaving.toConfirm().form(to: "/checkout_cancel"))
            let ended = try await leaving.tab.browser.request("POST", "/checkout_cancel", form: form.fields)
            #expect(ended.status == 200 && ended.all("set-cookie") == Self.cleared)
        }
    }

    @Test func `of an order that an app has paid stay, so that each page says so again`() async throws {
        try await withShop { shop in
            let buying = try await shop.shopper()
            #expect(try await buying.purchase(try await buying.toReturn()).status == 200)
            for path in (Self.pages + ["/rescue"]) + Self.pages {
                let page = try await buying.tab.browser.request("GET", path)
                #expect(page.status == 403 && page.all("set-cookie").isEmpty, "\(path)")
                #expect(page.text.contains("<h1>Your order is complete</h1>"), "\(path)")
                #expect(!page.text.contains("start again"), "\(path)")
            }
            // Another checkout takes the place of the one that is paid.
            var next = try await shop.shopper()
            next.tab = shop.tab(in: buying.tab.browser)
            #expect(try await next.purchase(try await next.toReturn()).status == 200)
        }
    }

    @Test func `of a browser that has bought stay until its receipt is over`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper("browser")
            #expect(try await shopper.purchase(try await shopper.toReturn()).status == 200)
            let after = try await shopper.tab.browser.request("GET", "/button")
            #expect(after.status == 403 && after.all("set-cookie").isEmpty)
            #expect(try await shopper.tab.browser.request("GET", "/thanks").status == 200)
            _ = try shop.rows(
                "UPDATE webview_session SET receipt_until = now() WHERE webview_session_id = $1",
                [shopper.webviewSession]
            )
            let over = try await shopper.tab.browser.request("GET", "/thanks")
            let receipt = "__Host-swv-receipt=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0"
            #expect(over.status == 410 && over.all("set-cookie") == [receipt] + Self.cleared)
        }
    }

    @Test func `are cleared alike whether there ever was such a session`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            _ = try await shopper.toConfirm()
            let mine = try #require(shopper.tab.browser.cookie("secureWebviewSessionId"))
            let guessed = String(mine.dropLast()) + (mine.hasSuffix("A") ? "B" : "A")
            let strange = "swb_" + String(repeating: "A", count: 64)
            for token in [guessed, strange] {
                let cookie = [("Cookie", "__Host-secureWebviewSessionId=\(token)")]
                let page = try await shop.browser().request("GET", "/confirm_order", fields: cookie)
                #expect(page.status == 403 && page.all("set-cookie") == Self.cleared)
            }
            #expect(try await shopper.tab.browser.request("GET", "/confirm_order").status == 200)
        }
    }

    @Test func `that lives are cleared by no other site's request, and by no other ticket`() async throws {
        try await withShop { shop in
            let shopper = try await shop.shopper()
            _ = try await shopper.toConfirm()
            // What another site loads comes without the cookies; where it leads the buyer, with them.
            let fields = [("Sec-Fetch-Site", "cross-site")]
            let embedded = try await shop.browser().request("GET", "/confirm_order", fields: fields)
            #expect(embedded.status == 403 && embedded.all("set-cookie").isEmpty)
            let led = try await shopper.tab.browser.request("GET", "/confirm_order", fields: fields)
            #expect(led.status == 200 && led.all("set-cookie").isEmpty)
            let link = try ReturnFields(try await shopper.tab.agree(led))
            #expect(try await shopper.purchase(link).status == 200)
            let other = try await shop.shopper()
            let over = try await other.toReturn()
            #expect(try await other.purchase(over).status == 200)
            _ = try shop.rows(
                "UPDATE webview_session SET receipt_until = now() WHERE webview_session_id = $1",
                [other.webviewSession]
            )
            // Both receipts are this jar's proof's business; the ticket in the address is over, that of the cookie is not.
            let path = "/thanks?secureWebviewSessionId=" + over.ticket
            let proof = try #require(other.app.cookie("swv-app"))
            let receipt = try #require(shopper.app.cookie("swv-receipt"))
            let jar = [("Cookie", "__Host-swv-app=\(proof); __Host-swv-receipt=\(receipt)")]
            let page = try await shop.browser().request("GET", path, fields: jar)
            #expect(page.status == 410 && page.all("set-cookie").isEmpty)
        }
    }
}
