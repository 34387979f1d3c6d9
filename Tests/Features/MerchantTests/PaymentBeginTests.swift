import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import Testing

/// Why an operation does not begin: what the statement decides, and what the merchant reads.
struct BeginRefusal: Sendable, CustomTestStringConvertible {
    let outcome: String
    let status: Int
    let code: String
    var field: String?
    var message: String?
    var retryAfter: String?

    var testDescription: String { outcome }

    static let all = [
        BeginRefusal(
            outcome: "wrong_state",
            status: 409,
            code: "wrong_state",
            message: "The state is authorized, which does not allow the operation."
        ),
        BeginRefusal(outcome: "nothing", status: 400, code: "invalid_amount", field: "amount"),
        BeginRefusal(
            outcome: "other_currency",
            status: 422,
            code: "currency_not_supported",
            field: "amount.currencyCode"
        ),
        BeginRefusal(outcome: "too_many_charges", status: 422, code: "too_many_charges"),
        BeginRefusal(outcome: "in_progress", status: 409, code: "request_in_progress", retryAfter: "2"),
        BeginRefusal(outcome: "key_reused", status: 422, code: "idempotency_key_reused"),
        BeginRefusal(outcome: "stuck", status: 503, code: "outcome_unknown", retryAfter: "5"),
    ]
}

@Suite struct `A payment` {
    @Test(arguments: Payment.all)
    func `is written down before it is sent, and carried out once`(payment: Payment) async throws {
        try await withMerchants { shop in
            shop.provider.answer(200, payment.done.body, fields: [("x-amz-pay-request-id", "call-1")])
            shop.database.answer("operation_settle", Cell.yes)
            let answer = try await payment.begin(shop)
            #expect(answer.status == payment.end.status && answer[.webviewSessionID] == Sample.session)
            #expect(answer[.idempotentReplayed] == nil)
            #expect(answer.json["id"]?.text == payment.object.id && answer.json["sessionId"]?.text == Sample.session)
            let begun = try shop.parameters("operation_begin")
            let (operation, attempt) = (try begun.uuid(0, 0), try begun.uuid(0, 1))
            let (order, kind, target) = (try begun.uuid(0, 3), try begun.text(0, 4), try begun.text(0, 5))
            #expect(order == Sample.id && kind == payment.kind && target == payment.target)
            let amount = try begun.isNull(0, 6) ? nil : try begun.int64(0, 6)
            let (currency, key) = (try LazyRow(begun, 0).read(7, String?.self), try begun.text(0, 10))
            #expect(amount == payment.amount && currency == payment.amount.map { _ in "JPY" })
            let (word, holder) = (try begun.text(0, 12), try begun.uuid(0, 14))
            #expect(word == "word-1" && holder.description == MerchantKey.id)
            let call = try #require(shop.provider.requests.first)
            #expect(shop.provider.requests.count == 1 && call.method == payment.call.method)
            #expect(call.url.hasSuffix("/" + payment.call.path))
            let sent = call.fields.first { $0.0.lowercased() == "x-amz-pay-idempotency-key" }?.1
            #expect(payment.isPaying ? sent == key && key.count == 32 : sent == nil && key.isEmpty)
            let stored = try begun.bytes(0, 9)
            #expect(!payment.isPaying || call.body == stored)
            let settled = try Settled(shop.parameters("operation_settle"))
            #expect(settled.operation == operation && settled.attempt == attempt && settled.reason == nil)
            #expect(settled.end == payment.end.word && settled.status == answer.status && settled.body == answer.body)
            let object = try #require(settled.object)
            #expect(object.kind == payment.object.kind && object.id == payment.object.id)
            #expect(object.state == payment.done.state)
        }
    }

    @Test(arguments: Payment.paying)
    func `notes the provider's name of the call, for its support`(payment: Payment) async throws {
        try await withMerchants { shop in
            shop.provider.answer(200, payment.done.body, fields: [("x-amz-pay-request-id", "call-1")])
            shop.database.answer("operation_settle", Cell.yes)
            _ = try await payment.begin(shop)
            let settled = try Settled(shop.parameters("operation_settle"))
            #expect(settled.call == "call-1")
        }
    }

    @Test(arguments: Payment.all)
    func `sends what the merchant has said of it`(payment: Payment) async throws {
        try await withMerchants { shop in
            shop.provider.answer(200, payment.done.body)
            shop.database.answer("operation_settle", Cell.yes)
            _ = try await payment.begin(shop)
            let sent = try JSONParser.parse(try #require(shop.provider.requests.first).body)
            switch payment.kind {
            case "capture":
                #expect(sent["captureAmount"]?["amount"]?.text == "3180" && sent["softDescriptor"]?.text == "SENCHA")
            case "refund":
                #expect(sent["refundAmount"]?["amount"]?.text == "180" && sent["chargeId"]?.text == Sample.charge)
                #expect(sent["softDescriptor"]?.text == "SENCHA")
            case "create_charge":
                #expect(sent["chargeAmount"]?["amount"]?.text == "500" && sent["captureNow"]?.flag == false)
                #expect(sent["chargePermissionId"]?.text == Sample.permission)
                #expect(sent["canHandlePendingAuthorization"]?.flag == true)
            case "cancel_charge": #expect(sent["cancellationReason"]?.text == "Out of stock")
            default:
                #expect(sent["closureReason"]?.text == "Out of stock" && sent["cancelPendingCharges"]?.flag == false)
            }
        }
    }

    @Test(arguments: Payment.all, BeginRefusal.all)
    func `that the ledger refuses is not sent`(payment: Payment, refusal: BeginRefusal) async throws {
        try await withMerchants { shop in
            payment.reach(shop)
            let operation = UUIDBytes(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0009)
            let row = BeginRow.row(refusal.outcome, state: "Authorized", left: operation)
            shop.database.answer("operation_begin", row)
            let answer = try await shop.send(payment.request)
            #expect(answer.status == refusal.status && answer.code == refusal.code && answer.field == refusal.field)
            #expect(answer[.retryAfter] == refusal.retryAfter && answer[.webviewSessionID] == Sample.session)
            if let message = refusal.message { #expect(answer.message == message) }
            // A request whose own operation was given up can ask for it by its id.
            let named = answer.json["operation"]
            let isOwn = refusal.outcome == "stuck"
            #expect(named?["id"]?.text == (isOwn ? operation.description : nil))
            #expect(named?["kind"]?.text == (isOwn ? payment.kind : nil))
            #expect(shop.provider.requests.isEmpty)
        }
    }

    @Test(arguments: Payment.paying)
    func `of more than is left says how much that is`(payment: Payment) async throws {
        try await withMerchants { shop in
            payment.reach(shop)
            shop.database.answer("operation_begin", BeginRow.row("exceeds", limit: 42))
            let answer = try await shop.send(payment.request)
            #expect(answer.status == 422 && answer.code == "amount_exceeds" && answer.field == "amount")
            let more = payment.kind == "refund" ? ", with what the provider allows above the captured sum" : ""
            #expect(answer.message == "At most 42 JPY are left\(more).")
        }
    }

    @Test func `closes no permission under which a charge is open`() async throws {
        try await withMerchants { shop in
            Payment.close.reach(shop)
            shop.database.answer("operation_begin", BeginRow.row("open_charges"))
            let answer = try await shop.send(Payment.close.request)
            #expect(answer.status == 409 && answer.code == "open_charges")
            #expect(answer.message?.contains("cancelPendingCharges") == true)
        }
    }

    @Test(arguments: Payment.all)
    func `of what the ledger does not have is not found`(payment: Payment) async throws {
        try await withMerchants { shop in
            payment.reach(shop)
            shop.database.answer("operation_begin", BeginRow.row("unknown"))
            let answer = try await shop.send(payment.request)
            #expect(answer.status == 404 && answer.code == "not_found")
        }
    }

    @Test(arguments: Payment.all)
    func `that was carried out is answered as it was, with the status of then`(payment: Payment) async throws {
        try await withMerchants { shop in
            for status in [payment.end.status, 422] {
                payment.reach(shop)
                let kept = BeginRow.row("replayed", status: Int32(status), answer: #"{"kept":1}"#)
                shop.database.answer("operation_begin", kept)
                let answer = try await shop.send(payment.request)
                #expect(answer.status == status && answer[.webviewSessionID] == Sample.session)
                #expect(answer.body == #"{"kept":1}"#)
                #expect(answer[.idempotentReplayed] == "true")
            }
            #expect(shop.provider.requests.isEmpty)
        }
    }

    @Test(arguments: Payment.all)
    func `has one key at the provider for each word of the merchant`(payment: Payment) async throws {
        try await withMerchants { shop in
            for word in ["first", "first", "second"] {
                payment.reach(shop)
                shop.database.answer("operation_begin", BeginRow.row("in_progress"))
                _ = try await shop.send(payment.request, word: word)
            }
            let begun = shop.database.asked.filter { $0.name == "operation_begin" }.map(\.parameters)
            let keys = try begun.map { try $0.text(0, 10) }
            #expect(keys[0] == keys[1] && (keys[0] != keys[2]) == payment.isPaying)
            let operations = Set(try begun.map { try $0.uuid(0, 0) })
            let fingerprints = Set(try begun.map { try $0.bytes(0, 13) })
            #expect(operations.count == 3 && fingerprints.count == 1)
        }
    }

    @Test(arguments: StoreFailure.all + [.unknown])
    func `that the database does not write down is not sent`(failure: StoreFailure) async throws {
        try await withMerchants { shop in
            for payment in Payment.all {
                payment.reach(shop)
                shop.database.fail("operation_begin", failure.error)
                let answer = try await shop.send(payment.request)
                #expect(answer.status == failure.status && answer.code == failure.code)
                #expect(answer[.retryAfter] == failure.retryAfter && shop.provider.requests.isEmpty)
            }
        }
    }

    @Test(arguments: Payment.all)
    func `takes an outcome that nobody knows for a fault`(payment: Payment) async throws {
        try await withMerchants { shop in
            payment.reach(shop)
            shop.database.answer("operation_begin", BeginRow.row("nonsense"))
            let answer = try await shop.send(payment.request)
            #expect(answer.status == 500 && answer.code == "internal_error" && shop.provider.requests.isEmpty)
        }
    }

    @Test(arguments: Payment.all)
    func `is that of another account, and is not begun`(payment: Payment) async throws {
        try await withMerchants { shop in
            payment.reach(shop)
            shop.database.clear()
            if payment.isOfCharge {
                shop.database.answer("ledger_object", ObjectRow.charge().row)
            } else {
                shop.database.answer("order_read", OrderRow("paid").row)
                shop.database.answer("ledger_objects")
                shop.database.answer("ledger_object", ObjectRow.permission().row)
            }
            shop.database.answer("order_own")
            let answer = try await shop.send(payment.request)
            #expect(answer.status == 409 && answer.code == "wrong_state" && answer[.webviewSessionID] == Sample.session)
            #expect(answer.message == "The session is of another account or environment of the provider.")
            let (id, environment) = (
                try shop.parameters("order_own").uuid(0, 0), try shop.parameters("order_own").text(0, 2)
            )
            #expect(id == Sample.id && environment == "sandbox")
        }
    }

    @Test(arguments: Payment.all.filter(\.isOfCharge))
    func `is done to a charge and to nothing else`(payment: Payment) async throws {
        try await withMerchants { shop in
            for row in [ObjectRow.refund(), .permission()] {
                shop.database.answer("ledger_object", row.row)
                let answer = try await shop.send(payment.request)
                #expect(answer.status == 404 && answer.code == "not_found" && answer[.webviewSessionID] == nil)
            }
        }
    }

    @Test(
        arguments: Payment.all.filter { !$0.isOfCharge },
        ["created", "at_provider", "in_review", "paying", "declined", "canceled", "expired", "closed"]
    )
    func `is done to a session that is paid and to no other`(payment: Payment, state: String) async throws {
        try await withMerchants { shop in
            shop.database.answer("order_read", OrderRow(state).row)
            shop.database.answer("ledger_objects")
            let answer = try await shop.send(payment.request)
            #expect(answer.status == 409 && answer.code == "wrong_state" && answer[.webviewSessionID] == Sample.session)
            #expect(answer.message == "The session is \(state), not paid.")
        }
    }

    @Test(arguments: [Payment.createCharge, .capture, .refund])
    func `moves an amount that is written as one`(payment: Payment) async throws {
        try await withMerchants { shop in
            let amounts: [(String, String)] = [
                (#"{"amount":"1.5","currencyCode":"JPY"}"#, "amount"),
                (#"{"amount":"-1","currencyCode":"JPY"}"#, "amount"),
                (#"{"amount":500,"currencyCode":"JPY"}"#, "amount"),
                (#"{"amount":"500","currencyCode":"QQQ"}"#, "amount"),
                (#"{"amount":"","currencyCode":"JPY"}"#, "amount"), (#"{"amount":"500"}"#, "amount"),
            ]
            for (amount, field) in amounts {
                let answer = try await shop.send(payment.request, body: #"{"amount":\#(amount)}"#)
                #expect(answer.status == 400 && answer.code == "invalid_amount" && answer.field == field, "\(amount)")
            }
            for amount in ["500", "\"500\"", "null", "[]"] {
                let answer = try await shop.send(payment.request, body: #"{"amount":\#(amount)}"#)
                #expect(
                    answer.status == 400 && answer.code == "invalid_request" && answer.field == "amount",
                    "\(amount)"
                )
            }
            #expect(shop.statements.isEmpty)
        }
    }

    @Test(
        arguments: [
            (.capture, "softDescriptor", "\"\(String(repeating: "a", count: 17))\""),
            (.capture, "softDescriptor", "\"a\\u202Eb\""), (.refund, "softDescriptor", "7"),
            (.refund, "softDescriptor", "\"\(String(repeating: "a", count: 17))\""),
            (.createCharge, "captureNow", "\"true\""), (.createCharge, "softDescriptor", "[]"),
            (.cancelCharge, "reason", "\"\\u0000\""),
            (.cancelCharge, "reason", "\"\(String(repeating: "a", count: 256))\""),
            (.close, "reason", "\"\\u0007\""), (.close, "cancelPendingCharges", "1"),
        ] as [(Payment, String, String)]
    )
    func `has members of the right form`(payment: Payment, field: String, value: String) async throws {
        try await withMerchants { shop in
            let amount = payment.amount.map { _ in #""amount":\#(Sample.yen(500)),"# } ?? ""
            let answer = try await shop.send(payment.request, body: #"{\#(amount)"\#(field)":\#(value)}"#)
            #expect(answer.status == 400 && answer.code == "invalid_request" && answer.field == field)
            #expect(shop.statements.isEmpty)
        }
    }

    @Test func `of a new charge has a line for the card only where the money is taken at once`() async throws {
        try await withMerchants { shop in
            let more = #"{"amount":\#(Sample.yen(500)),"softDescriptor":"SENCHA""#
            Payment.createCharge.reach(shop)
            let refused = try await shop.send(Payment.createCharge.request, body: more + "}")
            #expect(refused.status == 400 && refused.code == "invalid_request")
            Payment.createCharge.reach(shop)
            shop.database.answer("operation_begin", BeginRow.begun)
            shop.provider.answer(200, ProviderBodies.charge("Captured", amount: 500))
            shop.database.answer("operation_settle", Cell.yes)
            let taken = try await shop.send(Payment.createCharge.request, body: more + #","captureNow":true}"#)
            #expect(taken.status == 201 && taken.json["state"]?.text == "captured")
            let sent = try JSONParser.parse(try #require(shop.provider.requests.first).body)
            #expect(sent["captureNow"]?.flag == true && sent["canHandlePendingAuthorization"]?.flag == false)
            #expect(sent["softDescriptor"]?.text == "SENCHA")
        }
    }

    @Test(arguments: Payment.ending)
    func `that ends something has a reason of its own where the merchant gives none`(payment: Payment) async throws {
        try await withMerchants { shop in
            payment.reach(shop)
            shop.database.answer("operation_begin", BeginRow.row("in_progress"))
            _ = try await shop.send(payment.request, body: "{}")
            let stored = try shop.parameters("operation_begin").value(0, 9)
            #expect(stored["reason"]?.text == "Merchant's request" && stored["cancelsPending"]?.flag == false)
        }
    }
}
