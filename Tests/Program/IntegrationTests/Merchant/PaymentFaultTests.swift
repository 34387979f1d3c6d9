import HTTPCore
import IntegrationKit
import StrictJSON
import Telemetry
import TestKit
import Testing

/// Every call that moves or ends a merchant's money, while every try of it goes wrong in one way.
///
/// The money moves once, the books of both sides agree at the end, and until then merchant and operator can read what is up.
@Suite("A payment of a merchant under a fault that lasts", .tags(.database, .slow), .serialized)
struct PaymentFaultTests {
    struct Mishap: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let action: JSONValue
        /// Whether the provider certainly did nothing.
        var isHarmless = false
        /// The status that the operator reads of, where there was an answer.
        var status: Int?
    }

    static let mishaps = [
        Mishap(testDescription: "lost before the effect", action: ["resetBefore": true]),
        Mishap(testDescription: "lost after the effect", action: ["resetAfter": true]),
        Mishap(
            testDescription: "500",
            action: ["status": 500, "reasonCode": "InternalServerError"],
            status: 500
        ),
        Mishap(testDescription: "502 in HTML", action: ["status": 502, "htmlBody": true], status: 502),
        Mishap(testDescription: "503", action: ["status": 503, "reasonCode": "ServiceUnavailable"], status: 503),
        Mishap(
            testDescription: "429",
            action: ["status": 429, "reasonCode": "TooManyRequests"],
            isHarmless: true,
            status: 429
        ),
        Mishap(testDescription: "cut answer", action: ["truncateBody": true]),
        Mishap(testDescription: "answer that is no JSON", action: ["badJson": true]),
        Mishap(testDescription: "answer of another type", action: ["wrongContentType": true]),
        Mishap(testDescription: "success in HTML", action: ["htmlBody": true]),
    ]

    enum Call: String, CaseIterable, Sendable {
        case capture = "CaptureCharge"
        case charge = "CreateCharge"
        case refund = "CreateRefund"
        case cancel = "CancelCharge"
        case close = "CloseChargePermission"
    }

    @Test(arguments: Call.allCases, mishaps)
    func `moves money once, and says what is up`(call: Call, mishap: Mishap) async throws {
        let log = CapturedLog()
        var options = ShopOptions.merchant
        options.logger = log.logger(level: .info)
        try await withShop(options) { shop in
            let till = try await Till.open(shop)
            try await till.prepare(call)
            try await shop.control.fault(call.rawValue, count: 3, mishap.action)
            let (path, body) = till.request(call)
            let first = try await till.post(path, body, mark: "m")
            if !(200...299).contains(first.status) {
                expectWords(first, mishap, till, log)
            }
            try await shop.control.clearFaults()
            // Nobody holds what nobody knows the outcome of: the repeat finds it out at once.
            let answer = try await till.post(path, body, mark: "m")
            #expect((200...201).contains(answer.status), "\(answer.text)")
            #expect(try await till.post(path, body, mark: "m").response.body == answer.response.body)
            #expect(try await till.effects(call.rawValue) == 1)
            try await expectEqualBooks(till)
        }
    }

    @Test func `a charge that was declined while its answer was lost ends with that answer`() async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            try await till.prepare(.charge)
            try await shop.control.fault("CreateCharge", count: 3, ["resetBefore": true])
            let (path, body) = till.request(.charge)
            #expect(try await till.post(path, body, mark: "m").code == "outcome_unknown")
            // What the provider has kept for the key.
            try await shop.control.clearFaults()
            try await shop.control.fault("CreateCharge", ["status": 422, "reasonCode": "HardDeclined"])
            let refused = try await till.insist(path, body, mark: "m")
            #expect((refused.status, refused.code) == (422, "provider_refused"), "\(refused.text)")
            #expect(refused.json["provider"]?["reasonCode"]?.text == "HardDeclined")
            #expect(try await till.post(path, body, mark: "m").response.body == refused.response.body)
            // The permission is free for another request.
            #expect(try await till.post(path, body, mark: "n").status == 201)
            #expect(try await till.effects("CreateCharge") == 1)
        }
    }

    @Test func `after an hour without the provider a repeat is carried out at once`() async throws {
        var options = ShopOptions.merchant
        options.jobPause = .milliseconds(2)
        try await withShop(options) { shop in
            let till = try await Till.open(shop)
            try await shop.control.fault("CaptureCharge", count: 1_000, ["resetBefore": true])
            #expect(try await till.capture(mark: "m").code == "outcome_unknown")
            try await TimeTravel(shop).advance(by: .seconds(3_600), step: .seconds(60))
            #expect(
                try shop.value("SELECT recoveries FROM payment_operation") == "6",
                "pauses of 1, 2, 4 minutes and so on"
            )
            try await shop.control.clearFaults()
            let answer = try await till.capture(mark: "m")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await till.effects("CaptureCharge") == 1)
        }
    }

    @Test func `one that the database refuses to take up holds up no others`() async throws {
        var options = ShopOptions.merchant
        options.jobPause = .milliseconds(2)
        try await withShop(options) { shop in
            let (bad, good) = (try await Till.open(shop), try await Till.open(shop))
            try await shop.control.fault("CaptureCharge", count: 6, ["resetBefore": true])
            for till in [bad, good] {
                #expect(try await till.capture(mark: till.webviewSession).code == "outcome_unknown")
            }
            try await shop.control.clearFaults()
            try shop.refuse(
                updatesOf: "payment_operation",
                where: "NEW.recoveries > OLD.recoveries AND NEW.target = '\(bad.charge)'"
            )
            // Both in one batch, and the bad one first.
            try shop.rows(
                """
                UPDATE payment_operation_open SET next_at = now() - CASE target WHEN $1 THEN interval '2 h' ELSE interval '1 h' END
                """,
                [bad.charge]
            )
            try await shop.wait(for: "the other one") { try good.state == "captured" }
            #expect(try bad.state == "paid")
            try shop.rows("DROP TRIGGER refuse ON payment_operation")
            try shop.rows("UPDATE payment_operation_open SET next_at = now()")
            try await shop.wait(for: "the bad one") { try bad.state == "captured" }
        }
    }

    @Test(arguments: [Call.cancel, .close])
    func `an end whose answer was lost is looked for when the repeat is refused`(call: Call) async throws {
        try await withShop(.merchant) { shop in
            let till = try await Till.open(shop)
            try await shop.control.fault(call.rawValue, count: 3, ["resetAfter": true])
            for reading in ["GetCharge", "GetChargePermission"] {
                try await shop.control.fault(reading, count: 3, ["badJson": true])
            }
            let (path, body) = till.request(call)
            #expect(try await till.post(path, body, mark: "m").code == "outcome_unknown")
            try await shop.control.clearFaults()
            try await shop.control.fault(call.rawValue, ["status": 403, "reasonCode": "InvalidAccountStatus"])
            let answer = try await till.insist(path, body, mark: "m")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await till.effects(call.rawValue) == 1)
            try await expectEqualBooks(till)
        }
    }

    /// A merchant's developer reads what to do, an operator what has happened to which order.
    private func expectWords(_ answer: Page, _ mishap: Mishap, _ till: Till, _ log: CapturedLog) {
        #expect(answer.status == 503, "\(answer.text)")
        #expect(answer.code == (mishap.isHarmless ? "provider_failed" : "outcome_unknown"))
        #expect(answer.json["detail"]?.text?.contains("ry again") == true)
        #expect(answer[field: "retry-after"] == "5")
        #expect(answer.webviewSession == till.webviewSession)
        let told = answer.json["provider"]?["status"]?.integer
        if let status = mishap.status { #expect(told == status) }
        // What came before the fault was settled.
        let lines = log.lines(with: till.webviewSession).filter {
            $0.contains("\"payment.") && !$0.contains("\"payment.settled\"")
        }
        #expect(lines.count == 1, "\(lines)")
        let line = lines.first ?? ""
        if let status = mishap.status { #expect(line.contains(" \(status)"), "\(line)") }
        #expect(line.contains(mishap.isHarmless ? "notSent" : "outcomeUnknown") || line.contains("unreadable"))
        for name in ["operation", "kind", "target"] { #expect(line.contains("\"\(name)\":\""), "\(line)") }
    }

    /// What we hold for true is what the provider does.
    private func expectEqualBooks(_ till: Till) async throws {
        let ours = try till.shop.rows(
            """
            SELECT object_id, lower(state::text), captured::text, refunded::text, open_operation IS NULL AND reserved = 0
            FROM payment_object WHERE kind = 'charge' ORDER BY object_id
            """
        )
        #expect(!ours.isEmpty)
        for row in ours {
            let id = try #require(row[0])
            let theirs = try await till.shop.control.object(id)
            #expect(row[1] == theirs["statusDetails"]?["state"]?.text?.lowercased(), "\(id)")
            let sums = ["captureAmount", "refundedAmount"].map { theirs[$0]?["amount"]?.text ?? "0" }
            #expect([row[2], row[3]] == sums, "\(id)")
            #expect(row[4] == "t")
        }
        #expect(try till.shop.value("SELECT count(*) FROM payment_operation_open") == "0")
    }
}

extension Till {
    /// Brings the order to where the call is possible.
    fileprivate func prepare(_ call: PaymentFaultTests.Call) async throws {
        switch call {
        case .refund: #expect(try await capture().status == 200)
        case .charge: #expect(try await post("/v1/charges/\(charge)/cancel", "{}", mark: "c").status == 200)
        case .capture, .cancel, .close: break
        }
    }

    fileprivate func request(_ call: PaymentFaultTests.Call) -> (path: String, body: String) {
        switch call {
        case .capture: ("/v1/charges/\(charge)/capture", MerchantKey.amount(20_000))
        case .charge: ("/v1/sessions/\(webviewSession)/charges", MerchantKey.amount(9_000))
        case .refund: ("/v1/charges/\(charge)/refunds", MerchantKey.amount(4_000))
        case .cancel: ("/v1/charges/\(charge)/cancel", "{}")
        case .close: ("/v1/sessions/\(webviewSession)/close", #"{"cancelPendingCharges":true}"#)
        }
    }
}
