import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import Testing

@Suite struct `Opening a launch ticket` {
    private let crossing: Crossing

    init() throws { crossing = try Crossing() }

    private var target: String { "/button?secureWebviewSessionId=\(crossing.launch.text)" }

    @Test func `sets both cookies of the tab and leads to the clean address`() async throws {
        let (crossing, target) = (crossing, target)
        try await withCheckout { shop in
            shop.database.answer("webview_session_open_first", crossing.row("opened", "opened").opening)
            let answer = try await shop.ask(.get, target)
            #expect(answer.status == 303 && answer[.location] == "/button")
            #expect(answer[.webviewSessionID] == crossing.id.description)
            #expect(answer[.vary] == "Sec-Purpose, Cookie" && answer[.cacheControl] == "no-store")
            let tab = try #require(answer.cookie(Jar.tab))
            #expect(tab.hasPrefix("swb_"))
            #expect(tab.hasSuffix("; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=7200"))
            #expect(answer.cookie(Jar.launch)?.hasPrefix(crossing.launch.text + "; Path=/") == true)
            // What is stored is the hash of the ticket.
            let asked = try #require(shop.database.asked.first)
            let (id, hash) = (try asked.parameters.uuid(0, 0), try asked.parameters.digest(0, 3))
            #expect(id == crossing.id && hash == crossing.launch.hash)
        }
    }

    @Test func `in profile compat answers with the page itself`() async throws {
        let (crossing, target) = (crossing, target)
        try await withCheckout(["profile": "compat"]) { shop in
            shop.database.answer("webview_session_open_first", crossing.row("opened", "opened").opening)
            shop.database.answer("webview_session_tab_read", crossing.look("opened"))
            let answer = try await shop.ask(.get, target, fields: [Browser.english])
            #expect(answer.status == 200 && answer.headline == "Payment with Amazon Pay")
            #expect(answer.cookie("secureWebviewSessionId")?.hasPrefix("swb_") == true)
        }
    }

    @Test func `of a session whose halves have met leads to the review again`() async throws {
        let (crossing, target) = (crossing, target)
        try await withCheckout { shop in
            var row = crossing.row("opened", "opened")
            (row.isMet, row.orderReference) = (true, Crossing.session)
            shop.database.answer("webview_session_open_first", row.opening)
            let answer = try await shop.ask(.get, target)
            #expect(answer[.location] == "/confirm_order?amazonCheckoutSessionId=\(Crossing.session)")
        }
    }

    @Test(
        arguments: [
            ("reopened", "opened", 303, nil), ("same_tab", "opened", 303, nil),
            ("reused", "revoked", 409, "session_reused"), ("finished", "authorized", 409, "session_reused"),
            ("wrong_browser", "issued", 403, "wrong_browser"), ("expired", "expired", 410, "expired_session"),
            ("dead", "revoked", 410, "session_revoked"), ("dead", "canceled", 410, "session_canceled"),
            ("dead", "expired", 410, "expired_session"),
        ] as [(String, String, Int, String?)]
    )
    func `that was used answers what the store decided`(
        outcome: String,
        state: String,
        status: Int,
        code: String?
    )
        async throws
    {
        let (crossing, target) = (crossing, target)
        try await withCheckout { shop in
            shop.database.answer("webview_session_open_first")
            shop.database.answer("webview_session_open", crossing.row(outcome, state).opening)
            let answer = try await shop.ask(.get, target)
            #expect(answer.status == status && answer.failure == code)
            #expect(answer[.webviewSessionID] == crossing.id.description)
            // Only a fresh token is handed out.
            #expect(answer.all(.setCookie).count == (outcome == "reopened" ? 2 : 0))
        }
    }

    @Test func `a second time at once is asked for again before it is judged`() async throws {
        let (crossing, target) = (crossing, target)
        try await withCheckout { shop in
            shop.database.answer("webview_session_open_first")
            shop.database.answer("webview_session_open", crossing.row("doubled", "opened").opening)
            let page = try await shop.ask(.get, target)
            #expect(page.status == 200 && page.all(.setCookie).isEmpty && page[.location] == nil)
            #expect(page[.webviewSessionID] == crossing.id.description && page[.cacheControl] == "no-store")
            #expect(page.body.contains("action=\"/button?again=1\"") && page.body.contains(crossing.launch.text))
            #expect(page[.contentSecurityPolicy]?.contains("form-action 'self'") == true)
            let first = try #require(shop.database.asked.last).parameters
            let seconds = try first.int64(0, 10)
            #expect(seconds == 5 - 15)
            shop.database.answer("webview_session_open_first")
            shop.database.answer("webview_session_open", crossing.row("reused", "revoked").opening)
            let answer = try await shop.ask(
                .post,
                "/button?again=1",
                fields: [Browser.ownOrigin],
                body: "secureWebviewSessionId=\(crossing.launch.text)"
            )
            #expect(answer.status == 409 && answer.failure == "session_reused")
            let second = try #require(shop.database.asked.last).parameters
            let isNull = try second.isNull(0, 10)
            #expect(isNull)
        }
    }

    @Test func `in the tab of a session whose halves have met leads to the review`() async throws {
        let (crossing, target) = (crossing, target)
        try await withCheckout { shop in
            var row = crossing.row("same_tab", "opened")
            (row.isMet, row.orderReference) = (true, Crossing.session)
            shop.database.answer("webview_session_open_first")
            shop.database.answer("webview_session_open", row.opening)
            let answer = try await shop.ask(.get, target)
            #expect(answer[.location] == "/confirm_order?amazonCheckoutSessionId=\(Crossing.session)")
        }
    }

    @Test func `that nobody knows, or that is none, names no session`() async throws {
        let target = target
        try await withCheckout { shop in
            shop.database.answer("webview_session_open_first")
            shop.database.answer("webview_session_open")
            for target in [target, "/button?secureWebviewSessionId=swa_short"] {
                let answer = try await shop.ask(.get, target)
                #expect(answer.status == 404 && answer.failure == "unknown_session")
                #expect(answer[.webviewSessionID] == nil && answer.all(.setCookie).isEmpty)
            }
        }
    }

    @Test(
        arguments: [
            ("finished", "authorized", "Your order is complete"),
            ("finished", "purchasing", "Your order is being completed"),
            ("finished", "declined", "The payment did not go through"), ("reused", "placed", "Your order is under way"),
            ("reused", "opened", "You cannot continue here"), ("reused", "revoked", "This checkout has ended"),
        ]
    )
    func `that was used says what has become of the order`(
        outcome: String,
        state: String,
        headline: String
    )
        async throws
    {
        let (crossing, target) = (crossing, target)
        for holdsReceipt in [false, true] {
            try await withCheckout { shop in
                shop.database.answer("webview_session_open_first")
                shop.database.answer("webview_session_open", crossing.row(outcome, state).opening)
                let receipt = holdsReceipt ? [(Jar.receipt, crossing.ticket.text)] : []
                let fields = [Browser.english]
                let answer = try await shop.ask(.get, target, fields: fields, cookies: crossing.tabCookies + receipt)
                #expect(answer.status == 409 && answer.failure == "session_reused" && answer.headline == headline)
                #expect(answer.body.contains(#"href="/thanks""#) == holdsReceipt)
                #expect(answer.body.contains(#"href="/checkout_result""#) == ["purchasing", "placed"].contains(state))
                #expect(answer.body.contains("start again") == (state == "revoked"))
            }
        }
    }

    @Test func `that is dead is answered from memory the second time`() async throws {
        let (crossing, target) = (crossing, target)
        try await withCheckout { shop in
            shop.database.answer("webview_session_open_first")
            shop.database.answer("webview_session_open", crossing.row("dead", "revoked").opening)
            for _ in 0..<2 {
                let answer = try await shop.ask(.get, target)
                #expect(answer.failure == "session_revoked")
            }
        }
    }

    @Test(
        arguments: [
            (.secPurpose, "prefetch;prerender"), (.purpose, "prefetch"), (.xMoz, "prefetch"), (.xPurpose, "preview"),
            (.purpose, "preview"), (.xPurpose, "prefetch"), (.purpose, "Prefetch"), (.secPurpose, "prerender"),
            (.purpose, "prerender"), (.xPurpose, "instant"), (.secPurpose, "prefetch; anonymous-client-ip"),
            (.xPurpose, "preview, prefetch"),
            (.secFetchDestination, "image"), (.secFetchMode, "no-cors"),
        ] as [(HTTPFieldName, String)]
    )
    func `by what only looks ahead is refused and noted`(name: HTTPFieldName, value: String) async throws {
        let (crossing, target) = (crossing, target)
        try await withCheckout { shop in
            shop.database.answer("webview_session_observe", crossing.row("prefetch_refused", "issued").opening)
            let answer = try await shop.ask(.get, target, fields: [(name, value)])
            #expect(answer.status == 503 && answer[.retryAfter] == "0" && answer.body.isEmpty)
            #expect(answer[.vary] == "Sec-Purpose" && answer.all(.setCookie).isEmpty)
        }
    }

    @Test func `is refused at once where the database has no room`() async throws {
        let target = target
        try await withCheckout { shop in
            for (admission, seconds) in [(.overloaded, "1"), (.unavailable, "5")] as [(Admission, String)] {
                shop.database.admission = admission
                let answer = try await shop.ask(.get, target, fields: [Browser.english])
                #expect(answer.status == 503 && answer.failure == "unavailable")
                #expect(answer[.retryAfter] == seconds && answer.body.contains("lang=\"en\""))
                let japanese = try await shop.ask(.get, target, fields: [(.acceptLanguage, "ja")])
                #expect(japanese.body.contains("lang=\"ja\""))
            }
        }
    }

    @Test(arguments: [("auto_post", false), ("tap", true)])
    func `in the modes with a page between uses nothing up`(mode: String, isTapped: Bool) async throws {
        let (crossing, target) = (crossing, target)
        try await withCheckout(["open.mode": mode]) { shop in
            let answer = try await shop.ask(.get, target, fields: [Browser.english])
            #expect(answer.status == 200 && answer.headline == "Opening the payment page")
            #expect(answer.body.contains(crossing.launch.text) && answer.all(.setCookie).isEmpty)
            #expect(answer[.referrerPolicy] == "same-origin" && answer[.xRobotsTag] == "noindex, nofollow")
            #expect(try await shop.ask(.get, "/button?secureWebviewSessionId=x").failure == "unknown_session")
        }
    }

    @Test(arguments: [
        ("none", nil), ("same-origin", nil), ("same-site", "wrong_browser"), ("cross-site", "wrong_browser"),
    ])
    func `in profile strict comes from the app or from our own page`(site: String, code: String?) async throws {
        let target = target
        try await withCheckout(["profile": "strict"]) { shop in
            let answer = try await shop.ask(.get, target, fields: [(.secFetchSite, site)])
            #expect(answer.failure == code && answer.status == (code == nil ? 200 : 403))
        }
    }

    @Test func `by the form of the page between says where it comes from`() async throws {
        let crossing = crossing
        try await withCheckout(["open.mode": "tap"]) { shop in
            let body = "secureWebviewSessionId=\(crossing.launch.text)"
            let silent = try await shop.ask(.post, "/button", body: body)
            #expect(silent.status == 403 && silent.failure == "csrf_rejected")
            for field in [Browser.ownOrigin, (.secFetchSite, "same-origin")] {
                shop.database.answer("webview_session_open_first", crossing.row("opened", "opened").opening)
                let answer = try await shop.ask(.post, "/button", fields: [field], body: body)
                #expect(answer.status == 303 && answer.cookie(Jar.tab)?.hasPrefix("swb_") == true)
            }
        }
    }
}

@Suite struct `The button page` {
    @Test(arguments: ["opened", "reviewed", "declined"])
    func `has a button that is signed for its session`(state: String) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look(state))
            let answer = try await shop.ask(.get, "/button", fields: [Browser.english], cookies: crossing.tabCookies)
            #expect(answer.status == 200 && answer.headline == "Payment with Amazon Pay")
            #expect(answer[.webviewSessionID] == crossing.id.description)
            #expect(answer.body.contains(crossing.id.description) && answer.body.contains("AMZN-PAY-RSASSA-PSS-V2"))
            let nonce = try #require(answer.text(between: "nonce=\"", "\""))
            let policy = try #require(answer[.contentSecurityPolicy])
            #expect(policy.contains("'nonce-\(nonce)'") && policy.contains("https://static-fe.payments-amazon.com"))
            #expect(answer[.contentSecurityPolicyReportOnly] == nil)
            #expect(answer[.reportingEndpoints] == "csp=\"/csp_report\"")
        }
    }

    @Test func `only reports what its policy would keep out, and stops no hop, where the settings say so`()
        async throws
    {
        let crossing = try Crossing()
        try await withCheckout(["csp.p2": "report"]) { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("opened"))
            let answer = try await shop.ask(.get, "/button", cookies: crossing.tabCookies)
            #expect(answer[.contentSecurityPolicyReportOnly]?.contains("report-to csp") == true)
            let enforced = try #require(answer[.contentSecurityPolicy])
            #expect(enforced.contains("form-action 'self' https:;") && !enforced.contains("require-trusted-types-for"))
        }
    }

    @Test(arguments: ["placed", "purchasing"])
    func `of an order that is placed leads to the confirm page`(state: String) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let outcome = state == "purchasing" ? "read_only" : "live"
            shop.database.answer("webview_session_tab_read", crossing.look(state, outcome))
            let answer = try await shop.ask(.get, "/button", cookies: crossing.tabCookies)
            #expect(answer.status == 303 && answer[.location] == "/confirm_order")
        }
    }

    @Test func `tells a jar without a tab that its browser keeps no cookies`() async throws {
        try await withCheckout { shop in
            let answer = try await shop.ask(.get, "/button", fields: [Browser.english])
            #expect(answer.status == 403 && answer.failure == "cookies_blocked")
            #expect(answer.headline == "This browser cannot continue")
        }
    }

    @Test func `is written down as seen where that is due`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer(
                "webview_session_tab_read",
                crossing.row("live", "opened").tab(crossing.id, isTouchDue: true)
            )
            shop.database.answer("webview_session_tab_touch", crossing.row("live", "opened").opening)
            let answer = try await shop.ask(.get, "/button", cookies: crossing.tabCookies)
            #expect(answer.status == 200)
            #expect(shop.database.names == ["webview_session_tab_read", "webview_session_tab_touch"])
        }
    }
}
