import Checkout
import Merchant
import MerchantOrders
import Postgres
import Primitives
import SessionBroker
import StrictJSON
import Testing

@Suite("The event of a charge")
struct LedgerEventTests {
    @Test func `has the sums of the charge, whatever part of it was taken or given back`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            _ = try await rig.orders.observe(rig.charge("S01-1-C1", .captured, at: 10, captured: 20_000))
            #expect(try rig.newestObject(crossing) == "charge.captured charge C1 27996 of C1: 20000 0")
            _ = try await rig.orders.observe(rig.refund("S01-1-R1", .refundInitiated, 5_000))
            #expect(try rig.newestObject(crossing) == "refund.created refund R1 5000 of C1: 20000 5000")
            _ = try await rig.orders.observe(rig.refund("S01-1-R2", .refunded, 700))
            #expect(try rig.newestObject(crossing) == "refund.refunded refund R2 700 of C1: 20000 5700")
            _ = try await rig.orders.observe(rig.refund("S01-1-R1", .declined, 5_000, at: 20))
            #expect(try rig.newestObject(crossing) == "refund.declined refund R1 5000 of C1: 20000 700")
        }
    }

    @Test func `is charge.updated where the sums of a charge change and nothing else does`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            var seen = rig.charge("S01-1-C1", .captured, at: 10, captured: 27_996)
            seen.refunded = yen(400)
            #expect(try await rig.orders.observe(seen) == .changed(webviewSession: crossing.webviewSession))
            #expect(try rig.newestObject(crossing) == "charge.updated charge C1 27996 of C1: 27996 400")
            #expect(try await rig.orders.observe(seen) == .same(webviewSession: crossing.webviewSession))
            #expect(try rig.events(crossing).count == 4)
            // The refund itself adds nothing that the charge has not told of.
            _ = try await rig.orders.observe(rig.refund("S01-1-R1", .refunded, 400))
            #expect(try rig.newestObject(crossing) == "refund.refunded refund R1 400 of C1: 27996 400")
        }
    }

    @Test(arguments: [ObjectState.authorizationInitiated, .captureInitiated, ObjectState(rawValue: "Another")])
    func `is charge.updated in a state that has no event of its own`(state: ObjectState) async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            _ = try await rig.orders.observe(rig.charge("S01-1-C1", .declined, at: 5))
            _ = try await rig.orders.observe(rig.charge("S01-1-C2", state, at: 6, amount: 500))
            #expect(try rig.newestObject(crossing) == "charge.updated charge C2 500 of C2: 0 0")
        }
    }

    @Test func `is one of its charge where a refund changes the sums and has none of its own`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            _ = try await rig.orders.observe(rig.refund("S01-1-R1", ObjectState(rawValue: "Another"), 300, at: 5))
            #expect(try rig.newestObject(crossing) == "charge.updated charge C1 27996 of C1: 27996 300")
            _ = try await rig.orders.observe(rig.refund("S01-1-R1", ObjectState(rawValue: "Another"), 350, at: 6))
            #expect(try rig.newestObject(crossing) == "charge.updated charge C1 27996 of C1: 27996 350")
            #expect(try rig.events(crossing).count == 5)
        }
    }

    @Test func `says that an operator has to look, for as long as one has to`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            let operation = try await rig.begin(rig.request(.refund(yen(700)), on: "S01-1-C1", of: crossing))
            #expect(try await rig.orders.settle(operation, as: .stuck("time")))
            #expect(try rig.attention(crossing) == "payment.stuck true")
            _ = try await rig.orders.observe(rig.charge("S01-1-C2", .declined, at: 6, amount: 500))
            #expect(try rig.attention(crossing) == "charge.declined true")
            let held = try await rig.orders.reopen(operation.id, freshAttempt: operation.id, lease: .seconds(60))
            let refund = rig.refund("S01-1-R1", .refunded, 700)
            #expect(try await rig.orders.settle(try #require(held), as: .done(refund, stored(201, ""))))
            #expect(try rig.attention(crossing) == "refund.refunded")

            let (waiting, _) = try await rig.purchasing()
            try rig.pass(waiting, seconds: 46)
            let pause = Duration.seconds(3_600)
            let attempt = try #require(
                try await rig.broker.takeOver(waiting.webviewSession, pause: pause, by: rig.caller())
            )
            #expect(try await rig.broker.giveUp(attempt, reason: "time", by: rig.caller()))
            #expect(try rig.attention(waiting) == "session.stuck true")
            #expect(try await rig.orders.read(waiting.webviewSession)?.needsAttention == true)
        }
    }

    @Test func `says so of an order that was declined before, and no longer once it is declined for good`() async throws
    {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            try rig.sql("UPDATE merchant_order SET state = 'declined', declined_at = now() - interval '1 s'")
            #expect(try await rig.broker.giveUp(attempt, reason: "time", by: rig.caller()))
            #expect(try rig.attention(crossing) == "session.stuck true")
            #expect(try await rig.orders.read(crossing.webviewSession)?.needsAttention == true)
            #expect(try await rig.broker.settle(attempt, as: .declined(reason: "operator"), by: rig.caller()))
            #expect(try rig.attention(crossing) == "session.declined")
            #expect(try await rig.orders.read(crossing.webviewSession)?.needsAttention == false)
        }
    }

    @Test func `has the reason of a close, as the session has it`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            var request = rig.request(.closePermission(cancelsPending: false), on: "S01-1", of: crossing)
            request.memo = PaymentMemo(reason: "在庫切れ")
            let operation = try await rig.begin(request)
            #expect(try await rig.orders.read(crossing.webviewSession)?.closeReason == nil)
            let closed = ObservedObject(.permission, "S01-1", ObservedVersion(.closed, updated: nil))
            #expect(try await rig.orders.settle(operation, as: .done(closed, stored(200, ""))))
            #expect(try rig.newestMember("closeReason", crossing) == .string("在庫切れ"))
            #expect(try await rig.orders.read(crossing.webviewSession)?.closeReason == "在庫切れ")
        }
    }
}

extension Rig {
    private func newest(_ crossing: Crossing) throws -> (type: String, data: JSONValue) {
        let rows = try admin.rows(
            "SELECT type, data FROM event WHERE subject_id = $1 ORDER BY sequence DESC LIMIT 1",
            [crossing.webviewSession.description]
        )
        return (rows.first?[0] ?? "", try JSONParser.parse(Array((rows.first?[1] ?? "null").utf8)))
    }

    /// What the newest event of an order is about, and the sums of the charge.
    fileprivate func newestObject(_ crossing: Crossing) throws -> String {
        let (type, data) = try newest(crossing)
        let object = data["about"] ?? .null
        func end(_ name: String) -> String { String(object[name]?.text?.split(separator: "-").last ?? "") }
        func sum(_ name: String) -> String { object[name]?["amount"]?.text ?? "" }
        let what = "\(type) \(object["kind"]?.text ?? "") \(end("id")) \(sum("amount"))"
        return what + " of \(end("chargeId")): \(sum("captured")) \(sum("refunded"))"
    }

    /// A member of the data of the newest event of an order.
    fileprivate func newestMember(_ name: String, _ crossing: Crossing) throws -> JSONValue? {
        try newest(crossing).data[name]
    }

    /// The type of the newest event of an order, and whether its session needs a person.
    fileprivate func attention(_ crossing: Crossing) throws -> String {
        let (type, data) = try newest(crossing)
        return type + (data["needsAttention"]?.flag.map { " \($0)" } ?? "")
    }
}
