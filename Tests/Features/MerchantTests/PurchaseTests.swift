import Commerce
import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import Testing

/// Rows of the webview session behind an order.
enum Webview {
    /// What the buyer agreed to, with the postage.
    static let total = 27_956

    /// A row; an app's own checkout has its terms.
    static func row(
        _ outcome: String,
        _ state: String,
        client: String = "iosApp",
        terms: String? = nil
    ) throws -> SessionRow {
        let order = try Catalogue.sample.order(["hd8": 1, "hd10": 1])
        var row = SessionRow(outcome, state, order: order, launchHash: Halves.hash("swa"))
        row.client = client
        row.postage = 500
        row.orderReference = Sample.checkoutSession
        row.terms = client == "mobileApp" ? terms ?? #"{"postage":500}"# : terms
        return row
    }

    /// The lease is given to the attempt that the program has drawn.
    static func lease(_ outcome: String, client: String = "iosApp") -> (ResultSet) throws -> Parameters {
        { asked in
            var row = try row(outcome, "purchasing", client: client)
            row.attempt = 1
            row.attemptID = try asked.uuid(0, 11)
            return row.whole
        }
    }

    /// Scripts the order as it is afterwards.
    static func order(_ shop: ScriptedProgram, _ state: String) {
        shop.database.answer("order_read", OrderRow(state).row)
        shop.database.answer("ledger_objects", ObjectRow.charge().row)
    }
}

/// An outcome on a purchase, as `/v1` reports it.
struct PurchaseRefused: Sendable, CustomTestStringConvertible {
    let outcome: String
    let state: String
    let status: Int
    let code: String
    var retryAfter: String?

    var testDescription: String { "\(outcome) \(state)" }

    static let all = [
        PurchaseRefused(outcome: "declined", state: "declined", status: 402, code: "payment_declined"),
        PurchaseRefused(outcome: "not_ready", state: "reviewed", status: 409, code: "not_ready", retryAfter: "2"),
        PurchaseRefused(outcome: "not_priced", state: "opened", status: 409, code: "not_ready", retryAfter: "2"),
        PurchaseRefused(outcome: "price_changed", state: "placed", status: 409, code: "not_ready", retryAfter: "2"),
        PurchaseRefused(outcome: "order_mismatch", state: "placed", status: 422, code: "order_mismatch"),
        PurchaseRefused(outcome: "proof_required", state: "placed", status: 403, code: "proof_mismatch"),
        PurchaseRefused(outcome: "proof_mismatch", state: "revoked", status: 403, code: "proof_mismatch"),
        PurchaseRefused(outcome: "expired", state: "expired", status: 410, code: "session_over"),
        PurchaseRefused(outcome: "dead", state: "revoked", status: 410, code: "session_over"),
        PurchaseRefused(outcome: "dead", state: "canceled", status: 410, code: "session_over"),
        PurchaseRefused(outcome: "dead", state: "expired", status: 410, code: "session_over"),
    ]
}

@Suite struct `The completing of a session` {
    private static let request = MerchantRequest(
        .post,
        "/v1/sessions/\(Sample.session)/complete",
        "",
        "",
        SessionBodies.completion(",\"codeVerifier\":\"\(String(repeating: "v", count: 43))\"")
    )

    @Test func `pays once, and names the buyer to who holds both halves`() async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_begin_attempt", Webview.lease("begin"))
            shop.provider.answer(200, ProviderBodies.session("Completed", amount: Webview.total))
            shop.database.answer("webview_session_settle_patient", try Webview.row("authorized", "authorized").opening)
            Webview.order(shop, "paid")
            shop.database.answer(
                "webview_session_show_receipt",
                try Webview.row("shown", "authorized").face.sealed(nil)
            )
            let answer = try await shop.send(Self.request)
            #expect(
                answer.status == 200 && answer.json["state"]?.text == "paid"
                    && answer[.webviewSessionID] == Sample.session
            )
            #expect(answer.json["chargePermissionId"]?.text == Sample.permission && answer.all(.setCookie).isEmpty)
            #expect(answer.json["charges"]?.elements.first?["id"]?.text == Sample.charge)
            let begun = try shop.parameters("webview_session_begin_attempt")
            let (ticket, proof, session) = (try begun.digest(0, 3), try begun.digest(0, 4), try begun.text(0, 8))
            #expect(ticket == Halves.hash(SessionBodies.ticket()) && proof == Halves.hash(SessionBodies.proof))
            let (hasVerifier, hasLaunch) = (try !begun.isNull(0, 5), try !begun.isNull(0, 6))
            #expect(session == Sample.checkoutSession && hasVerifier && !hasLaunch)
            let (settled, attempt) = (try shop.parameters("webview_session_settle_patient"), try begun.uuid(0, 11))
            let (held, end) = (try settled.uuid(0, 3), try settled.text(0, 4))
            #expect(held == attempt && end == "authorized")
            #expect(try settled.bool(0, 13), "the provider has shown the names of the order")
            let shown = try shop.parameters("webview_session_show_receipt").digest(0, 1)
            #expect(shown == ticket && shop.provider.requests.count == 1)
            let call = try #require(shop.provider.requests.first)
            #expect(call.url.hasSuffix("/\(Sample.checkoutSession)/complete"))
        }
    }

    @Test func `that was done before is answered with the session as it is now`() async throws {
        try await withMerchants { shop in
            for receipt in ["shown", "over", "fault"] {
                var row = try Webview.row("replayed", "authorized")
                row.result = Array("{}".utf8)
                shop.database.answer("webview_session_begin_attempt", row.whole)
                Webview.order(shop, "captured")
                if receipt == "fault" {
                    shop.database.fail("webview_session_show_receipt", .unavailable)
                } else {
                    shop.database.answer(
                        "webview_session_show_receipt",
                        try Webview.row(receipt, "authorized").face.sealed(nil)
                    )
                }
                let answer = try await shop.send(Self.request)
                // That it is paid is said also where the buyer cannot be named.
                #expect(answer.status == 200 && answer.json["state"]?.text == "captured" && answer.json["buyer"] == nil)
            }
            #expect(shop.provider.requests.isEmpty)
        }
    }

    @Test(arguments: PurchaseRefused.all)
    func `that the store refuses says why`(refused: PurchaseRefused) async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_begin_attempt", try Webview.row(refused.outcome, refused.state).whole)
            if refused.status == 402 { Webview.order(shop, "declined") }
            let answer = try await shop.send(Self.request)
            #expect(answer.status == refused.status && answer.code == refused.code)
            #expect(answer[.retryAfter] == refused.retryAfter && answer[.webviewSessionID] == Sample.session)
            #expect(shop.provider.requests.isEmpty)
        }
    }

    @Test func `that is under way is accepted, with the session and when to ask again`() async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_begin_attempt", try Webview.row("in_progress", "purchasing").whole)
            Webview.order(shop, "paying")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 202 && answer.json["state"]?.text == "paying" && answer[.retryAfter] == "5")
        }
    }

    @Test(
        arguments: [
            (
                [.refusal(422, "HardDeclined"), .answer(200, ProviderBodies.session("Canceled", reason: "Declined"))],
                "webview_session_settle_patient", 402, "payment_declined"
            ),
            (
                [.refusal(422, "InvalidCheckoutSessionStatus"), .answer(200, ProviderBodies.session())],
                "webview_session_release_patient", 409, "not_ready"
            ),
            ([.refusal(400, "InvalidParameterValue")], "webview_session_release_patient", 503, "provider_failed"),
            (ProviderStep.failures(.connectFailed), "webview_session_release_patient", 503, "provider_failed"),
        ] as [([ProviderStep], String, Int, String)]
    )
    func `ends its attempt as the provider says`(
        steps: [ProviderStep],
        statement: String,
        status: Int,
        code: String
    ) async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_begin_attempt", Webview.lease("begin"))
            ProviderStep.script(steps, shop)
            shop.database.answer(statement, try Webview.row("placed", "placed").opening)
            if status == 402 { Webview.order(shop, "declined") }
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.code == code && answer[.webviewSessionID] == Sample.session)
        }
    }

    @Test func `that was declined says why and when, unless the database does not answer`() async throws {
        try await withMerchants { shop in
            for isRead in [true, false] {
                shop.database.answer("webview_session_begin_attempt", try Webview.row("declined", "declined").whole)
                if isRead {
                    var row = OrderRow("declined")
                    (row.declineReason, row.declined) = ("BuyerCanceled", Sample.time)
                    shop.database.answer("order_read", row.row)
                    shop.database.answer("ledger_objects")
                } else {
                    shop.database.fail("order_read", .unavailable)
                }
                let answer = try await shop.send(Self.request)
                #expect(answer.status == 402 && answer.code == "payment_declined")
                let decline = answer.json["lastDecline"]
                let expected = #"{"reasonCode":"BuyerCanceled","at":"\#(Sample.text)"}"#
                #expect(decline?.description == (isRead ? expected : nil))
            }
        }
    }

    @Test func `whose outcome nobody knows keeps its lease, and is accepted`() async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_begin_attempt", Webview.lease("begin"))
            ProviderStep.script(ProviderStep.failures(.timedOut), shop)
            Webview.order(shop, "paying")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 202 && answer[.retryAfter] == "10" && answer.json["state"]?.text == "paying")
        }
    }

    @Test func `whose lease was lost is accepted`() async throws {
        try await withMerchants { shop in
            shop.database.answer("webview_session_begin_attempt", Webview.lease("begin"))
            shop.provider.answer(200, ProviderBodies.session("Completed", amount: Webview.total))
            shop.database.answer("webview_session_settle_patient")
            Webview.order(shop, "paying")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 202 && answer[.retryAfter] == "2")
        }
    }

    @Test(arguments: StoreFailure.all)
    func `says that the database does not answer about the order`(failure: StoreFailure) async throws {
        try await withMerchants { shop in
            for outcome in ["in_progress", "replayed"] {
                var row = try Webview.row(outcome, outcome == "replayed" ? "authorized" : "purchasing")
                row.result = Array("{}".utf8)
                shop.database.answer("webview_session_begin_attempt", row.whole)
                shop.database.fail("order_read", failure.error)
                let answer = try await shop.send(Self.request)
                #expect(answer.status == failure.status && answer.code == failure.code)
                #expect(answer[.retryAfter] == failure.retryAfter)
            }
        }
    }

    @Test func `in profile strict opens the tab a second time once the halves have met`() async throws {
        try await withMerchants(["profile": "strict"]) { shop in
            shop.database.answer("webview_session_begin_attempt", try Webview.row("not_ready", "reviewed").whole)
            shop.database.answer("webview_session_present_both", try Webview.row("met", "issued").opening)
            Webview.order(shop, "in_review")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 202 && answer.json["state"]?.text == "in_review")
            let launch = try #require(answer.json["launch"])
            let ticket = try #require(launch["ticket"]?.text)
            #expect(launch["url"]?.text?.hasSuffix(ticket) == true && launch["appProof"] == nil)
            let hash = try shop.parameters("webview_session_present_both").digest(0, 11)
            #expect(hash == Halves.hash(ticket) && launch["expiresAt"] != nil)
        }
    }

    @Test(
        arguments: [
            (SessionBodies.completion(ticket: "swc_short"), 422, "order_mismatch", "returnTicket"),
            (
                SessionBodies.completion(ticket: SessionBodies.ticket(UUIDBytes(high: 1, low: 2))), 422,
                "order_mismatch",
                "returnTicket"
            ),
            (
                SessionBodies.completion(ticket: SessionBodies.ticket().replacing("swc_", with: "swa_")), 422,
                "order_mismatch", "returnTicket"
            ),
            (SessionBodies.completion(session: "nothing"), 422, "order_mismatch", "orderReferenceId"),
            (SessionBodies.completion(proof: "swp_short"), 403, "proof_mismatch", "appProof"),
            (SessionBodies.completion(#","codeVerifier":"short""#), 400, "invalid_request", "codeVerifier"),
            (SessionBodies.completion(#","codeVerifier":7"#), 400, "invalid_request", "codeVerifier"),
        ]
    )
    func `is refused before any statement where a half has another form`(
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

    @Test func `is limited where proofs are missed again and again`() async throws {
        try await withMerchants(["limits.unknown_per_minute": "2"]) { shop in
            for number in 0..<50 {
                shop.database.answer("webview_session_begin_attempt", try Webview.row("proof_mismatch", "placed").whole)
                let answer = try await shop.send(Self.request)
                guard answer.status != 403 else { continue }
                #expect(number >= 1 && answer.status == 429 && answer.code == "rate_limited")
                return shop.database.clear()
            }
            Issue.record("50 wrong proofs were looked at")
        }
    }
}
