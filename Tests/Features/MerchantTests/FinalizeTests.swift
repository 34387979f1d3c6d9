import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite struct `The finalizing of a session that an app started` {
    private static let request = MerchantRequest(
        .post,
        "/v1/sessions/\(Sample.session)/finalize",
        "",
        "",
        SessionBodies.finalization()
    )

    private static func arrival(
        _ outcome: String,
        _ state: String = "issued",
        terms: String? = nil
    ) throws -> Parameters {
        try Webview.row(outcome, state, client: "mobileApp", terms: terms).face
    }

    private static func arrived(_ outcome: String, _ state: String = "placed") throws -> Parameters {
        try Webview.row(outcome, state, client: "mobileApp").whole
    }

    /// Scripts everything up to the purchase.
    private static func arrive(_ shop: ScriptedProgram) throws {
        shop.database.answer("webview_session_mobile_return_read", try arrival("arrived"))
        shop.provider.answer(200, ProviderBodies.session(amount: Webview.total))
        shop.database.answer("webview_session_mobile_return", try arrived("arrived"))
    }

    /// Scripts a purchase that ends well.
    private static func pay(_ shop: ScriptedProgram) throws {
        shop.database.answer("webview_session_begin_attempt", Webview.lease("begin", client: "mobileApp"))
        shop.provider.answer(200, ProviderBodies.session("Completed", amount: Webview.total))
        shop.database.answer("webview_session_settle_patient", try Webview.row("authorized", "authorized").opening)
        Webview.order(shop, "paid")
        shop.database.answer("webview_session_show_receipt")
    }

    @Test func `pins the checkout session that the provider says is its own, and pays`() async throws {
        try await withMerchants { shop in
            try Self.arrive(shop)
            try Self.pay(shop)
            let answer = try await shop.send(Self.request)
            #expect(
                answer.status == 200 && answer.json["state"]?.text == "paid"
                    && answer[.webviewSessionID] == Sample.session
            )
            let (looked, pinned) = (
                try shop.parameters("webview_session_mobile_return_read"),
                try shop.parameters("webview_session_mobile_return")
            )
            let (id, proof, session) = (try looked.uuid(0, 0), try looked.digest(0, 1), try looked.text(0, 3))
            #expect(id == Sample.id && proof == Halves.hash(SessionBodies.proof) && session == Sample.checkoutSession)
            let (ticket, sealed) = (try pinned.digest(0, 3), try pinned.bytes(0, 8))
            #expect(!sealed.isEmpty && !String(decoding: sealed, as: UTF8.self).contains("b@example.test"))
            let begun = try shop.parameters("webview_session_begin_attempt").digest(0, 3)
            #expect(begun == ticket)
            #expect(shop.provider.requests.map(\.method) == ["GET", "POST"])
            let call = try #require(shop.provider.requests.last)
            let sent = try JSONParser.parse(call.body)
            #expect(call.url.hasSuffix("/finalize") && sent["chargeAmount"]?["amount"]?.text == "27956")
            #expect(sent["paymentIntent"]?.text == "Authorize")
        }
    }

    @Test func `that is pinned already is paid without another look at the provider`() async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_mobile_return_read", try Self.arrival("present", "placed"))
            try Self.pay(shop)
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 200 && shop.provider.requests.map(\.method) == ["POST"])
        }
    }

    @Test(
        arguments: [
            ("order_mismatch", "placed", 422, "order_mismatch"), ("declined", "declined", 402, "payment_declined"),
            ("not_priced", "issued", 409, "not_ready"), ("expired", "expired", 410, "session_over"),
            ("dead", "revoked", 410, "session_over"), ("dead", "canceled", 410, "session_over"),
        ]
    )
    func `that the store refuses says why, and asks the provider nothing`(
        outcome: String,
        state: String,
        status: Int,
        code: String
    ) async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_mobile_return_read", try Self.arrival(outcome, state))
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.code == code && answer[.webviewSessionID] == Sample.session)
            #expect(shop.provider.requests.isEmpty)
        }
    }

    @Test(
        arguments: [
            ("order_mismatch", "placed", 422, "order_mismatch"), ("declined", "declined", 402, "payment_declined"),
            ("proof_mismatch", "revoked", 403, "proof_mismatch"), ("proof_required", "issued", 403, "proof_mismatch"),
            ("not_priced", "issued", 409, "not_ready"), ("expired", "expired", 410, "session_over"),
            ("dead", "revoked", 410, "session_over"),
        ]
    )
    func `that is not pinned is not paid`(outcome: String, state: String, status: Int, code: String) async throws {
        try await withMerchants { shop in
            // A wrong proof is counted only where the checkout session is this one's.
            let isDoubtful = outcome.hasPrefix("proof")
            shop.database.answer(
                "webview_session_mobile_return_read",
                try Self.arrival(isDoubtful ? outcome : "arrived")
            )
            shop.provider.answer(200, ProviderBodies.session(amount: Webview.total))
            shop.database.answer("webview_session_mobile_return", try Self.arrived(outcome, state))
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.code == code && answer[.webviewSessionID] == Sample.session)
        }
    }

    @Test(arguments: ["arrived", "proof_mismatch"], [nil, "0190a000-0000-7000-8000-000000000002"])
    func `refuses a checkout session that came of another one, and counts no proof`(
        outcome: String,
        mark: String?
    )
        async throws
    {
        try await withMerchants { shop in
            shop.database.answer("webview_session_mobile_return_read", try Self.arrival(outcome))
            shop.provider.answer(200, ProviderBodies.session(mark: mark, amount: Webview.total))
            let answer = try await shop.send(Self.request)
            #expect(
                answer.status == 422 && answer.code == "order_mismatch" && answer[.webviewSessionID] == Sample.session
            )
        }
    }

    @Test(
        arguments: [
            ([.answer(200, ProviderBodies.session(amount: 1))], 422, "order_mismatch"),
            ([.refusal(404, "ResourceNotFound")], 422, "order_mismatch"),
            ([.refusal(400, "InvalidParameterValue")], 503, "provider_failed"),
            ([.answer(200, "nonsense")], 503, "provider_failed"),
            ([.answer(500), .answer(502), .answer(503)], 503, "provider_failed"),
            (ProviderStep.failures(.timedOut), 503, "provider_failed"),
        ] as [([ProviderStep], Int, String)]
    )
    func `pins nothing that the provider does not confirm`(
        steps: [ProviderStep],
        status: Int,
        code: String
    ) async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_mobile_return_read", try Self.arrival("arrived"))
            ProviderStep.script(steps, shop)
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.code == code && answer[.webviewSessionID] == Sample.session)
        }
    }

    @Test func `knows the address again that it was opened with, and no other`() async throws {
        try await withMerchants(SessionBodies.mobileSettings) { shop in
            shop.database.answer("session_open_app", Cell.time(Sample.time))
            let body = SessionBodies.mobile(#","shippingAddress":\#(SessionBodies.address)"#)
            let opened = try await shop.send(MerchantRequest.all[0], body: body)
            let stored = try shop.parameters("session_open_app").text(0, 15)
            let (id, proof) = (
                try #require(opened.json["id"]?.text), try #require(opened.json["launch"]?["appProof"]?.text)
            )
            let other = SessionBodies.address.replacing("1-1", with: "1-2")
            for (address, isSame) in [(nil, false), (other, false), (SessionBodies.address, true)] {
                let row = try Webview.row("arrived", "issued", client: "mobileApp", terms: stored)
                shop.database.answer("webview_session_mobile_return_read", row.face)
                if isSame {
                    shop.provider.answer(200, ProviderBodies.session(mark: id, amount: Webview.total))
                    shop.database.fail("webview_session_mobile_return", .unavailable)
                }
                let more = address.map { #","shippingAddress":\#($0)"# } ?? ""
                let request = MerchantRequest(.post, "/v1/sessions/\(id)/finalize")
                let answer = try await shop.send(request, body: SessionBodies.finalization(proof: proof, more))
                if isSame {
                    #expect(answer.status == 503 && answer.code == "unavailable")
                } else {
                    #expect(
                        answer.status == 422 && answer.code == "order_mismatch" && answer.field == "shippingAddress"
                    )
                }
            }
        }
    }

    @Test func `takes terms that cannot be read for a fault`() async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_mobile_return_read", try Self.arrival("arrived", terms: "{}"))
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 500 && answer.code == "internal_error" && shop.provider.requests.isEmpty)
        }
    }

    @Test func `whose checkout session was replaced meanwhile is another one's`() async throws {
        try await withMerchants { shop in
            try Self.arrive(shop)
            shop.database.answer("webview_session_begin_attempt")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 422 && answer.code == "order_mismatch" && answer.field == "checkoutSessionId")
            #expect(answer[.webviewSessionID] == Sample.session)
        }
    }

    @Test func `that the bank has not decided is accepted, and merchants are notified`() async throws {
        try await withMerchants { shop in
            try Self.arrive(shop)
            shop.database.answer("webview_session_begin_attempt", Webview.lease("begin", client: "mobileApp"))
            ProviderStep.script(ProviderStep.failures(.timedOut), shop)
            Webview.order(shop, "paying")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 202 && answer[.retryAfter] == "10" && answer.json["state"]?.text == "paying")
        }
    }

    @Test(arguments: StoreFailure.all + [.unknown])
    func `says that the database does not answer, wherever it is asked`(failure: StoreFailure) async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_mobile_return_read", try Self.arrival("arrived"))
            shop.provider.answer(200, ProviderBodies.session(amount: Webview.total))
            shop.database.fail("webview_session_mobile_return", failure.error)
            // A commit that nobody saw is looked for.
            if failure.error == .outcomeUnknown {
                for _ in 1...3 { shop.database.answer("webview_session_verify_commit") }
            }
            let answer = try await shop.send(Self.request)
            #expect(answer.status == failure.status && answer.code == failure.code)
            #expect(answer[.retryAfter] == failure.retryAfter && !answer.body.contains("script says"))
        }
    }

    @Test(
        arguments: [
            (SessionBodies.finalization(session: "nothing"), 422, "order_mismatch", "checkoutSessionId"),
            (SessionBodies.finalization(proof: "swp_short"), 403, "proof_mismatch", "appProof"),
            (SessionBodies.finalization(#","codeVerifier":"short""#), 400, "invalid_request", "codeVerifier"),
            (SessionBodies.finalization(#","shippingAddress":{}"#), 400, "invalid_request", "shippingAddress.name"),
            (SessionBodies.finalization(#","shippingAddress":1"#), 400, "invalid_request", "shippingAddress"),
        ]
    )
    func `is refused before any statement where a member has another form`(
        body: String,
        status: Int,
        code: String,
        field: String
    ) async throws {
        try await withMerchants { shop in
            let answer = try await shop.send(Self.request, body: body)
            #expect(answer.status == status && answer.code == code && answer.field == field)
            #expect(shop.statements.isEmpty)
        }
    }
}
