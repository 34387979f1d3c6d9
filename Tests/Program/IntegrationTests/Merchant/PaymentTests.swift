import EventIO
import HTTPCore
import IntegrationKit
import StrictJSON
import Testing

/// Captures, refunds, cancellations, charges and closes by a merchant's server.
@Suite("Payments of merchants", .tags(.database))
struct PaymentTests {
    @Test func `captures once, and answers every repeat with the same`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            let first = try await till.capture(20_000)
            #expect(first.status == 200, "\(first.text)")
            #expect(first.json["state"]?.text == "captured")
            #expect(first.json["captured"]?["amount"]?.text == "20000")
            #expect(first.webviewSession == till.webviewSession)
            #expect(try await till.capture(20_000).response.body == first.response.body)
            #expect(try await till.effects("CaptureCharge") == 1)
            #expect(try till.state == "captured")
            #expect(try till.events == ["session.paid", "charge.authorized", "charge.captured"])
            let read = try await till.get("/v1/charges/\(till.charge)")
            #expect(read.json["captured"]?["amount"]?.text == "20000")
            let list = try await till.get("/v1/sessions/\(till.webviewSession)/charges")
            #expect(list.json["data"]?.elements.count == 1)
            // Another request under the same mark, and the same money under another.
            #expect(try await till.capture(19_999).code == "idempotency_key_reused")
            let again = try await till.capture(1, mark: "again")
            #expect((again.status, again.code) == (409, "wrong_state"))
        }
    }

    @Test func `refunds in parts, up to a little more than was captured`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            #expect(try await till.refund(1, mark: "early").code == "wrong_state")
            try await till.captureAll()
            let first = try await till.refund(10_000, mark: "one")
            #expect(first.status == 201, "\(first.text)")
            #expect(first.json["state"]?.text == "refund_initiated")
            #expect(try till.state == "part_refunded")
            let much = try await till.refund(22_196, mark: "two")
            #expect((much.status, much.code) == (422, "amount_exceeds"))
            let left = "At most 22195 JPY are left, with what the provider allows above the captured sum."
            #expect(much.json["detail"]?.text == left)
            #expect(try await till.refund(22_195, mark: "three").status == 201)
            #expect(try till.state == "refunded")
            let id = try #require(first.json["id"]?.text)
            #expect(try await till.get("/v1/refunds/\(id)").json["chargeId"]?.text == till.charge)
            #expect(try await till.effects("CreateRefund") == 2)
        }
    }

    @Test func `cancels, charges again and closes`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            let charges = "/v1/sessions/\(till.webviewSession)/charges"
            let close = "/v1/sessions/\(till.webviewSession)/close"
            #expect(try await till.post(charges, MerchantKey.amount(1), mark: "1").code == "amount_exceeds")
            #expect(try await till.post(close, "{}", mark: "2").code == "open_charges")
            let cancelled = try await till.post(
                "/v1/charges/\(till.charge)/cancel",
                #"{"reason":"sold out"}"#,
                mark: "3"
            )
            #expect((cancelled.status, cancelled.json["state"]?.text) == (200, "canceled"))
            #expect(try till.state == "canceled")
            let charged = try await till.post(charges, MerchantKey.amount(5_000), mark: "4")
            #expect((charged.status, charged.json["state"]?.text) == (201, "authorized"), "\(charged.text)")
            #expect(try till.state == "paid")
            // The provider has one charge at a time, and is not asked for another.
            let second = try await till.post(charges, MerchantKey.amount(1), mark: "5")
            #expect((second.status, second.code) == (409, "open_charges"), "\(second.text)")
            #expect(try await shop.control.calls("CreateCharge").count == 1)
            let id = try #require(charged.json["id"]?.text)
            let taken = try await till.post("/v1/charges/\(id)/capture", MerchantKey.amount(4_000), mark: "6")
            #expect((taken.status, taken.json["state"]?.text) == (200, "captured"), "\(taken.text)")
            let now = try await till.post(
                charges,
                MerchantKey.amount(700, #","captureNow":true,"softDescriptor":"SWEET SHOP""#),
                mark: "7"
            )
            #expect((now.status, now.json["state"]?.text) == (201, "captured"), "\(now.text)")
            #expect(try shop.value("SELECT captured FROM merchant_order") == "4700")
            let held = try await till.post(charges, MerchantKey.amount(300), mark: "8")
            #expect(held.status == 201, "\(held.text)")
            let closed = try await till.post(close, #"{"cancelPendingCharges":true}"#, mark: "9")
            #expect((closed.status, closed.json["state"]?.text) == (200, "closed"), "\(closed.text)")
            // The charge that was held went with it.
            let last = try #require(held.json["id"]?.text)
            #expect(try await till.get("/v1/charges/\(last)").json["state"]?.text == "canceled")
            #expect(
                try till.events == [
                    "session.paid", "charge.authorized", "charge.canceled", "charge.authorized", "charge.captured",
                    "charge.captured", "charge.authorized", "permission.closed", "charge.canceled",
                ]
            )
            #expect(try till.state == "captured")
        }
    }

    @Test func `charges again where the ledger has missed the end of the charge before`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            // Read while the charge was held, and not since.
            try shop.rows(
                "UPDATE payment_object SET state = 'NonChargeable', reason = 'ChargeInProgress' WHERE object_id = $1",
                [till.permission]
            )
            let charges = "/v1/sessions/\(till.webviewSession)/charges"
            let early = try await till.post(charges, MerchantKey.amount(1), mark: "1")
            #expect((early.status, early.code) == (409, "open_charges"), "\(early.text)")
            try await shop.control.force("charges/" + till.charge, "Canceled", "ExpiredUnused")
            #expect(try shop.ledger(till.charge) == "Authorized")
            let charged = try await till.post(charges, MerchantKey.amount(5_000), mark: "1")
            #expect(charged.status == 201, "\(charged.text)")
            #expect(try shop.ledger(till.charge) == "Canceled")
            #expect(try shop.ledger(till.permission) == "Chargeable")
        }
    }

    @Test func `refuses what is no payment`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            let path = "/v1/charges/\(till.charge)/capture"
            for (body, code, field) in [
                (#"{}"#, "invalid_request", "amount"), (#"{"amount":100}"#, "invalid_request", "amount"),
                (#"{"amount":{"amount":100,"currencyCode":"JPY"}}"#, "invalid_amount", "amount"),
                (#"{"amount":{"amount":"1.5","currencyCode":"JPY"}}"#, "invalid_amount", "amount"),
                (MerchantKey.amount(0), "invalid_amount", "amount"),
                (#"{"amount":{"amount":"1","currencyCode":"USD"}}"#, "currency_not_supported", "amount.currencyCode"),
                (MerchantKey.amount(1, #","more":1"#), "invalid_request", "more"),
                (MerchantKey.amount(1, #","softDescriptor":"seventeen letters""#), "invalid_request", "softDescriptor"),
            ] {
                let answer = try await till.post(path, body, mark: "m")
                #expect(answer.code == code, "\(body) \(answer.text)")
                #expect(answer.json["field"]?.text == field, "\(body)")
            }
            for other in ["S01-0000000-0000000-C000000", till.permission, "x"] {
                let answer = try await till.post("/v1/charges/\(other)/capture", MerchantKey.amount(1), mark: "n")
                #expect(answer.status == 404)
            }
            #expect(try await till.effects("CaptureCharge") == 0)
        }
    }

    @Test func `tells what the provider said when it refused, every time`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            try await shop.control.fault("CaptureCharge", ["status": 400, "reasonCode": "TransactionAmountExceeded"])
            let refused = try await till.capture()
            #expect((refused.status, refused.code) == (422, "provider_refused"), "\(refused.text)")
            #expect(refused.json["provider"]?["reasonCode"]?.text == "TransactionAmountExceeded")
            let again = try await till.capture()
            #expect(again.response.body == refused.response.body)
            #expect(try await till.capture(mark: "another").status == 200)
            #expect(try await till.effects("CaptureCharge") == 1)
        }
    }

    static let actions: [JSONValue] = [
        ["resetAfter": true], ["resetBefore": true], ["status": 500], ["status": 502, "htmlBody": true],
        ["status": 503],
        ["status": 429, "reasonCode": "TooManyRequests"], ["truncateBody": true], ["badJson": true],
        ["wrongContentType": true], ["htmlBody": true],
    ]

    enum Call: String, CaseIterable, Sendable {
        case capture = "CaptureCharge"
        case charge = "CreateCharge"
        case refund = "CreateRefund"
        case cancel = "CancelCharge"
        case close = "CloseChargePermission"
    }

    @Test(arguments: Call.allCases, actions.indices)
    func `a fault delays what is asked for and never doubles it`(call: Call, action: Int) async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            switch call {
            case .refund: try await till.captureAll()
            case .charge:
                #expect(try await till.post("/v1/charges/\(till.charge)/cancel", "{}", mark: "c").status == 200)
            case .capture, .cancel, .close: break
            }
            // One try, and more than a request makes.
            try await shop.control.fault(call.rawValue, count: action % 2 == 0 ? 1 : 5, PaymentTests.actions[action])
            let (path, body) = till.request(call)
            let answer = try await till.insist(path, body, mark: "m")
            #expect((200...201).contains(answer.status), "\(answer.text)")
            try await shop.control.clearFaults()
            #expect(try await till.post(path, body, mark: "m").response.body == answer.response.body)
            #expect(try await till.effects(call.rawValue) == 1)
            let keys = Set(try await shop.control.calls(call.rawValue).map(\.key))
            // A refusal for too many calls had no effect, so there may be another operation afterwards.
            #expect(keys.count == 1 || PaymentTests.actions[action]["status"]?.integer == 429)
            #expect(try shop.value("SELECT count(*) FROM payment_operation_open") == "0")
            #expect(
                try shop.value("SELECT count(*) FROM payment_object WHERE open_operation IS NOT NULL OR reserved <> 0")
                    == "0"
            )
        }
    }

    @Test func `does not believe a repeat that says the key was used for something else`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            try await till.captureAll()
            try await shop.control.fault("CreateRefund", count: 1_000, ["status": 503])
            #expect(try await till.refund(500, mark: "r").code == "outcome_unknown")
            try await shop.control.clearFaults()
            try await shop.control.fault("CreateRefund", ["status": 400, "reasonCode": "DuplicateIdempotencyKey"])
            let stuck = try await till.refund(500, mark: "r")
            #expect((stuck.status, stuck.code) == (503, "outcome_unknown"))
            #expect(try shop.value("SELECT state FROM payment_operation WHERE kind = 'refund'") == "stuck")
            // Nothing more is done to the charge until a person has looked.
            let again = try await till.refund(500, mark: "r")
            #expect((again.status, again.code) == (503, "outcome_unknown"))
            #expect(try await till.refund(100, mark: "s").status == 409)
            #expect(try await till.effects("CreateRefund") == 0)
            let (exit, output) = try await shop.runCommand(["payments"])
            #expect(exit == .code(0), "\(output)")
            let line = try JSONParser.parse(Array(output.utf8))
            #expect(line["target"]?.text == till.charge)
            #expect(line["reason"]?.text == "DuplicateIdempotencyKey")
            let id = try #require(line["operation"]?.text)
            #expect(try await shop.runCommand(["payments", id, "--end"]).exit == .code(0))
            let ended = try await till.refund(500, mark: "r")
            #expect((ended.status, ended.code) == (422, "provider_refused"))
            #expect(try await till.refund(100, mark: "s").status == 201)
            #expect(try await shop.runCommand(["payments", id, "--end"]).exit == .code(1))
        }
    }

    @Test func `sends the same again when an operator says so`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            try await shop.control.fault("CaptureCharge", count: 1_000, ["status": 503])
            #expect(try await till.capture().status == 503)
            #expect(try await till.capture().code == "outcome_unknown")
            try shop.rows("UPDATE payment_operation SET created_at = now() - interval '3 days'")
            try shop.rows("UPDATE payment_operation_open SET next_at = now()")
            let stuck = "SELECT operation_id FROM payment_operation WHERE state = 'stuck'"
            try await shop.wait(for: "the end of recovery") { try !shop.rows(stuck).isEmpty }
            let id = try shop.value(stuck)
            try await shop.control.clearFaults()
            #expect(try await shop.runCommand(["payments", id, "--resume"]).exit == .code(0))
            let answer = try await till.insist(
                "/v1/charges/\(till.charge)/capture",
                MerchantKey.amount(27_996),
                mark: "capture"
            )
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await till.effects("CaptureCharge") == 1)
        }
    }
}

extension Till {
    /// The request that makes a call.
    fileprivate func request(_ call: PaymentTests.Call) -> (path: String, body: String) {
        switch call {
        case .capture: ("/v1/charges/\(charge)/capture", MerchantKey.amount(27_996))
        case .charge: ("/v1/sessions/\(webviewSession)/charges", MerchantKey.amount(9_000))
        case .refund: ("/v1/charges/\(charge)/refunds", MerchantKey.amount(4_000))
        case .cancel: ("/v1/charges/\(charge)/cancel", "{}")
        case .close: ("/v1/sessions/\(webviewSession)/close", #"{"cancelPendingCharges":true}"#)
        }
    }
}
