import EventIO
import HTTPCore
import IntegrationKit
import StrictJSON
import TestKit
import Testing

/// What a merchant refunds.
@Suite struct `The refund` {
    @Test func `of what was captured with the payment needs no message of the provider`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(MerchantClient.order([JSONMember("captureMode", "automatic")]))
            let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
            // The reading that the payment causes fails.
            try await shop.control.fault("GetCharge", count: 1, ["status": 403])
            #expect(try await merchant.complete(session, back).status == 200)
            try await shop.wait(for: "the reading") { try await !shop.control.calls("GetCharge").isEmpty }
            let charge = try shop.value("SELECT object_id FROM payment_object WHERE kind = 'charge'")
            #expect(try shop.ledger(charge) == "CaptureInitiated")
            let body: JSONValue = ["amount": MerchantClient.yen(100)]
            let refund = try await merchant.post("/v1/charges/\(charge)/refunds", body)
            #expect(refund.status == 201, "\(refund.text)")
            #expect(try shop.ledger(charge) == "Captured")
        }
    }

    @Test func `of what was captured with the payment is possible as soon as its charge was read`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let session = try await merchant.open(MerchantClient.order([JSONMember("captureMode", "automatic")]))
            let back = try #require(try await shop.tab().cross(session.url).link("purchase_link"))
            #expect(try await merchant.complete(session, back).status == 200)
            let charge = try shop.value("SELECT object_id FROM payment_object WHERE kind = 'charge'")
            try await shop.wait(for: "the capture") { try shop.ledger(charge) == "Captured" }
        }
    }
}

/// What the provider's support asks for.
@Suite struct `The provider's name of a request` {
    @Test func `is kept with the purchase and the operation that it ended, and shown`() async throws {
        try await withShop(.merchants()) { shop in
            let till = try await Till.open(shop)
            try await till.captureAll()
            let audit = try await shop.runCommand(["audit", till.webviewSession])
            let settled = try audit.output.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
                .filter { $0["op"]?.text == "settle" }
            let request = try #require(settled.first?["providerRequest"]?.text)
            #expect(!request.isEmpty && settled.count == 1)
            let operation = try shop.rows("SELECT operation_id, provider_request FROM payment_operation")
            let id = try #require(operation.first?[0])
            let captured = try #require(operation.first?[1])
            #expect(operation.count == 1 && captured != request)
            let shown = try await shop.runCommand(["payments", id])
            #expect(shown.exit == .code(0), "\(shown.output)")
            let line = try JSONParser.parse(Array(shown.output.utf8))
            #expect(line["providerRequest"]?.text == captured)
            #expect(line["state"]?.text == "done" && line["kind"]?.text == "capture")
            #expect(line["object"]?.text == till.charge)
        }
    }
}

/// A merchant's name for an order.
@Suite struct `A reference that is to be unique` {
    private func order(_ reference: String = "A-1") -> JSONValue {
        MerchantClient.order([JSONMember("reference", .string(reference)), JSONMember("uniqueReference", true)])
    }

    @Test func `opens one session, however many ask at once`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let replies = try await withThrowingTaskGroup(of: MerchantReply.self) { group in
                for _ in 0..<8 { group.addTask { try await merchant.post("/v1/sessions", order()) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let opened = replies.filter { $0.status == 201 }
            #expect(opened.count == 1)
            let id = try #require(opened.first?["id"]?.text)
            for reply in replies where reply.status != 201 {
                #expect(reply.status == 409 && reply.code == "reference_held", "\(reply.text)")
                #expect(reply["sessionId"]?.text == id)
            }
            #expect(try shop.value("SELECT count(*) FROM merchant_order") == "1")
            #expect(try shop.value("SELECT count(*) FROM webview_session") == "1")
            // Another one is free, and who does not ask for it may have two.
            #expect(try await merchant.post("/v1/sessions", order("A-2")).status == 201)
            let plain = MerchantClient.order([JSONMember("reference", "A-1")])
            #expect(try await merchant.post("/v1/sessions", plain).status == 201)
        }
    }

    @Test func `is free again once its session has ended unpaid, and never after a payment`() async throws {
        try await withShop(.merchants()) { shop in
            let merchant = try await shop.merchant()
            let first = try await merchant.open(order(), word: "first")
            // The same request again is the same session.
            #expect(try await merchant.open(order(), word: "first").id == first.id)
            #expect(try await merchant.post("/v1/sessions", order(), word: "second").status == 409)
            #expect(try await merchant.post("/v1/sessions/\(first.id)/cancel", [:]).status == 200)
            // What was refused left nothing behind: the same request is judged anew.
            let second = try await merchant.open(order(), word: "second")
            let back = try #require(try await shop.tab().cross(second.url).link("purchase_link"))
            #expect(try await merchant.complete(second, back).status == 200)
            #expect(try await merchant.post("/v1/sessions", order()).code == "reference_held")
        }
    }
}

/// A process whose settings and database do not belong together.
@Suite struct `A database of another account` {
    private let words = "its newest order is of account OTHER (live), the settings name A1SALLYPORTTEST (sandbox)"

    @Test func `is refused at the start, by reports and by the doctor, unless the settings allow it`() async throws {
        try await withShop { shop in
            let paid = try await shop.paid()
            try shop.rows("UPDATE merchant_order SET account = 'OTHER', environment = 'live'")
            let report = try await shop.runCommand(["reconcile", "--rate", "1000"])
            // A server that starts does not end.
            try #require(report.exit == .code(2) && report.output.contains(words), "\(report.output)")
            let serve = try await shop.runCommand(["serve"])
            #expect(serve.exit == .code(2) && serve.output.contains(words), "\(serve.output)")
            let doctor = try await shop.runCommand(["doctor", "--online"])
            #expect(doctor.output.contains("The newest order is of account OTHER (live)"), "\(doctor.output)")
            let calls = try await shop.control.calls().count
            let allowed = try await shop.runCommand(
                ["reconcile", "--rate", "1000"],
                environment: ["SALLYPORT_PROVIDER_ALLOW_ACCOUNT_CHANGE": "true"]
            )
            #expect(allowed.exit == .code(0), "\(allowed.output)")
            #expect(try await shop.control.calls().count == calls, "orders of others are nobody's business")
            #expect(try shop.ledger(paid.charge) == "Authorized")
        }
    }

    @Test func `is nothing that a merchant can move money in`() async throws {
        try await withShop(.merchants()) { shop in
            let till = try await Till.open(shop)
            try shop.rows("UPDATE merchant_order SET environment = 'live'")
            let calls = try await shop.control.calls().count
            let refused = try await till.capture()
            #expect(refused.status == 409 && refused.json["code"]?.text == "wrong_state", "\(refused.text)")
            #expect(try await shop.control.calls().count == calls)
            #expect(try shop.rows("SELECT 1 FROM payment_operation").isEmpty)
            try shop.rows("UPDATE merchant_order SET environment = 'sandbox'")
            try await till.captureAll()
        }
    }
}
