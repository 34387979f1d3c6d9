import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// An answer of the provider, or none.
struct ProviderStep: Sendable {
    var status = 200
    var body = ""
    var error: HTTPExchangeError.Code?

    static func answer(_ status: Int, _ body: String = "") -> ProviderStep { ProviderStep(status: status, body: body) }

    static func refusal(_ status: Int, _ reason: String) -> ProviderStep {
        ProviderStep(status: status, body: ProviderBodies.refusal(reason))
    }

    /// The same failure as often as a call is tried.
    static func failures(_ error: HTTPExchangeError.Code) -> [ProviderStep] {
        [ProviderStep](repeating: ProviderStep(error: error), count: 3)
    }

    static func script(_ steps: [ProviderStep], _ shop: ScriptedProgram) {
        for step in steps {
            if let error = step.error {
                shop.provider.fail(error)
            } else {
                shop.provider.answer(step.status, step.body, fields: [("x-amz-pay-request-id", "call-1")])
            }
        }
    }
}

/// What the provider says of a payment, and what is stored and answered then.
struct PaymentEnd: Sendable, CustomTestStringConvertible {
    let name: String
    let payment: Payment
    let steps: [ProviderStep]
    let status: Int
    var code: String?
    /// The end that is stored; `nil` where the lease is given back.
    var end: String?
    var reason: String?
    /// The state of the object that is stored with it.
    var state: String?

    var testDescription: String { "\(payment.kind): \(name)" }

    static let all = agreed + refused + unknown

    private static let agreed = [
        PaymentEnd(
            name: "capture under way",
            payment: .capture,
            steps: [.answer(200, ProviderBodies.charge("CaptureInitiated"))],
            status: 202,
            end: "pending",
            state: "CaptureInitiated"
        ),
        PaymentEnd(
            name: "agreed with a body that is none, and read",
            payment: .capture,
            steps: [.answer(200, "nonsense"), .answer(200, ProviderBodies.charge("Captured"))],
            status: 200,
            end: "done",
            state: "Captured"
        ),
        PaymentEnd(
            name: "authorisation under way",
            payment: .createCharge,
            steps: [.answer(201, ProviderBodies.charge("AuthorizationInitiated", amount: 500))],
            status: 202,
            end: "pending",
            state: "AuthorizationInitiated"
        ),
        PaymentEnd(
            name: "refunded at once",
            payment: .refund,
            steps: [.answer(201, ProviderBodies.refund("Refunded", amount: 180))],
            status: 201,
            end: "done",
            state: "Refunded"
        ),
        PaymentEnd(
            name: "refused, and cancelled before",
            payment: .cancelCharge,
            steps: [.refusal(422, "InvalidChargeStatus"), .answer(200, ProviderBodies.charge("Canceled"))],
            status: 200,
            end: "done",
            state: "Canceled"
        ),
        PaymentEnd(
            name: "refused, and closed before",
            payment: .close,
            steps: [.refusal(422, "InvalidChargePermissionStatus"), .answer(200, ProviderBodies.permission("Closed"))],
            status: 200,
            end: "done",
            state: "Closed"
        ),
        PaymentEnd(
            name: "once refused for a moment",
            payment: .createCharge,
            steps: [.answer(429), .answer(201, ProviderBodies.charge("Authorized", amount: 500))],
            status: 201,
            end: "done",
            state: "Authorized"
        ),
    ]

    private static let refused = [
        PaymentEnd(
            name: "declined by the bank, and read",
            payment: .capture,
            steps: [
                .refusal(422, "HardDeclined"), .answer(200, ProviderBodies.charge("Declined", reason: "HardDeclined")),
            ],
            status: 422,
            code: "provider_refused",
            end: "refused",
            reason: "HardDeclined",
            state: "Declined"
        ),
        PaymentEnd(
            name: "captured before with another amount",
            payment: .capture,
            steps: [
                .refusal(422, "InvalidChargeStatus"), .answer(200, ProviderBodies.charge("Captured", captured: 100)),
            ],
            status: 422,
            code: "provider_refused",
            end: "refused",
            reason: "InvalidChargeStatus",
            state: "Captured"
        ),
        PaymentEnd(
            name: "declined by the bank",
            payment: .createCharge,
            steps: [.refusal(422, "HardDeclined")],
            status: 422,
            code: "provider_refused",
            end: "refused",
            reason: "HardDeclined"
        ),
        PaymentEnd(
            name: "made and declined",
            payment: .createCharge,
            steps: [.answer(201, ProviderBodies.charge("Declined", amount: 500, reason: "AmazonRejected"))],
            status: 422,
            code: "provider_refused",
            end: "refused",
            reason: "AmazonRejected",
            state: "Declined"
        ),
        PaymentEnd(
            name: "more than the provider gives back",
            payment: .refund,
            steps: [.refusal(400, "TransactionAmountExceeded")],
            status: 422,
            code: "provider_refused",
            end: "refused",
            reason: "TransactionAmountExceeded"
        ),
        PaymentEnd(
            name: "captured already",
            payment: .cancelCharge,
            steps: [.refusal(422, "InvalidChargeStatus"), .answer(200, ProviderBodies.charge("Captured"))],
            status: 422,
            code: "provider_refused",
            end: "refused",
            reason: "InvalidChargeStatus"
        ),
        PaymentEnd(
            name: "the provider does not know it",
            payment: .close,
            steps: [.refusal(404, "ResourceNotFound")],
            status: 422,
            code: "provider_refused",
            end: "refused",
            reason: "ResourceNotFound"
        ),
        PaymentEnd(
            name: "the key had other octets",
            payment: .createCharge,
            steps: [.refusal(400, "DuplicateIdempotencyKey")],
            status: 422,
            code: "idempotency_key_reused",
            end: "operation_reused"
        ),
        PaymentEnd(
            name: "the key had other octets, and the charge is open",
            payment: .capture,
            steps: [.refusal(400, "DuplicateIdempotencyKey"), .answer(200, ProviderBodies.charge("Authorized"))],
            status: 422,
            code: "idempotency_key_reused",
            end: "operation_reused"
        ),
        PaymentEnd(
            name: "the key had other octets",
            payment: .refund,
            steps: [.refusal(400, "DuplicateIdempotencyKey")],
            status: 422,
            code: "idempotency_key_reused",
            end: "operation_reused"
        ),
    ]

    private static let unknown =
        Payment.all.flatMap { payment in
            [
                PaymentEnd(
                    name: "not sent",
                    payment: payment,
                    steps: ProviderStep.failures(.connectFailed),
                    status: 503,
                    code: "provider_failed",
                    end: "released"
                ),
                PaymentEnd(
                    name: "no answer in time",
                    payment: payment,
                    steps: ProviderStep.failures(.timedOut),
                    status: 503,
                    code: "outcome_unknown"
                ),
                PaymentEnd(
                    name: "500, 502, 503",
                    payment: payment,
                    steps: [.answer(500), .answer(502), .answer(503)],
                    status: 503,
                    code: "outcome_unknown"
                ),
            ]
        } + [
            PaymentEnd(
                name: "agreed with a body that is none",
                payment: .createCharge,
                steps: [.answer(201, "nonsense")],
                status: 503,
                code: "outcome_unknown"
            ),
            PaymentEnd(
                name: "agreed about another amount",
                payment: .refund,
                steps: [.answer(201, ProviderBodies.refund("RefundInitiated", amount: 1))],
                status: 503,
                code: "outcome_unknown"
            ),
            PaymentEnd(
                name: "agreed, and still there",
                payment: .close,
                steps: [
                    .answer(200, ProviderBodies.permission("Chargeable")),
                    .answer(200, ProviderBodies.permission("Chargeable")),
                ],
                status: 503,
                code: "outcome_unknown"
            ),
        ]
}

@Suite struct `The end of a payment` {
    @Test(arguments: PaymentEnd.all)
    func `is what the provider says, and is stored before it is answered`(end: PaymentEnd) async throws {
        try await withMerchants { shop in
            ProviderStep.script(end.steps, shop)
            let statement =
                switch end.end {
                case nil: "operation_expire_lease"
                case "operation_reused": "operation_reused"
                default: "operation_settle"
                }
            if end.end == nil { shop.database.answer(statement) } else { shop.database.answer(statement, Cell.yes) }
            let answer = try await end.payment.begin(shop)
            #expect(
                answer.status == end.status && answer.code == end.code && answer[.webviewSessionID] == Sample.session
            )
            #expect(answer[.retryAfter] == (end.status == 503 ? "5" : nil))
            let begun = try shop.parameters("operation_begin")
            let (operation, attempt) = (try begun.uuid(0, 0), try begun.uuid(0, 1))
            let ended = try shop.parameters(statement)
            let (id, held) = (try ended.uuid(0, 0), try ended.uuid(0, 1))
            #expect(id == operation && held == attempt)
            guard statement == "operation_settle" else { return }
            let settled = try Settled(ended)
            #expect(settled.end == end.end && settled.reason == end.reason && settled.object?.state == end.state)
            #expect(settled.status == (end.end == "released" ? nil : answer.status))
            // A repeat gets the same, so a refusal names the operation and not the request.
            #expect(settled.body == (end.end == "released" ? nil : answer.body))
            let instance = answer.json["instance"]?.text
            #expect(instance == (answer.status < 400 ? nil : "operation:\(operation)"))
        }
    }

    @Test func `that the provider refuses is passed on in its own words`() async throws {
        try await withMerchants { shop in
            ProviderStep.script([.refusal(422, "HardDeclined")], shop)
            shop.database.answer("operation_settle", Cell.yes)
            let refused = try await Payment.createCharge.begin(shop)
            #expect(refused.provider?["status"]?.integer == 422)
            #expect(refused.provider?["reasonCode"]?.text == "HardDeclined")
            #expect(refused.provider?["requestId"]?.text == "call-1" && !refused.body.contains("Sample text"))
            ProviderStep.script(ProviderStep.failures(.timedOut), shop)
            shop.database.answer("operation_expire_lease")
            let unknown = try await Payment.createCharge.begin(shop)
            #expect(unknown.code == "outcome_unknown" && unknown.provider == nil)
        }
    }

    @Test(arguments: Payment.all)
    func `is not ours where somebody else has taken the operation over`(payment: Payment) async throws {
        try await withMerchants { shop in
            shop.provider.answer(200, payment.done.body)
            shop.database.answer("operation_settle", Cell.no)
            let answer = try await payment.begin(shop)
            #expect(answer.status == 409 && answer.code == "request_in_progress" && answer[.retryAfter] == "2")
            #expect(!shop.log.lines(with: "payment.lease_lost").isEmpty)
        }
    }

    @Test(arguments: Payment.all, [PostgresError.Code.unavailable, .outcomeUnknown, .overloaded, .decoding])
    func `is unknown where the database does not take it`(payment: Payment, error: PostgresError.Code) async throws {
        try await withMerchants { shop in
            shop.provider.answer(200, payment.done.body)
            shop.database.fail("operation_settle", error)
            let answer = try await payment.begin(shop)
            #expect(answer.status == 503 && answer.code == "outcome_unknown" && answer[.retryAfter] == "5")
            #expect(answer[.webviewSessionID] == Sample.session && !answer.body.contains("script says"))
        }
    }

    @Test func `stays unknown where the lease cannot be given back`() async throws {
        try await withMerchants { shop in
            ProviderStep.script(ProviderStep.failures(.connectionLost), shop)
            shop.database.fail("operation_expire_lease", .unavailable)
            let answer = try await Payment.refund.begin(shop)
            #expect(answer.status == 503 && answer.code == "outcome_unknown")
            #expect(!shop.log.lines(with: "payment.lease_not_expired").isEmpty)
        }
    }

    @Test func `of a permission ends its charges where the merchant wants it, and they are read`() async throws {
        try await withMerchants { shop in
            shop.provider.answer(200, ProviderBodies.permission("Closed"))
            shop.database.answer("operation_settle", Cell.yes)
            Payment.close.reach(shop)
            shop.database.answer("operation_begin", BeginRow.begun)
            shop.database.answer("ledger_objects", ObjectRow.charge().row, ObjectRow.refund("Refunded").row)
            shop.provider.answer(200, ProviderBodies.charge("Canceled"))
            shop.database.answer("ledger_observe", ObserveRow.changed)
            let answer = try await shop.send(Payment.close.request, body: #"{"cancelPendingCharges":true}"#)
            #expect(answer.status == 200 && answer.json["state"]?.text == "closed")
            let sent = try JSONParser.parse(shop.provider.requests[0].body)
            #expect(sent["cancelPendingCharges"]?.flag == true && shop.provider.requests.count == 2)
            let flag = try shop.parameters("operation_begin").bool(0, 8)
            let seen = try shop.parameters("ledger_observe")
            let (kind, id, state) = (try seen.text(0, 0), try seen.text(0, 1), try seen.text(0, 3))
            #expect(flag && kind == "charge" && id == Sample.charge && state == "Canceled")
        }
    }
}

/// What `ledger_observe` decided.
enum ObserveRow {
    static let changed = Parameters { row in
        row.append(text: "changed")
        row.append(uuid: Sample.id)
    }
}

@Suite struct `A payment that the ledger refuses for what may be over` {
    @Test(
        arguments: [
            (.refund, "wrong_state", "CaptureInitiated"), (.cancelCharge, "wrong_state", "CaptureInitiated"),
            (.capture, "wrong_state", "AuthorizationInitiated"), (.createCharge, "open_charges", ""),
            (.createCharge, "wrong_state", "NonChargeable"),
        ] as [(Payment, String, String)]
    )
    func `reads what is open, and asks the ledger once more`(
        payment: Payment,
        outcome: String,
        state: String
    ) async throws {
        try await withMerchants { shop in
            payment.reach(shop)
            shop.database.answer("operation_begin", BeginRow.row(outcome, state: state))
            shop.database.answer(
                "ledger_objects",
                ObjectRow.permission().row,
                ObjectRow.charge("CaptureInitiated").row,
                ObjectRow.charge("Canceled").row
            )
            shop.provider.answer(200, ProviderBodies.permission("Chargeable"))
            shop.provider.answer(200, ProviderBodies.charge("Captured"))
            shop.database.answer("ledger_observe", ObserveRow.changed)
            shop.database.answer("ledger_observe", ObserveRow.changed)
            shop.database.answer("operation_begin", BeginRow.begun)
            shop.provider.answer(payment.end.status, payment.done.body)
            shop.database.answer("operation_settle", Cell.yes)
            let answer = try await shop.send(payment.request)
            #expect(answer.status == payment.end.status)
            #expect(shop.provider.requests.map(\.method) == ["GET", "GET", payment.call.method])
        }
    }

    @Test func `is refused where it is still so, or cannot be read`() async throws {
        try await withMerchants { shop in
            for isRead in [true, false] {
                Payment.createCharge.reach(shop)
                for _ in 1...2 { shop.database.answer("operation_begin", BeginRow.row("open_charges")) }
                if isRead {
                    shop.database.answer("ledger_objects")
                } else {
                    shop.database.fail("ledger_objects", .unavailable)
                }
                let answer = try await shop.send(Payment.createCharge.request)
                #expect(answer.status == 409 && answer.code == "open_charges")
                #expect(answer.message?.contains("only one is allowed") == true)
            }
            #expect(shop.log.lines(with: "payment.refresh_failed").count == 1)
        }
    }
}

@Suite struct `A payment that was left` {
    private static let operation = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0009)
    private static let key = String(repeating: "a", count: 32)

    /// What the taker of an operation gets.
    private static func left(
        _ payment: Payment,
        _ body: String,
        isLast: Bool = false,
        memo: (reason: String, metadata: String)? = nil
    ) -> Parameters {
        Parameters { row in
            row.append(bool: isLast)
            row.append(uuid: Sample.id)
            row.append(text: payment.kind)
            row.append(text: payment.target)
            row.append(int64: payment.amount)
            row.append(text: "JPY")
            row.append(bytes: Array(body.utf8))
            row.append(text: payment.isPaying ? key : "")
            row.append(text: memo?.reason)
            row.append(json: memo?.metadata)
        }
    }

    /// The octets of the first try, which this version would not write so.
    private static func octets(_ payment: Payment) -> String {
        switch payment.kind {
        case "capture": #"{ "captureAmount":\#(Sample.yen(3_180)),"old":1}"#
        case "refund": #"{ "chargeId":"\#(Sample.charge)","refundAmount":\#(Sample.yen(180)),"old":1}"#
        case "create_charge": #"{ "chargePermissionId":"\#(Sample.permission)","chargeAmount":\#(Sample.yen(500))}"#
        default: #"{"reason":"Of then","cancelsPending":false}"#
        }
    }

    private static func takeUp(_ payment: Payment, _ shop: ScriptedProgram, isLast: Bool = false) async throws -> Answer
    {
        payment.reach(shop)
        shop.database.answer("operation_begin", BeginRow.row("left", left: operation))
        shop.database.answer("operation_take_over", left(payment, octets(payment), isLast: isLast))
        return try await shop.send(payment.request)
    }

    @Test(arguments: [Payment.refund, .createCharge])
    func `is answered with what the first request had said of it`(payment: Payment) async throws {
        try await withMerchants { shop in
            shop.provider.answer(200, payment.done.body)
            shop.database.answer("operation_settle", Cell.yes)
            payment.reach(shop)
            shop.database.answer("operation_begin", BeginRow.row("left", left: Self.operation))
            let memo = (reason: "broken", metadata: #"{"case":"7"}"#)
            shop.database.answer("operation_take_over", Self.left(payment, Self.octets(payment), memo: memo))
            let answer = try await shop.send(payment.request)
            #expect(answer.json["reason"]?.text == "broken" && answer.json["metadata"]?["case"]?.text == "7")
        }
    }

    @Test(arguments: Payment.all)
    func `is taken over by its repeat, which sends the same octets under the same key`(payment: Payment) async throws {
        try await withMerchants { shop in
            // A capture is looked at before it is sent again.
            if payment.kind == "capture" { shop.provider.answer(200, ProviderBodies.charge("Authorized")) }
            shop.provider.answer(200, payment.done.body)
            shop.database.answer("operation_settle", Cell.yes)
            let answer = try await Self.takeUp(payment, shop)
            #expect(answer.status == payment.end.status)
            let call = try #require(shop.provider.requests.last)
            if payment.isPaying {
                #expect(String(decoding: call.body, as: UTF8.self) == Self.octets(payment))
                #expect(call.fields.contains { $0.0 == "x-amz-pay-idempotency-key" && $0.1 == Self.key })
            } else {
                #expect(String(decoding: call.body, as: UTF8.self).contains("Of then"))
            }
            let taken = try shop.parameters("operation_take_over")
            let (id, attempt, isRecovery) = (try taken.uuid(0, 0), try taken.uuid(0, 1), try taken.bool(0, 3))
            let settled = try Settled(shop.parameters("operation_settle"))
            #expect(id == Self.operation && !isRecovery && settled.operation == id && settled.attempt == attempt)
        }
    }

    @Test func `is not sent again where the money was taken`() async throws {
        try await withMerchants { shop in
            shop.provider.answer(200, ProviderBodies.charge("Captured"))
            shop.database.answer("operation_settle", Cell.yes)
            let answer = try await Self.takeUp(.capture, shop)
            #expect(answer.status == 200 && shop.provider.requests.map(\.method) == ["GET"])
        }
    }

    @Test(arguments: Payment.all)
    func `is somebody else's where nothing is taken over`(payment: Payment) async throws {
        try await withMerchants { shop in
            payment.reach(shop)
            shop.database.answer("operation_begin", BeginRow.row("left", left: Self.operation))
            shop.database.answer("operation_take_over")
            let answer = try await shop.send(payment.request)
            #expect(answer.status == 409 && answer.code == "request_in_progress" && answer[.retryAfter] == "2")
        }
    }

    @Test func `is left again where nothing was sent, since the first try may have got through`() async throws {
        try await withMerchants { shop in
            ProviderStep.script(ProviderStep.failures(.connectFailed), shop)
            shop.database.answer("operation_expire_lease")
            let answer = try await Self.takeUp(.refund, shop)
            #expect(answer.status == 503 && answer.code == "outcome_unknown")
        }
    }

    @Test(
        arguments: [
            (false, [.refusal(400, "DuplicateIdempotencyKey")], "DuplicateIdempotencyKey"),
            (true, ProviderStep.failures(.timedOut), "time"), (true, ProviderStep.failures(.connectFailed), "time"),
        ] as [(Bool, [ProviderStep], String)]
    )
    func `is left to a person where no repeat helps`(isLast: Bool, steps: [ProviderStep], reason: String) async throws {
        try await withMerchants { shop in
            ProviderStep.script(steps, shop)
            shop.database.answer("operation_settle", Cell.yes)
            let answer = try await Self.takeUp(.refund, shop, isLast: isLast)
            #expect(answer.status == 503 && answer.code == "outcome_unknown")
            let settled = try Settled(shop.parameters("operation_settle"))
            #expect(settled.end == "stuck" && settled.reason == reason && settled.body == nil && settled.object == nil)
            #expect(!shop.log.lines(with: "payment.stuck").isEmpty)
        }
    }

    @Test(arguments: StoreFailure.all + [.unknown])
    func `says that the database does not answer`(failure: StoreFailure) async throws {
        try await withMerchants { shop in
            Payment.refund.reach(shop)
            shop.database.answer("operation_begin", BeginRow.row("left", left: Self.operation))
            shop.database.fail("operation_take_over", failure.error)
            let answer = try await shop.send(Payment.refund.request)
            #expect(answer.status == failure.status && answer.code == failure.code)
            #expect(answer[.retryAfter] == failure.retryAfter && shop.provider.requests.isEmpty)
        }
    }
}
