import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import Testing

@Suite struct `The question for the postage` {
    private let crossing: Crossing

    init() throws { crossing = try Crossing() }

    private func body(_ session: String = Crossing.session) -> String {
        "secureWebviewSessionId=\(crossing.ticket.text)&orderReferenceId=\(session)&accessToken=sealed"
    }

    @Test func `is answered from what the review has kept`() async throws {
        let (crossing, body) = (crossing, body())
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("reviewed"))
            let answer = try await shop.ask(.post, "/calc_postage", cookies: crossing.tabCookies, body: body)
            #expect(answer.status == 200 && answer.body == "{\"postage\":\"500\",\"totalPrice\":\"27,956\"}")
            #expect(answer[.webviewSessionID] == crossing.id.description && answer[.cacheControl] == "no-store")
        }
    }

    @Test(
        arguments: [
            ("live", "opened", 409, "not_priced"), ("orphan", "reviewed", 410, "session_revoked"),
            ("expired", "reviewed", 410, "expired_session"), ("closed", "revoked", 410, "session_revoked"),
            ("closed", "authorized", 410, "session_revoked"),
        ]
    )
    func `is refused a tab without sums`(outcome: String, state: String, status: Int, code: String) async throws {
        let (crossing, body) = (crossing, body())
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look(state, outcome))
            if ["orphan", "expired"].contains(outcome) {
                shop.database.answer("webview_session_tab_touch", crossing.row(outcome, "revoked").opening)
            }
            let answer = try await shop.ask(.post, "/calc_postage", cookies: crossing.tabCookies, body: body)
            #expect(answer.status == status && answer.failure == code)
        }
    }

    @Test func `is refused another session's ticket or checkout`() async throws {
        let (crossing, body) = (crossing, body())
        let other = self.body("00000000-0000-4000-8000-000000000000")
        let stray = "secureWebviewSessionId=swc_\(String(repeating: "A", count: 64))&orderReferenceId=x"
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("reviewed"))
            let mismatch = try await shop.ask(.post, "/calc_postage", cookies: crossing.tabCookies, body: other)
            #expect(mismatch.status == 422 && mismatch.failure == "order_mismatch")
            let foreign = try await shop.ask(.post, "/calc_postage", cookies: crossing.tabCookies, body: stray)
            #expect(foreign.status == 409 && foreign.failure == "session_mismatch")
            shop.database.answer("webview_session_tab_read")
            for cookies in [crossing.tabCookies, []] {
                let unknown = try await shop.ask(.post, "/calc_postage", cookies: cookies, body: body)
                #expect(unknown.status == 404 && unknown.failure == "unknown_session")
            }
        }
    }
}

@Suite struct `The question for the state` {
    @Test(
        arguments: [
            ("issued", false, "issued"), ("opened", false, "opened"), ("reviewed", false, "reviewed"),
            ("placed", false, "reviewed"), ("declined", false, "reviewed"), ("purchasing", false, "purchasing"),
            ("purchasing", true, "purchasing"), ("authorized", true, "done"), ("issued", true, "closed"),
            ("opened", true, "closed"), ("placed", true, "closed"), ("revoked", false, "closed"),
            ("canceled", false, "closed"), ("expired", false, "closed"),
        ]
    )
    func `is answered with its name alone`(state: String, isOver: Bool, name: String) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer(
                "webview_session_status",
                Parameters {
                    $0.append(text: state)
                    $0.append(bool: isOver)
                }
            )
            let body = "secureWebviewSessionId=\(crossing.launch.text)"
            let answer = try await shop.ask(
                .post,
                "/secureWebviewSession/status",
                cookies: crossing.appCookies,
                body: body
            )
            #expect(answer.status == 200 && answer.body == "{\"state\":\"\(name)\"}")
            #expect(answer[.webviewSessionID] == crossing.id.description && answer.all(.setCookie).isEmpty)
            let asked = try #require(shop.database.asked.first).parameters
            let (launch, app) = (try asked.digest(0, 1), try asked.digest(0, 2))
            #expect(launch == crossing.launch.hash && app == crossing.proof.hash)
        }
    }

    @Test func `is answered to the install alone that began it`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_status")
            let body = "secureWebviewSessionId=\(crossing.launch.text)"
            // Without a proof nothing is looked up.
            for (cookies, body) in [
                (crossing.appCookies, body), ([], body), (crossing.appCookies, "secureWebviewSessionId=swa_x"),
            ] {
                let answer = try await shop.ask(.post, "/secureWebviewSession/status", cookies: cookies, body: body)
                #expect(answer.status == 404 && answer.failure == "unknown_session" && answer[.webviewSessionID] == nil)
            }
        }
    }
}

@Suite struct `The receipt` {
    private let crossing: Crossing

    init() throws { crossing = try Crossing() }

    private var cookies: [(String, String)] { crossing.appCookies + [(Jar.receipt, crossing.ticket.text)] }

    @Test(arguments: [("en", "Thank you for your order."), ("ja", "ご購入ありがとうございました。")])
    func `shows order and address to whoever holds ticket and proof`(language: String, headline: String) async throws {
        let (crossing, cookies) = (crossing, cookies)
        try await withCheckout { shop in
            let row = crossing.row("shown", "authorized").face
            shop.database.answer("webview_session_show_receipt", row.sealed(try crossing.sealedDetails()))
            let answer = try await shop.ask(.get, "/thanks", fields: [(.acceptLanguage, language)], cookies: cookies)
            #expect(answer.status == 200 && answer.headline == headline)
            #expect(answer.body.contains("27,956") && answer.body.contains("見本町1-1"))
            #expect(answer[.cacheControl] == "no-store" && answer[.webviewSessionID] == crossing.id.description)
            #expect(!answer.body.contains(crossing.ticket.text))
            let asked = try #require(shop.database.asked.first).parameters
            let (ticket, app) = (try asked.digest(0, 1), try asked.digest(0, 2))
            #expect(ticket == crossing.ticket.hash && app == crossing.proof.hash)
        }
    }

    @Test func `of a ticket in the address moves it into the jar`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_show_receipt", crossing.row("shown", "authorized").face.sealed(nil))
            let target = "/thanks?secureWebviewSessionId=\(crossing.ticket.text)"
            let answer = try await shop.ask(.get, target, cookies: crossing.appCookies)
            #expect(answer.status == 303 && answer[.location] == "/thanks")
            #expect(answer.cookie(Jar.receipt)?.hasPrefix(crossing.ticket.text + ";") == true)
            let image = try await shop.ask(.get, target, fields: [(.secFetchDestination, "image")])
            #expect(image.status == 404)
        }
    }

    @Test(
        arguments: [
            ("over", "authorized", 410), ("dead", "revoked", 410), ("not_ready", "placed", 404),
            ("proof_required", "authorized", 404), ("proof_mismatch", "authorized", 404),
        ]
    )
    func `is the neutral page for everybody else`(outcome: String, state: String, status: Int) async throws {
        let (crossing, cookies) = (crossing, cookies)
        try await withCheckout { shop in
            shop.database.answer("webview_session_show_receipt", crossing.row(outcome, state).face.sealed(nil))
            let answer = try await shop.ask(
                .get,
                "/thanks",
                fields: [Browser.english],
                cookies: cookies + crossing.tabCookies
            )
            // Whoever shows the proof of an order that was paid is told that it was.
            let headline = outcome == "over" ? "Your order is complete" : "This page has expired"
            #expect(answer.status == status && answer.headline == headline && answer[.webviewSessionID] == nil)
            #expect(!answer.body.contains(#"id="receipt""#), "this is where the receipt was")
            #expect(answer.clears(Jar.receipt) == (status == 410) && answer.clears(Jar.tab) == (status == 410))
        }
    }

    @Test func `of a ticket in the address that is over leaves the jar alone`() async throws {
        let (crossing, cookies) = (crossing, cookies)
        try await withCheckout { shop in
            shop.database.answer("webview_session_show_receipt", crossing.row("over", "authorized").face.sealed(nil))
            let target = "/thanks?secureWebviewSessionId=\(crossing.ticket.text)"
            let answer = try await shop.ask(.get, target, cookies: cookies)
            #expect(answer.status == 410 && answer.all(.setCookie).isEmpty)
        }
    }

    @Test func `is not looked for without a ticket`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            for target in ["/thanks", "/thanks?secureWebviewSessionId=x"] {
                let answer = try await shop.ask(.get, target, cookies: crossing.appCookies)
                #expect(answer.status == 404 && answer.all(.setCookie).isEmpty)
            }
        }
    }
}
