import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import Testing

@Suite struct `The return after the provider's last page` {
    private let crossing: Crossing

    init() throws { crossing = try Crossing() }

    @Test func `is cleaned of what the provider added, without a look`() async throws {
        try await withCheckout { shop in
            let answer = try await shop.ask(.get, "/checkout_result?amazonCheckoutSessionId=\(Crossing.session)")
            #expect(answer.status == 303 && answer[.location] == "/checkout_result" && answer[.webviewSessionID] == nil)
        }
    }

    @Test(
        arguments: [
            ("iosApp", 200, ProviderBodies.session()), ("androidApp", 200, ProviderBodies.session()),
            ("iosApp", 404, ProviderBodies.refusal("ResourceNotFound")), ("iosApp", 200, "no json"),
        ]
    )
    func `gives an app's buyer the link back, also where the provider says nothing`(
        client: String,
        status: Int,
        body: String
    ) async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("placed", client: client))
            shop.provider.answer(status, body)
            let fields = [Browser.english]
            let answer = try await shop.ask(.get, "/checkout_result", fields: fields, cookies: crossing.tabCookies)
            #expect(answer.status == 200 && answer.headline == "Your order is not placed yet")
            let link = try #require(answer.text(between: "href=\"https://links.example/index.html?", "\""))
            #expect(link.contains(crossing.ticket.text) && link.contains(crossing.launch.text))
            #expect(link.contains(Crossing.session) && link.contains("accessToken=sealed"))
            #expect(answer[.referrerPolicy] == "same-origin" && answer[.webviewSessionID] == crossing.id.description)
        }
    }

    @Test func `while an app completes the order says so, and nothing of an order that is not placed`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("purchasing", "read_only"))
            let fields = [Browser.english]
            let answer = try await shop.ask(.get, "/checkout_result", fields: fields, cookies: crossing.tabCookies)
            #expect(answer.status == 200 && answer.headline == "Completing your order")
            #expect(answer.body.contains("You will not be charged twice."))
            #expect(!answer.body.contains("not placed") && !answer.body.contains("before you return"))
            #expect(answer.text(between: "href=\"https://links.example/index.html?", "\"") != nil)
        }
    }

    @Test func `of client browser has the form that buys`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer(
                "webview_session_tab_read",
                crossing.look("purchasing", "read_only", client: "browser")
            )
            let fields = [Browser.english]
            let answer = try await shop.ask(.get, "/checkout_result", fields: fields, cookies: crossing.tabCookies)
            #expect(answer.status == 200 && answer.headline == "Completing your order")
            #expect(answer.body.contains(crossing.ticket.text) && answer.body.contains(crossing.launch.text))
            #expect(answer.body.contains("action=\"/purchase\""))
        }
    }

    @Test(
        arguments: [
            ("BuyerCanceled", "You have not been charged"), ("Declined", "The payment did not go through"),
            ("Expired", "The payment did not go through"),
        ]
    )
    func `of a session that the provider has given up declines the order`(reason: String, headline: String) async throws
    {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("placed"))
            shop.provider.answer(200, ProviderBodies.session("Canceled", reason: reason))
            shop.database.answer("webview_session_decline_order", crossing.row("declined", "declined").opening)
            let fields = [Browser.english]
            let answer = try await shop.ask(.get, "/checkout_result", fields: fields, cookies: crossing.tabCookies)
            #expect(
                answer.status == 200 && answer.headline == headline
                    && answer[.webviewSessionID] == crossing.id.description
            )
            let asked = try #require(shop.database.asked.last).parameters
            let (session, word) = (try asked.text(0, 3), try asked.text(0, 4))
            #expect(session == Crossing.session && word == reason)
        }
    }

    @Test(
        arguments: [
            ("opened", 303, "/button", nil), ("reviewed", 303, "/confirm_order", nil),
            ("declined", 200, nil, "The payment did not go through"),
        ] as [(String, Int, String?, String?)]
    )
    func `of another state leads there`(state: String, status: Int, location: String?, headline: String?) async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look(state))
            let fields = [Browser.english]
            let answer = try await shop.ask(.get, "/checkout_result", fields: fields, cookies: crossing.tabCookies)
            #expect(answer.status == status && answer[.location] == location && answer.headline == headline)
        }
    }

    @Test func `gives no link to a tab that remembers another ticket`() async throws {
        let crossing = crossing
        let stray = "swa_" + String(repeating: "A", count: 64)
        try await withCheckout { shop in
            for cookies in [[(Jar.tab, crossing.tab.text)], [(Jar.tab, crossing.tab.text), (Jar.launch, stray)]] {
                shop.database.answer("webview_session_tab_read", crossing.look("purchasing", "read_only"))
                let answer = try await shop.ask(.get, "/checkout_result", cookies: cookies)
                #expect(answer.status == 409 && answer.failure == "session_mismatch")
                #expect(!answer.body.contains(crossing.ticket.text))
            }
        }
    }

    @Test func `has no way on without what a review keeps`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            for state in ["placed", "purchasing"] {
                var row = crossing.row(state == "placed" ? "live" : "read_only", state)
                row.orderReference = nil
                shop.database.answer("webview_session_tab_read", row.tab(crossing.id))
                let answer = try await shop.ask(.get, "/checkout_result", cookies: crossing.tabCookies)
                #expect(answer.status == 303 && answer[.location] == "/button")
            }
        }
    }
}

@Suite struct `Leaving the provider's pages` {
    private let crossing: Crossing

    init() throws { crossing = try Crossing() }

    @Test func `shows a form that ends the session, and changes nothing`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("reviewed"))
            let fields = [Browser.english]
            let answer = try await shop.ask(.get, "/checkout_cancel", fields: fields, cookies: crossing.tabCookies)
            #expect(answer.status == 200 && answer.headline == "You have not been charged")
            #expect(answer.body.contains(crossing.ticket.text))
            #expect(answer[.contentSecurityPolicy]?.contains("form-action 'self'") == true)
            shop.database.answer("webview_session_tab_read", crossing.look("purchasing", "read_only"))
            let late = try await shop.ask(.get, "/checkout_cancel", cookies: crossing.tabCookies)
            #expect(late.status == 303 && late[.location] == "/checkout_result")
        }
    }

    @Test(
        arguments: [
            ("canceled", "canceled", 200, nil, true), ("read_only", "purchasing", 303, nil, false),
            ("closed", "authorized", 403, "unknown_session", false),
            ("orphan", "revoked", 403, "unknown_session", true),
            ("expired", "expired", 403, "unknown_session", true),
        ] as [(String, String, Int, String?, Bool)]
    )
    func `for good answers what the store decided`(
        outcome: String,
        state: String,
        status: Int,
        code: String?,
        forgets: Bool
    ) async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("reviewed"))
            shop.database.answer("webview_session_leave", crossing.row(outcome, state).whole)
            let answer = try await shop.ask(
                .post,
                "/checkout_cancel",
                fields: [Browser.english, Browser.ownOrigin],
                cookies: crossing.tabCookies,
                body: "secureWebviewSessionId=\(crossing.ticket.text)"
            )
            #expect(answer.status == status && answer.failure == code && answer.clears(Jar.tab) == forgets)
            if status == 200 { #expect(answer.headline == "Your purchase is cancelled") }
            #expect(answer[.location] == (status == 303 ? "/checkout_result" : nil))
        }
    }

    @Test func `needs the return ticket of this tab`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            let stray = "secureWebviewSessionId=swc_" + String(repeating: "A", count: 64)
            shop.database.answer("webview_session_tab_read", crossing.look("reviewed"))
            let answer = try await shop.ask(.post, "/checkout_cancel", cookies: crossing.tabCookies, body: stray)
            #expect(answer.status == 409 && answer.failure == "session_mismatch")
            let malformed = "secureWebviewSessionId=\(crossing.launch.text)"
            let none = try await shop.ask(.post, "/checkout_cancel", cookies: crossing.tabCookies, body: malformed)
            #expect(none.status == 404 && none.failure == "unknown_session")
        }
    }
}

@Suite struct `The page for a link that did not open the app` {
    @Test(
        arguments: [
            ("iosApp", "placed", "live"), ("androidApp", "purchasing", "read_only"), ("iosApp", "revoked", "closed"),
        ]
    )
    func `offers it again to the tab of an app's order alone`(
        client: String,
        state: String,
        outcome: String
    ) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look(state, outcome, client: client))
            let answer = try await shop.ask(.get, "/rescue", fields: [Browser.english], cookies: crossing.tabCookies)
            #expect(answer.status == 200 && answer.headline == "How to return to the app")
            #expect(answer.body.contains(crossing.ticket.text) == (outcome != "closed"))
        }
    }

    @Test(
        arguments: [
            ("browser", "placed"), ("site", "placed"), ("iosApp", "reviewed"), ("iosApp", "opened"),
            ("iosApp", "declined"),
        ]
    )
    func `leads a tab that has no such link to the page of its order`(client: String, state: String) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look(state, "live", client: client))
            let answer = try await shop.ask(.get, "/rescue", cookies: crossing.tabCookies)
            #expect(answer.status == 303 && answer[.location] == "/checkout_result")
        }
    }

    @Test func `in profile strict offers it before the halves have met, too`() async throws {
        let crossing = try Crossing()
        try await withCheckout(["profile": "strict"]) { shop in
            for isMet in [false, true] {
                var row = crossing.row("live", "reviewed")
                row.isMet = isMet
                shop.database.answer("webview_session_tab_read", row.tab(crossing.id))
                let answer = try await shop.ask(.get, "/rescue", cookies: crossing.tabCookies)
                #expect(answer.body.contains(crossing.ticket.text) != isMet)
                #expect(answer.status == (isMet ? 303 : 200))
            }
        }
    }

    @Test func `says to a jar without a tab where the order is, before how to begin again`() async throws {
        try await withCheckout { shop in
            let answer = try await shop.ask(.get, "/rescue", fields: [Browser.english])
            #expect(answer.status == 200 && answer.headline == "How to return to the app")
            let sentences = ["it shows whether your order is complete", "go back to it", "If you have not ordered yet"]
            let places = sentences.map { answer.body.firstRange(of: $0)?.lowerBound }
            #expect(!places.contains(nil) && places.compactMap(\.self) == places.compactMap(\.self).sorted())
        }
    }
}
