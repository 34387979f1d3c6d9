import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import Testing

/// What the app sends: both halves.
private func body(_ crossing: Crossing, _ more: String = "") -> String {
    "secureWebviewSessionId=\(crossing.ticket.text)&orderReferenceId=\(Crossing.session)&accessToken=sealed"
        + "&old_secureWebviewSessionId=\(crossing.launch.text)" + more
}

@Suite struct `A purchase` {
    private let crossing: Crossing

    init() throws { crossing = try Crossing() }

    /// The lease is taken under the attempt's id, which the program has drawn.
    private static func begin(_ crossing: Crossing, _ outcome: String = "begin") -> (ResultSet) throws -> Parameters {
        { asked in
            var row = crossing.row(outcome, "purchasing")
            row.attempt = 1
            row.attemptID = try asked.uuid(0, 11)
            return row.whole
        }
    }

    @Test func `that the provider completes is stored and answered`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_begin_attempt", Self.begin(crossing))
            shop.provider.answer(200, ProviderBodies.session("Completed"))
            shop.database.answer("webview_session_settle_patient", crossing.row("authorized", "authorized").opening)
            let answer = try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: body(crossing))
            #expect(answer.status == 200 && answer[.contentType] == "application/json; charset=utf-8")
            #expect(answer.body.hasPrefix("{\"status\":\"200\",\"message\":\"The order placed.\",\"orderId\":\""))
            #expect(answer[.webviewSessionID] == crossing.id.description)
            let receipt = try #require(answer.cookie(Jar.receipt))
            #expect(receipt == "\(crossing.ticket.text); Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=900")
            let (begun, ended) = (shop.database.asked[0].parameters, shop.database.asked[1].parameters)
            let (ticket, app, launch) = (try begun.digest(0, 3), try begun.digest(0, 4), try begun.digest(0, 6))
            #expect(ticket == crossing.ticket.hash && app == crossing.proof.hash && launch == crossing.launch.hash)
            let (lease, held, end) = (try begun.uuid(0, 11), try ended.uuid(0, 3), try ended.text(0, 4))
            let stored = String(decoding: try ended.bytes(0, 5), as: UTF8.self)
            #expect(lease == held && end == "authorized" && stored == answer.body)
            let request = try #require(shop.provider.requests.first)
            #expect(
                request.url.hasSuffix("/complete") && String(decoding: request.body, as: UTF8.self).contains("27956")
            )
            #expect(request.fields.contains { $0.0.lowercased() == "x-amz-pay-idempotency-key" })
        }
    }

    @Test func `whose commit nobody saw is unavailable on pages, which have no other word for it`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.fail("webview_session_begin_attempt", .outcomeUnknown)
            for _ in 1...3 { shop.database.answer("webview_session_verify_commit") }
            let answer = try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: body(crossing))
            #expect(answer.status == 503 && answer.failure == "unavailable")
        }
    }

    @Test func `by a browser without script leads to the receipt`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            for field in [(.secFetchMode, "navigate"), (.accept, "text/html")] as [(HTTPFieldName, String)] {
                var row = crossing.row("replayed", "authorized", client: "browser")
                row.result = Array("{}".utf8)
                shop.database.answer("webview_session_begin_attempt", row.whole)
                let cookies = crossing.tabCookies
                let answer = try await shop.ask(
                    .post,
                    "/purchase",
                    fields: [field],
                    cookies: cookies,
                    body: body(crossing)
                )
                #expect(answer.status == 303 && answer[.location] == "/thanks")
                #expect(answer.cookie(Jar.receipt)?.hasPrefix(crossing.ticket.text) == true)
            }
        }
    }

    @Test func `that was made before is answered with the stored bytes`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            var row = crossing.row("replayed", "authorized")
            row.result = Array("{\"stored\":1}".utf8)
            shop.database.answer("webview_session_begin_attempt", row.whole)
            let answer = try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: body(crossing))
            #expect(answer.status == 200 && answer.body == "{\"stored\":1}")
            #expect(answer.cookie(Jar.receipt) != nil)
        }
    }

    @Test(
        arguments: [
            ("in_progress", "purchasing", 409, "purchase_in_progress", "5"),
            ("declined", "declined", 402, "payment_declined", nil),
            ("not_ready", "reviewed", 409, "not_ready", "2"), ("not_priced", "opened", 409, "not_priced", nil),
            ("price_changed", "placed", 409, "price_changed", nil),
            ("order_mismatch", "placed", 422, "order_mismatch", nil),
            ("proof_required", "placed", 403, "proof_required", nil),
            ("proof_mismatch", "revoked", 403, "proof_mismatch", nil),
            ("expired", "expired", 410, "expired_session", nil),
            ("dead", "revoked", 410, "session_revoked", nil), ("dead", "canceled", 410, "session_canceled", nil),
            ("dead", "expired", 410, "expired_session", nil),
        ] as [(String, String, Int, String, String?)]
    )
    func `that the store refuses is told why, as JSON and as a page`(
        outcome: String,
        state: String,
        status: Int,
        code: String,
        retryAfter: String?
    ) async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_begin_attempt", crossing.row(outcome, state).whole)
            let answer = try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: body(crossing))
            #expect(answer.status == status && answer.failure == code && answer[.retryAfter] == retryAfter)
            #expect(answer[.webviewSessionID] == crossing.id.description && answer.all(.setCookie).isEmpty)
            // What is dead is known without another look.
            if outcome != "dead" {
                shop.database.answer("webview_session_begin_attempt", crossing.row(outcome, state).whole)
            }
            let fields: [(HTTPFieldName, String)] = [Browser.english, (.secFetchMode, "navigate")]
            let page = try await shop.ask(
                .post,
                "/purchase",
                fields: fields,
                cookies: crossing.appCookies,
                body: body(crossing)
            )
            if ["not_ready", "purchase_in_progress", "payment_declined"].contains(code) {
                #expect(page.status == 303 && page[.location] == "/checkout_result")
            } else {
                #expect(page.status == status && page.body.contains("data-error=\"\(code)\""))
            }
        }
    }

    @Test(
        arguments: [
            (
                [(422, ProviderBodies.refusal("InvalidCheckoutSessionStatus")), (200, ProviderBodies.session())],
                "webview_session_release_patient", 409, "not_ready"
            ),
            (
                [
                    (422, ProviderBodies.refusal("HardDeclined")),
                    (200, ProviderBodies.session("Canceled", reason: "Declined")),
                ], "webview_session_settle_patient", 402, "payment_declined"
            ),
            (
                [
                    (422, ProviderBodies.refusal("CheckoutSessionCanceled")),
                    (200, ProviderBodies.session("Canceled", reason: "BuyerCanceled")),
                ], "webview_session_settle_patient", 402, "payment_declined"
            ),
            (
                [(409, ProviderBodies.refusal("AmountMismatch")), (200, ProviderBodies.session(amount: 1))],
                "webview_session_settle_patient", 402, "payment_declined"
            ),
            (
                [(409, ProviderBodies.refusal("AmountMismatch")), (200, ProviderBodies.session(amount: 27_956))],
                "webview_session_release_patient", 503, "provider_failed"
            ),
            (
                [(400, ProviderBodies.refusal("InvalidParameterValue"))], "webview_session_release_patient", 503,
                "provider_failed"
            ),
            (
                [
                    (422, ProviderBodies.refusal("InvalidCheckoutSessionStatus")),
                    (200, ProviderBodies.session("Completed")),
                ], "webview_session_settle_patient", 200, nil
            ),
        ] as [([(Int, String)], String, Int, String?)]
    )
    func `ends its attempt as the provider says`(
        answers: [(Int, String)],
        statement: String,
        status: Int,
        code: String?
    ) async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_begin_attempt", Self.begin(crossing))
            for (status, body) in answers { shop.provider.answer(status, body) }
            shop.database.answer(statement, crossing.row("placed", "placed").opening)
            let answer = try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: body(crossing))
            #expect(answer.status == status && answer.failure == code)
            #expect((answer.cookie(Jar.receipt) != nil) == (status == 200))
        }
    }

    @Test func `whose lease somebody else has taken over says that it is under way`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_begin_attempt", Self.begin(crossing))
            shop.provider.answer(200, ProviderBodies.session("Completed"))
            shop.database.answer("webview_session_settle_patient")
            let answer = try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: body(crossing))
            #expect(answer.status == 409 && answer.failure == "purchase_in_progress" && answer[.retryAfter] == "2")
            #expect(answer.all(.setCookie).isEmpty)
        }
    }

    @Test func `that has to wait is told what is being paid, whoever has the lease`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_begin_attempt", crossing.row("in_progress", "purchasing").whole)
            let other = try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: body(crossing))
            #expect(other.failure == "purchase_in_progress" && other.body.hasSuffix(",\"totalPrice\":\"27,956\"}\n"))
            shop.database.answer("webview_session_begin_attempt", Self.begin(crossing))
            shop.provider.answer(200, ProviderBodies.session("Completed"))
            shop.database.answer("webview_session_settle_patient")
            let own = try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: body(crossing))
            #expect(own.failure == "purchase_in_progress" && own.body.hasSuffix(",\"totalPrice\":\"27,956\"}\n"))
        }
    }

    @Test func `that is taken over asks the provider first`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            shop.database.answer("webview_session_begin_attempt", Self.begin(crossing, "recover"))
            shop.provider.answer(200, ProviderBodies.session("Completed"))
            shop.database.answer("webview_session_settle_patient", crossing.row("authorized", "authorized").opening)
            let answer = try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: body(crossing))
            #expect(answer.status == 200 && shop.provider.requests.map(\.method) == ["GET"])
        }
    }

    @Test func `in profile strict first gives the ticket of the second opening`() async throws {
        let crossing = crossing
        try await withCheckout(["profile": "strict"]) { shop in
            for isPage in [false, true] {
                shop.database.answer("webview_session_begin_attempt", crossing.row("not_ready", "reviewed").whole)
                shop.database.answer("webview_session_present_both", crossing.row("met", "issued").opening)
                let fields: [(HTTPFieldName, String)] = isPage ? [(.secFetchMode, "navigate")] : []
                let answer = try await shop.ask(
                    .post,
                    "/purchase",
                    fields: fields,
                    cookies: crossing.appCookies,
                    body: body(crossing)
                )
                let hash = try #require(shop.database.asked.last).parameters.digest(0, 11)
                let location = answer[.location].map { $0.split(separator: "=")[1] }
                let text = location.map(String.init) ?? answer.text(between: "Id\":\"", "\"")
                #expect(answer.status == (isPage ? 303 : 202))
                #expect(LaunchTicket.parse(text ?? "")?.hash == hash)
                #expect(answer.all(.setCookie).isEmpty)
            }
        }
    }

    @Test func `of one session is tried only so often`() async throws {
        let crossing = crossing
        try await withCheckout { shop in
            for _ in 0..<50 {
                shop.database.answer("webview_session_begin_attempt", Self.begin(crossing))
                shop.database.answer("webview_session_release_patient", crossing.row("placed", "placed").opening)
                shop.provider.answer(400, ProviderBodies.refusal("InvalidParameterValue"))
                let answer = try await shop.ask(.post, "/purchase", cookies: crossing.appCookies, body: body(crossing))
                guard answer.failure != "provider_failed" else { continue }
                #expect(answer.status == 429 && answer.failure == "rate_limited")
                #expect(shop.provider.requests.count >= 10)
                return shop.provider.clear()
            }
            Issue.record("the provider was asked 50 times")
        }
    }
}

@Suite struct `A purchase or a return with a wrong form` {
    @Test(
        arguments: [
            ("orderReferenceId=\(Crossing.session)", 400, "invalid_request"),
            ("secureWebviewSessionId=C", 400, "invalid_request"),
            ("secureWebviewSessionId=swc_x&orderReferenceId=\(Crossing.session)", 404, "unknown_session"),
            ("secureWebviewSessionId=A&orderReferenceId=\(Crossing.session)", 404, "unknown_session"),
            ("secureWebviewSessionId=C&orderReferenceId=x", 422, "order_mismatch"),
            ("secureWebviewSessionId=C&orderReferenceId=\(Crossing.session)&accessToken=other", 422, "order_mismatch"),
            ("secureWebviewSessionId=C&orderReferenceId=\(Crossing.session)&accessToken=", 400, "invalid_request"),
            (
                "secureWebviewSessionId=C&orderReferenceId=\(Crossing.session)&old_secureWebviewSessionId=", 400,
                "invalid_request"
            ),
            (
                "secureWebviewSessionId=C&orderReferenceId=\(Crossing.session)&old_secureWebviewSessionId=C", 400,
                "invalid_request"
            ),
            (
                "secureWebviewSessionId=C&orderReferenceId=\(Crossing.session)&code_verifier=short", 400,
                "invalid_request"
            ),
            ("secureWebviewSessionId=C&orderReferenceId=\(Crossing.session)&totalPrice=1e3", 400, "invalid_request"),
            ("secureWebviewSessionId=C&orderReferenceId=\(Crossing.session)&more=1", 400, "invalid_request"),
        ],
        ["/purchase", "/return"]
    )
    func `is refused before any look`(row: (body: String, status: Int, code: String), path: String) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let text = row.body.replacing("=C", with: "=" + crossing.ticket.text)
                .replacing("=A", with: "=" + crossing.launch.text)
            let answer = try await shop.ask(.post, path, cookies: crossing.appCookies, body: text)
            #expect(answer.status == row.status && answer.failure == row.code)
        }
    }

    @Test(arguments: ["/purchase", "/return"])
    func `names one session in the body and another in the jar`(path: String) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let cookies = [(Jar.tab, "swb_" + String(repeating: "A", count: 64))]
            let answer = try await shop.ask(.post, path, cookies: cookies, body: body(crossing))
            #expect(answer.status == 409 && answer.failure == "session_mismatch")
        }
    }
}

@Suite struct `The check of a return` {
    @Test(
        arguments: [
            ("begin", "placed", 200, nil), ("recover", "purchasing", 200, nil), ("in_progress", "purchasing", 200, nil),
            ("replayed", "authorized", 200, nil), ("not_ready", "reviewed", 200, nil),
            ("declined", "declined", 402, "payment_declined"), ("not_priced", "opened", 409, "not_priced"),
            ("price_changed", "placed", 409, "price_changed"), ("order_mismatch", "placed", 422, "order_mismatch"),
            ("proof_required", "placed", 403, "proof_required"), ("proof_mismatch", "placed", 403, "proof_mismatch"),
            ("expired", "placed", 410, "expired_session"), ("dead", "canceled", 410, "session_canceled"),
        ] as [(String, String, Int, String?)]
    )
    func `says what a purchase would, and begins none`(
        outcome: String,
        state: String,
        status: Int,
        code: String?
    )
        async throws
    {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_check_purchase", crossing.row(outcome, state).face)
            let answer = try await shop.ask(.post, "/return", cookies: crossing.appCookies, body: body(crossing))
            #expect(
                answer.status == status && answer.failure == code
                    && answer[.webviewSessionID] == crossing.id.description
            )
            if status == 200 { #expect(answer.body == "{\"status\":\"ok\"}") }
            #expect(answer.all(.setCookie).isEmpty)
        }
    }

    @Test func `of an unknown ticket names no session`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_check_purchase")
            let answer = try await shop.ask(.post, "/return", cookies: crossing.appCookies, body: body(crossing))
            #expect(answer.status == 404 && answer.failure == "unknown_session" && answer[.webviewSessionID] == nil)
        }
    }
}
