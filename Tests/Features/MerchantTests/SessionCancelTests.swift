import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import Testing

@Suite struct `The cancelling of a session` {
    private static let request = MerchantRequest(.post, "/v1/sessions/\(Sample.session)/cancel", "", "", "{}")
    private static let until = Sample.time + .seconds(60)

    /// Scripts the claim, and what the session is found as.
    private static func reach(_ shop: ScriptedProgram, _ state: String, isCancelled: Bool) {
        shop.database.answer("api_claim", Cell.time(until))
        if isCancelled {
            shop.database.answer("session_cancel", Cell.text("canceled"))
        } else {
            shop.database.answer("session_cancel")
        }
        shop.database.answer("order_read", OrderRow(state).row)
        shop.database.answer("ledger_objects")
    }

    @Test(arguments: ["{}", ""], [true, false])
    func `is answered with the session, also where it was cancelled before`(body: String, isFirst: Bool) async throws {
        try await withMerchants { shop in
            Self.reach(shop, "canceled", isCancelled: isFirst)
            shop.database.answer("api_claim_answer")
            let answer = try await shop.send(Self.request, body: body)
            #expect(answer.status == 200 && answer.json["state"]?.text == "canceled")
            #expect(answer[.webviewSessionID] == Sample.session)
            let claim = try shop.parameters("api_claim")
            let (word, session) = (try claim.text(0, 1), try claim.uuid(0, 3))
            #expect(word == "word-1" && session == Sample.id)
            let cancelled = try shop.parameters("session_cancel").uuid(0, 0)
            let kept = try shop.parameters("api_claim_answer")
            let (status, bytes, end) = (try kept.int64(0, 2), try kept.bytes(0, 3), try kept.timestamp(0, 4))
            #expect(cancelled == Sample.id && status == 200 && end == Self.until)
            #expect(String(decoding: bytes, as: UTF8.self) == answer.body)
        }
    }

    @Test(
        arguments: [
            ("paid", 409, "already_paid"), ("captured", 409, "already_paid"), ("part_refunded", 409, "already_paid"),
            ("refunded", 409, "already_paid"), ("expired", 410, "session_over"), ("closed", 410, "session_over"),
        ]
    )
    func `that is refused for good is refused to every repeat`(state: String, status: Int, code: String) async throws {
        try await withMerchants { shop in
            Self.reach(shop, state, isCancelled: false)
            shop.database.answer("api_claim_answer")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.code == code && answer[.retryAfter] == nil)
            let kept = try shop.parameters("api_claim_answer")
            let (number, bytes) = (try kept.int64(0, 2), try kept.bytes(0, 3))
            #expect(number == status && String(decoding: bytes, as: UTF8.self) == answer.body)
        }
    }

    @Test(arguments: ["paying", "payment_pending", "created", "at_provider", "in_review", "declined"])
    func `that is refused for a moment may be asked for again`(state: String) async throws {
        try await withMerchants { shop in
            Self.reach(shop, state, isCancelled: false)
            shop.database.answer("api_claim_release")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 409 && answer.code == "purchase_in_progress" && answer[.retryAfter] == "2")
            #expect(answer[.webviewSessionID] == Sample.session)
            let released = try shop.parameters("api_claim_release")
            let (word, end) = (try released.text(0, 1), try released.timestamp(0, 2))
            #expect(word == "word-1" && end == Self.until)
        }
    }

    @Test func `of a session that does not exist is refused to every repeat`() async throws {
        try await withMerchants { shop in
            shop.database.answer("api_claim", Cell.time(Self.until))
            shop.database.answer("session_cancel")
            shop.database.answer("order_read")
            shop.database.answer("api_claim_answer")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 404 && answer.code == "not_found" && answer[.webviewSessionID] == nil)
            let status = try shop.parameters("api_claim_answer").int64(0, 2)
            #expect(status == 404)
        }
    }

    @Test(arguments: ["session_cancel", "order_read", "ledger_objects"], StoreFailure.all)
    func `gives its claim back where the database does not answer`(
        statement: String,
        failure: StoreFailure
    ) async throws {
        try await withMerchants { shop in
            let statements = ["session_cancel", "order_read", "ledger_objects"]
            shop.database.answer("api_claim", Cell.time(Self.until))
            for name in statements.prefix(while: { $0 != statement }) {
                if name == "order_read" {
                    shop.database.answer(name, OrderRow("canceled").row)
                } else {
                    shop.database.answer(name, Cell.text("canceled"))
                }
            }
            shop.database.fail(statement, failure.error)
            shop.database.answer("api_claim_release")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == failure.status && answer.code == failure.code)
            #expect(answer[.retryAfter] == failure.retryAfter)
        }
    }

    @Test func `whose commit nobody saw may be asked for again`() async throws {
        try await withMerchants { shop in
            shop.database.answer("api_claim", Cell.time(Self.until))
            shop.database.fail("session_cancel", .outcomeUnknown)
            shop.database.answer("api_claim_release")
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 503 && answer.code == "outcome_unknown" && answer[.retryAfter] == "5")
        }
    }

    @Test func `is answered also where the answer cannot be kept or the claim not be given back`() async throws {
        try await withMerchants { shop in
            Self.reach(shop, "canceled", isCancelled: true)
            shop.database.fail("api_claim_answer", .unavailable)
            let kept = try await shop.send(Self.request)
            #expect(kept.status == 200 && kept.json["state"]?.text == "canceled")
            Self.reach(shop, "paying", isCancelled: false)
            shop.database.fail("api_claim_release", .outcomeUnknown)
            let released = try await shop.send(Self.request)
            #expect(released.status == 409 && released.code == "purchase_in_progress")
        }
    }

    @Test(arguments: [(200, #"{"kept":1}"#), (409, "{\"code\":\"already_paid\"}\n")])
    func `that was answered before is answered so again`(status: Int, body: String) async throws {
        try await withMerchants { shop in
            shop.database.answer("api_claim")
            shop.database.answer("api_claim_state", ClaimRow.answered(Int32(status), Array(body.utf8)))
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.body == body)
            #expect(answer[.contentType]?.hasPrefix("application/problem+json") == (status >= 400))
            #expect(answer[.webviewSessionID] == Sample.session && answer[.idempotentReplayed] == "true")
        }
    }

    @Test(
        arguments: [
            (ClaimRow.running, 409, "request_in_progress", "2"), (ClaimRow.reused, 422, "idempotency_key_reused", nil),
            (nil, 409, "request_in_progress", "2"),
            (ClaimRow.answered(99, []), 500, "internal_error", nil),
        ] as [(Parameters?, Int, String, String?)]
    )
    func `that somebody else has claimed is refused, and nothing is cancelled`(
        state: Parameters?,
        status: Int,
        code: String,
        retryAfter: String?
    ) async throws {
        try await withMerchants { shop in
            shop.database.answer("api_claim")
            if let state {
                shop.database.answer("api_claim_state", state)
            } else {
                shop.database.answer("api_claim_state")
            }
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.code == code && answer[.retryAfter] == retryAfter)
            #expect(!shop.statements.contains("session_cancel"))
        }
    }
}
