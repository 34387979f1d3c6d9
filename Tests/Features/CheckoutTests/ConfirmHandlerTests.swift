import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import StrictJSON
import Testing

@Suite struct `The return from the provider` {
    private static let target = "/confirm_order?amazonCheckoutSessionId=\(Crossing.session)"

    @Test func `prices what the buyer has chosen and seals it`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("opened"))
            shop.provider.answer(200, ProviderBodies.session(mark: crossing.id))
            shop.database.answer("webview_session_review_choice", crossing.row("reviewed", "reviewed").whole)
            let answer = try await shop.ask(.get, Self.target, cookies: crossing.tabCookies)
            #expect(answer.status == 303 && answer[.location] == "/confirm_order")
            #expect(answer[.webviewSessionID] == crossing.id.description)
            #expect(shop.provider.requests.map(\.method) == ["GET"])
            let asked = try #require(shop.database.asked.last).parameters
            let (tab, ticket, session) = (try asked.digest(0, 3), try asked.digest(0, 4), try asked.text(0, 5))
            #expect(tab == crossing.tab.hash && ticket == crossing.ticket.hash && session == Crossing.session)
            let sealed = String(decoding: try asked.bytes(0, 7), as: UTF8.self)
            #expect(!sealed.contains("buyer@example.test"))
        }
    }

    @Test(
        arguments: [
            // Beside an id stands nothing, or else it is somebody else's.
            (nil, nil, true), ("00000-00001", nil, false), ("mark", "A-1001", true), ("mark", "other", true),
            ("other mark", nil, false), ("mark", "", true), ("gift", nil, false), ("00000-00002", nil, false),
            (nil, "A-1001", false), (nil, "other", false), ("other mark", "A-1001", false),
        ] as [(String?, String?, Bool)]
    )
    func `takes a session by its mark, and none by the merchant's reference`(
        information: String?,
        reference: String?,
        isOurs: Bool
    ) async throws {
        let (crossing, other) = (try Crossing(), try Crossing(2).id)
        let written = information?.replacing("other mark", with: "\(SessionMark(other))")
            .replacing("mark", with: "\(SessionMark(crossing.id))")
        let named = reference?.replacing("other", with: other.description)
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("opened"))
            let body = ProviderBodies.session(mark: crossing.id, information: written, reference: named)
            shop.provider.answer(200, body)
            if isOurs {
                shop.database.answer("webview_session_review_choice", crossing.row("reviewed", "reviewed").whole)
            }
            let answer = try await shop.ask(.get, Self.target, cookies: crossing.tabCookies)
            #expect(answer.status == (isOurs ? 303 : 422))
            #expect(answer.failure == (isOurs ? nil : "order_mismatch"))
        }
    }

    @Test(
        arguments: [
            ("order_mismatch", "placed", 422, "order_mismatch", nil),
            ("declined", "declined", 303, nil, "/checkout_result"),
            ("read_only", "purchasing", 303, nil, "/checkout_result"),
            ("closed", "revoked", 403, "unknown_session", nil),
            ("orphan", "revoked", 403, "unknown_session", nil), ("expired", "expired", 403, "unknown_session", nil),
        ] as [(String, String, Int, String?, String?)]
    )
    func `answers what the store decided`(
        outcome: String,
        state: String,
        status: Int,
        code: String?,
        location: String?
    ) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("opened"))
            shop.provider.answer(200, ProviderBodies.session(mark: crossing.id))
            shop.database.answer("webview_session_review_choice", crossing.row(outcome, state).whole)
            let answer = try await shop.ask(.get, Self.target, cookies: crossing.tabCookies)
            #expect(answer.status == status && answer.failure == code && answer[.location] == location)
            #expect(answer.clears(Jar.tab) == (status == 403))
        }
    }

    @Test(
        arguments: [
            (200, ProviderBodies.session(mark: UUIDBytes(high: 9, low: 9)), 422, "order_mismatch"),
            (200, ProviderBodies.session(), 422, "order_mismatch"),
            (404, ProviderBodies.refusal("ResourceNotFound"), 422, "order_mismatch"),
            (400, ProviderBodies.refusal("InvalidParameterValue"), 503, "provider_failed"),
            (200, "no json", 503, "provider_failed"),
            (200, ProviderBodies.session(line: nil), 409, "not_priced"),
            (200, ProviderBodies.session("Canceled", reason: "BuyerCanceled"), 409, "not_priced"),
        ]
    )
    func `keeps nothing of a session that is not ours, not open or not told`(
        status: Int,
        body: String,
        expected: Int,
        code: String
    ) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("opened"))
            shop.provider.answer(status, body)
            let answer = try await shop.ask(.get, Self.target, cookies: crossing.tabCookies)
            #expect(answer.status == expected && answer.failure == code)
            #expect(answer[.retryAfter] == (expected == 503 ? "5" : nil))
            #expect(shop.database.names == ["webview_session_tab_read"])
        }
    }

    @Test(
        arguments: [
            ("placed", "live", 303, nil, "/confirm_order"), ("declined", "live", 303, nil, "/checkout_result"),
            ("purchasing", "read_only", 303, nil, "/checkout_result"),
        ] as [(String, String, Int, String?, String?)]
    )
    func `of an order that has come further goes where it stands`(
        state: String,
        outcome: String,
        status: Int,
        code: String?,
        location: String?
    ) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look(state, outcome))
            if state == "placed" {
                shop.provider.answer(200, ProviderBodies.session(mark: crossing.id))
                shop.database.answer("webview_session_review_choice", crossing.row("reviewed", "reviewed").whole)
            }
            let answer = try await shop.ask(.get, Self.target, cookies: crossing.tabCookies)
            #expect(answer.status == status && answer.failure == code && answer[.location] == location)
        }
    }

    @Test(arguments: [("見本町1-1", false), ("別町2-2", true)])
    func `takes a placed order back only where something else was chosen`(line: String, isTakenBack: Bool) async throws
    {
        let crossing = try Crossing()
        try await withCheckout { shop in
            var row = crossing.row("live", "placed")
            row.shown = try crossing.shown()
            shop.database.answer("webview_session_tab_read", row.tab(crossing.id))
            shop.provider.answer(200, ProviderBodies.session(mark: crossing.id, line: line, amount: 27_956))
            if isTakenBack {
                shop.database.answer("webview_session_review_choice", crossing.row("reviewed", "reviewed").whole)
            }
            let answer = try await shop.ask(.get, Self.target, cookies: crossing.tabCookies)
            #expect(answer.status == 303 && answer[.location] == "/confirm_order")
            #expect(shop.database.names.contains("webview_session_review_choice") == isTakenBack)
        }
    }

    @Test(arguments: [("Completed", nil), ("Canceled", "BuyerCanceled")] as [(String, String?)])
    func `of a placed order whose session has ended leads to its result`(state: String, reason: String?) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("placed"))
            shop.provider.answer(200, ProviderBodies.session(state, reason: reason, mark: crossing.id))
            let answer = try await shop.ask(.get, Self.target, cookies: crossing.tabCookies)
            #expect(answer.status == 303 && answer[.location] == "/checkout_result")
            #expect(shop.database.names == ["webview_session_tab_read"])
        }
    }

    @Test func `with another session than the placed one is refused unasked`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read", crossing.look("placed"))
            let other = "/confirm_order?amazonCheckoutSessionId=00000000-0000-4000-8000-000000000000"
            let answer = try await shop.ask(.get, other, cookies: crossing.tabCookies)
            #expect(answer.status == 422 && answer.failure == "order_mismatch")
        }
    }

    @Test func `asks the provider only so often for one session`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            // A call comes back every five seconds, so a slow machine gets some more.
            for _ in 0..<50 {
                shop.database.answer("webview_session_tab_read", crossing.look("opened"))
                shop.provider.answer(200, ProviderBodies.session(line: nil))
                let answer = try await shop.ask(.get, Self.target, cookies: crossing.tabCookies)
                guard answer.failure != "not_priced" else { continue }
                #expect(answer.status == 429 && answer.failure == "rate_limited")
                #expect((1...5).contains(Int(answer[.retryAfter] ?? "") ?? 0))
                #expect(shop.provider.requests.count >= 5)
                return shop.provider.clear()
            }
            Issue.record("the provider was asked 50 times")
        }
    }

    @Test(arguments: ["", "x", "3f1c2d9e-7b40-4f0a-9a55-6f2c8f5b0e1", "../../etc"])
    func `takes nothing but the id of a session`(text: String) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            if text.isEmpty {
                shop.database.answer("webview_session_tab_read_sealed", crossing.look("opened").sealed(nil))
            }
            let target = "/confirm_order?amazonCheckoutSessionId=\(text)"
            let answer = try await shop.ask(.get, target, cookies: crossing.tabCookies)
            // Empty is the same as left out.
            #expect(answer.failure == (text.isEmpty ? nil : "invalid_request"))
            #expect(answer[.location] == (text.isEmpty ? "/button" : nil))
        }
    }
}

@Suite struct `The confirm page` {
    @Test(arguments: [("en", "Review your order"), ("ja", "ご注文内容の確認")])
    func `shows order, address and total, and a form with the return ticket`(
        language: String,
        headline: String
    )
        async throws
    {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer(
                "webview_session_tab_read_sealed",
                try crossing.look("reviewed").sealed(crossing.sealedDetails())
            )
            let fields = [(HTTPFieldName.acceptLanguage, language)]
            let answer = try await shop.ask(.get, "/confirm_order", fields: fields, cookies: crossing.tabCookies)
            #expect(answer.status == 200 && answer.headline == headline)
            #expect(answer.body.contains("lang=\"\(language)\""))
            #expect(answer.body.contains("27,956") && answer.body.contains("見本町1-1"))
            #expect(answer.body.contains(crossing.ticket.text) && answer.body.contains("action=\"/confirm_order"))
            #expect(answer[.webviewSessionID] == crossing.id.description)
            let nonce = try #require(answer.text(between: "nonce=\"", "\""))
            #expect(answer[.contentSecurityPolicy]?.contains("'nonce-\(nonce)'") == true)
        }
    }

    @Test(
        arguments: [
            ("opened", "live", "/button"), ("declined", "live", "/checkout_result"),
            ("purchasing", "read_only", "/checkout_result"),
        ]
    )
    func `leads on where there is nothing to confirm`(state: String, outcome: String, location: String) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read_sealed", crossing.look(state, outcome).sealed(nil))
            let answer = try await shop.ask(.get, "/confirm_order", cookies: crossing.tabCookies)
            #expect(answer.status == 303 && answer[.location] == location)
        }
    }

    @Test func `without what was sealed leads back to the button`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_tab_read_sealed", crossing.look("reviewed").sealed(nil))
            let answer = try await shop.ask(.get, "/confirm_order", cookies: crossing.tabCookies)
            #expect(answer.status == 303 && answer[.location] == "/button")
        }
    }

    @Test func `in profile strict has the link to the app, for the tab that remembers its ticket`() async throws {
        let crossing = try Crossing()
        try await withCheckout(["profile": "strict"]) { shop in
            let look = try crossing.look("reviewed").sealed(crossing.sealedDetails())
            shop.database.answer("webview_session_tab_read_sealed", look)
            let answer = try await shop.ask(.get, "/confirm_order", cookies: crossing.tabCookies)
            #expect(answer.status == 200 && answer.body.contains("https://links.example/index.html?"))
            #expect(!answer.body.contains("action=\"/confirm_order"))
            shop.database.answer("webview_session_tab_read_sealed", look)
            let stray = try await shop.ask(.get, "/confirm_order", cookies: [(Jar.tab, crossing.tab.text)])
            #expect(stray.status == 409 && stray.failure == "session_mismatch")
        }
    }
}

@Suite struct `The buyer's word` {
    private let crossing: Crossing

    init() throws { crossing = try Crossing() }

    private var body: String { "secureWebviewSessionId=\(crossing.ticket.text)&totalPrice=27%2C956" }

    private func placed(_ outcome: String = "placed") throws -> Parameters {
        var row = crossing.row(outcome, "placed")
        row.placements = 1
        return row.whole.sealed(try crossing.sealedDetails())
    }

    @Test func `places the order, tells the provider and sends the buyer there`() async throws {
        let (crossing, body, placed) = (crossing, body, try placed())
        let target = "https://payments.amazon.co.jp/checkout/processing?amazonCheckoutSessionId=1"
        try await withCheckout { shop in
            shop.database.answer("webview_session_agree", placed)
            shop.provider.answer(200, ProviderBodies.session(mark: crossing.id, redirect: target))
            let answer = try await shop.ask(
                .post,
                "/confirm_order",
                fields: [Browser.ownOrigin],
                cookies: crossing.tabCookies,
                body: body
            )
            #expect(answer.status == 303 && answer[.location] == target)
            let asked = try #require(shop.database.asked.first).parameters
            let (tab, ticket, total) = (try asked.digest(0, 3), try asked.digest(0, 4), try asked.int64(0, 5))
            #expect(tab == crossing.tab.hash && ticket == crossing.ticket.hash && total == 27_956)
            let request = try #require(shop.provider.requests.first)
            #expect(request.method == "PATCH" && request.url.hasSuffix(Crossing.session))
            let sent = String(decoding: request.body, as: UTF8.self)
            #expect(sent.contains("\"27956\"") && sent.contains("https://shop.example/checkout_result"))
        }
    }

    @Test(
        arguments: [
            (nil, nil, "00000-00001", "00000-00001", ""), ("A-1001", nil, "A-1001", "00000-00001", ""),
            ("御注文 7", "熨斗付き", "御注文 7", "熨斗付き", ""),
            (String(repeating: "a", count: 100), nil, String(repeating: "a", count: 100), "00000-00001", ""),
            (String(repeating: "茶", count: 85), nil, String(repeating: "茶", count: 85), "00000-00001", ""),
            // The provider does not say how it counts: what could be too long stands behind the mark.
            (
                String(repeating: "茶", count: 100), nil, "00000-00001", "00000-00001",
                " " + String(repeating: "茶", count: 100)
            ),
        ] as [(String?, String?, String, String, String)]
    )
    func `tells the provider the merchant's reference, and whose it is beside it`(
        reference: String?,
        note: String?,
        shown: String,
        told: String,
        rest: String
    ) async throws {
        let (crossing, body) = (crossing, body)
        var row = crossing.row("placed", "placed")
        row.placements = 1
        if let reference {
            let noted = note.map { ",\"note\":\"\($0)\"" } ?? ""
            row.terms = "{\"postage\":500,\"reference\":\"\(reference)\"\(noted)}"
        }
        let placed = row.whole.sealed(try crossing.sealedDetails())
        try await withCheckout { shop in
            shop.database.answer("webview_session_agree", placed)
            shop.provider.answer(
                200,
                ProviderBodies.session(mark: crossing.id, redirect: "https://payments.amazon.co.jp/checkout/1")
            )
            let answer = try await shop.ask(.post, "/confirm_order", cookies: crossing.tabCookies, body: body)
            #expect(answer.status == 303, "\(answer.body)")
            let sent = try JSONParser.parse(try #require(shop.provider.requests.first).body)["merchantMetadata"]
            #expect(sent?["merchantReferenceId"]?.text == shown && sent?["noteToBuyer"]?.text == told)
            #expect(sent?["customInformation"]?.text == "\(SessionMark(crossing.id))\(rest)")
            #expect(shop.provider.requests.count == 1, "nothing more is asked for it")
        }
    }

    @Test(
        arguments: [
            (400, ProviderBodies.refusal("InvalidParameterValue"), "provider_failed"),
            (200, ProviderBodies.session(), "provider_failed"),
            (200, ProviderBodies.session(redirect: "https://evil.example/"), "provider_failed"),
            (200, ProviderBodies.session(line: nil), "not_priced"),
        ]
    )
    func `is taken back where the provider does not take it`(status: Int, answer: String, code: String) async throws {
        let (crossing, body, placed) = (crossing, body, try placed())
        try await withCheckout { shop in
            shop.database.answer("webview_session_agree", placed)
            shop.provider.answer(status, answer)
            shop.database.answer("webview_session_unplace", crossing.row("reviewed", "reviewed").opening)
            let answer = try await shop.ask(.post, "/confirm_order", cookies: crossing.tabCookies, body: body)
            #expect(answer.failure == code)
            let placement = try #require(shop.database.asked.last).parameters.int64(0, 3)
            #expect(placement == 1)
        }
    }

    /// What the provider says of a session that it does not update any more, and what comes of the agreement.
    struct Late: Sendable, CustomTestStringConvertible {
        let reason: String
        let session: String
        var code: String?
        var then: String?

        var testDescription: String { "\(reason), \(session.prefix(110)), \(code ?? "on"), \(then ?? "nothing")" }
    }

    private static let status = "InvalidCheckoutSessionStatus"
    private static let unplaced = "webview_session_unplace"

    @Test(
        arguments: [
            Late(reason: status, session: ProviderBodies.session(amount: 27_956)),
            Late(reason: status, session: ProviderBodies.session("Completed")),
            Late(reason: "CheckoutSessionCanceled", session: ProviderBodies.session("Canceled", reason: "Expired")),
            Late(
                reason: status,
                session: ProviderBodies.session(amount: 27_955),
                then: "webview_session_decline_order"
            ),
            Late(reason: status, session: ProviderBodies.session(), code: "provider_failed", then: unplaced),
            Late(reason: "Other", session: ProviderBodies.session(amount: 1), code: "provider_failed", then: unplaced),
            Late(reason: status, session: ProviderBodies.session("Strange"), code: "provider_failed"),
            Late(reason: status, session: "no json", code: "provider_failed"),
        ],
        [false, true]
    )
    func `that comes too late is judged by the session`(late: Late, isRepeat: Bool) async throws {
        let (crossing, body, placed) = (crossing, body, try placed(isRepeat ? "placed_again" : "placed"))
        try await withCheckout { shop in
            shop.database.answer("webview_session_agree", placed)
            shop.provider.answer(422, ProviderBodies.refusal(late.reason))
            shop.provider.answer(200, late.session)
            let then = late.then == Self.unplaced && isRepeat ? nil : late.then
            if let then { shop.database.answer(then, crossing.row("reviewed", "reviewed").opening) }
            let answer = try await shop.ask(.post, "/confirm_order", cookies: crossing.tabCookies, body: body)
            #expect(answer.failure == late.code && answer.status == (late.code == nil ? 303 : 503))
            #expect(answer[.location] == (late.code == nil ? "/checkout_result" : nil))
            #expect(shop.database.names == ["webview_session_agree", then].compactMap(\.self))
            #expect(shop.provider.requests.map(\.method) == ["PATCH", "GET"])
            // An order that stays placed is said to be under way, whatever the provider said.
            let staysPlaced = late.code != nil && then == nil
            #expect((answer.headline == "ご注文の手続きが進んでいます") == staysPlaced)
        }
    }

    @Test(
        arguments: [
            (400, ProviderBodies.refusal("InvalidParameterValue"), "provider_failed"),
            (404, ProviderBodies.refusal("ResourceNotFound"), "order_mismatch"),
            (200, ProviderBodies.session(redirect: "https://evil.example/"), "provider_failed"),
        ]
    )
    func `said twice stays, where the provider does not take the second`(
        status: Int,
        answer: String,
        code: String
    ) async throws {
        let (crossing, body, placed) = (crossing, body, try placed("placed_again"))
        try await withCheckout { shop in
            shop.database.answer("webview_session_agree", placed)
            shop.provider.answer(status, answer)
            let answer = try await shop.ask(.post, "/confirm_order", cookies: crossing.tabCookies, body: body)
            #expect(answer.failure == code && shop.database.names == ["webview_session_agree"])
            #expect(answer.headline == "ご注文の手続きが進んでいます" && answer.body.contains(#"href="/checkout_result""#))
        }
    }

    @Test func `said again and again is not taken back`() async throws {
        let (crossing, body, placed) = (crossing, body, try placed("placed_again"))
        let target = "https://payments.amazon.co.jp/checkout/processing?amazonCheckoutSessionId=1"
        try await withCheckout { shop in
            for _ in 0..<50 {
                shop.database.answer("webview_session_agree", placed)
                shop.provider.answer(200, ProviderBodies.session(mark: crossing.id, redirect: target))
                let answer = try await shop.ask(.post, "/confirm_order", cookies: crossing.tabCookies, body: body)
                guard answer.failure != nil else { continue }
                #expect(answer.status == 429 && answer.failure == "rate_limited")
                #expect(!shop.database.names.contains("webview_session_unplace"))
                return shop.provider.clear()
            }
            Issue.record("the provider was told 50 times")
        }
    }

    @Test func `is asked for again where another address was chosen meanwhile`() async throws {
        let (crossing, body, placed) = (crossing, body, try placed())
        try await withCheckout { shop in
            shop.database.answer("webview_session_agree", placed)
            shop.provider.answer(200, ProviderBodies.session(mark: crossing.id, line: "別町2-2"))
            shop.database.answer("webview_session_unplace", crossing.row("reviewed", "reviewed").opening)
            shop.database.answer("webview_session_tab_read", crossing.look("reviewed"))
            shop.database.answer("webview_session_review_choice", crossing.row("reviewed", "reviewed").whole)
            let answer = try await shop.ask(.post, "/confirm_order", cookies: crossing.tabCookies, body: body)
            #expect(answer.status == 409 && answer.failure == "price_changed")
        }
    }

    @Test(
        arguments: [
            ("not_reviewed", "opened", 409, "not_priced", nil), ("declined", "declined", 303, nil, "/checkout_result"),
            ("session_mismatch", "reviewed", 409, "session_mismatch", nil),
            ("price_changed", "reviewed", 409, "price_changed", nil),
            ("not_met", "reviewed", 303, nil, "/confirm_order"),
            ("read_only", "purchasing", 303, nil, "/checkout_result"),
            ("closed", "revoked", 403, "unknown_session", nil),
            ("orphan", "revoked", 403, "unknown_session", nil), ("expired", "expired", 403, "unknown_session", nil),
        ] as [(String, String, Int, String?, String?)]
    )
    func `answers what the store decided`(
        outcome: String,
        state: String,
        status: Int,
        code: String?,
        location: String?
    ) async throws {
        let (crossing, body) = (crossing, body)
        try await withCheckout { shop in
            shop.database.answer("webview_session_agree", crossing.row(outcome, state).whole.sealed(nil))
            let answer = try await shop.ask(.post, "/confirm_order", cookies: crossing.tabCookies, body: body)
            #expect(answer.status == status && answer.failure == code && answer[.location] == location)
            #expect(answer.clears(Jar.tab) == (status == 403))
        }
    }

    @Test func `with an unknown tab, or none, gets the neutral page`() async throws {
        let (crossing, body) = (crossing, body)
        try await withCheckout { shop in
            shop.database.answer("webview_session_agree")
            for cookies in [crossing.tabCookies, []] {
                let answer = try await shop.ask(
                    .post,
                    "/confirm_order",
                    fields: [Browser.english],
                    cookies: cookies,
                    body: body
                )
                #expect(answer.status == 403 && answer.headline == "This page has expired")
                #expect(answer.clears(Jar.tab) == !cookies.isEmpty)
            }
        }
    }

    @Test func `of another session's page is known without the store`() async throws {
        let crossing = crossing
        let other = ReturnTicket.parse("swc_" + String(repeating: "A", count: 64))
        let body = "secureWebviewSessionId=\(try #require(other).text)"
        try await withCheckout { shop in
            let answer = try await shop.ask(.post, "/confirm_order", cookies: crossing.tabCookies, body: body)
            #expect(answer.status == 409 && answer.failure == "session_mismatch")
        }
    }

    @Test(arguments: [("totalPrice=x", ""), ("totalPrice=-1", ""), ("", "?shown=x"), ("", "?shown=a&shown=a")])
    func `has to have the form of the page`(more: String, query: String) async throws {
        let (crossing, body) = (crossing, "secureWebviewSessionId=\(crossing.ticket.text)")
        try await withCheckout { shop in
            let whole = more.isEmpty ? body : body + "&" + more
            let answer = try await shop.ask(.post, "/confirm_order" + query, cookies: crossing.tabCookies, body: whole)
            #expect(answer.status == 400 && answer.failure == "invalid_request")
        }
    }

    @Test func `is told to the provider only so often`() async throws {
        let (crossing, body, placed) = (crossing, body, try placed())
        try await withCheckout { shop in
            for _ in 0..<50 {
                shop.database.answer("webview_session_agree", placed)
                shop.database.answer("webview_session_unplace", crossing.row("reviewed", "reviewed").opening)
                shop.provider.answer(400, ProviderBodies.refusal("InvalidParameterValue"))
                let answer = try await shop.ask(.post, "/confirm_order", cookies: crossing.tabCookies, body: body)
                guard answer.failure != "provider_failed" else { continue }
                #expect(answer.status == 429 && answer.failure == "rate_limited")
                #expect(shop.provider.requests.count >= 5)
                return shop.provider.clear()
            }
            Issue.record("the provider was told 50 times")
        }
    }
}
