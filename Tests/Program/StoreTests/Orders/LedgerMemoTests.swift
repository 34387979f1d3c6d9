import Checkout
import Merchant
import MerchantOrders
import Postgres
import Primitives
import SessionBroker
import StrictJSON
import Testing

@Suite("What the ledger keeps of a payment besides its state")
struct LedgerMemoTests {
    private static let memo = PaymentMemo(reason: "破損", metadata: Array(#"{"case":"\"7"}"#.utf8))

    private func request(
        _ rig: Rig,
        _ intent: OperationIntent,
        _ crossing: Crossing,
        _ memo: PaymentMemo
    ) -> OperationRequest {
        var request = rig.request(intent, on: "S01-1-C1", of: crossing)
        request.memo = memo
        return request
    }

    @Test func `is what its request said, whether it was seen before or is taken over`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            let first = try await rig.begin(request(rig, .refund(yen(300)), crossing, Self.memo))
            try rig.sql("UPDATE payment_operation SET lease_until = statement_timestamp()")
            let taken = try await rig.orders.takeOver(first.id, by: .recovery, freshAttempt: first.id)
            guard case .taken(let held) = taken else { throw Surprise("not taken") }
            #expect(held.memo == Self.memo)
            // A poll is faster.
            _ = try await rig.orders.observe(rig.refund("S01-1-R1", .refunded, 300, at: 5))
            #expect(try await rig.orders.object("S01-1-R1")?.memo == PaymentMemo.none)
            let old = rig.refund("S01-1-R1", .refundInitiated, 300)
            #expect(try await rig.orders.settle(held, as: .done(old, stored(201, ""))))
            let refund = try #require(try await rig.orders.object("S01-1-R1"))
            #expect(refund.memo == Self.memo && refund.row.state == .refunded)

            let second = try await rig.begin(request(rig, .refund(yen(200)), crossing, PaymentMemo(reason: "late")))
            let seen = rig.refund("S01-1-R2", .refundInitiated, 200)
            #expect(try await rig.orders.settle(second, as: .pending(seen, stored(201, ""))))
            // What is read later takes nothing of it away.
            _ = try await rig.orders.observe(rig.refund("S01-1-R2", .refunded, 200, at: 9))
            let order = try #require(try await rig.orders.read(crossing.webviewSession))
            #expect(order.refunds.map(\.memo.reason) == ["破損", "late"] && order.charges.count == 1)
            #expect(
                try rig.refunds(crossing) == [
                    "S01-1-R1 300 refunded 破損 {\"case\":\"\\\"7\"}", "S01-1-R2 200 refunded late {}",
                ]
            )
        }
    }

    @Test func `is not what a refused capture said, and stays where a later request says nothing`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid("S01-1")
            let refused = try await rig.begin(request(rig, .capture(yen(1)), crossing, Self.memo))
            let same = rig.charge("S01-1-C1", .authorized)
            #expect(
                try await rig.orders.settle(refused, as: .refused("TransactionAmountExceeded", same, stored(422, "")))
            )
            #expect(try await rig.orders.object("S01-1-C1")?.memo == PaymentMemo.none)
            let capture = try await rig.begin(request(rig, .capture(yen(27_996)), crossing, Self.memo))
            let seen = rig.charge("S01-1-C1", .captured, at: 5, captured: 27_996)
            #expect(try await rig.orders.settle(capture, as: .done(seen, stored(200, ""))))
            let charge = try #require(try await rig.orders.object("S01-1-C1"))
            #expect(charge.memo == Self.memo && charge.capturedAt == WallTime(seconds: 1_800_000_005))
            // A refund moves the time of the charge, but not that of its capture.
            var later = rig.charge("S01-1-C1", .captured, at: 900, captured: 27_996)
            later.refunded = yen(100)
            _ = try await rig.orders.observe(later)
            let after = try #require(try await rig.orders.object("S01-1-C1"))
            #expect(after.memo == Self.memo && after.capturedAt == WallTime(seconds: 1_800_000_005))
            #expect(after.updated == WallTime(seconds: 1_800_000_900))
        }
    }

    @Test func `shows the newest refunds of a charge in its events`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            for number in 1...LedgerRules.shownRefunds + 2 {
                var refund = rig.refund("S01-1-R\(100 + number)", .refunded, 1, at: Int64(number))
                refund.created = WallTime(seconds: 1_800_000_000 + Int64(number))
                _ = try await rig.orders.observe(refund)
            }
            let shown = try rig.refunds(crossing)
            #expect(shown.count == LedgerRules.shownRefunds && shown.first?.hasPrefix("S01-1-R103") == true)
            #expect(shown.last?.hasPrefix("S01-1-R127") == true)
        }
    }

    @Test func `names the operation that holds a charge, and whether a person has to decide`() async throws {
        try await withRig { rig in
            let crossing = try await rig.captured("S01-1")
            let first = try await rig.begin(rig.request(.refund(yen(300)), on: "S01-1-C1", of: crossing, mark: "a"))
            let other = rig.request(.refund(yen(5)), on: "S01-1-C1", of: crossing, mark: "b")
            let holder = HoldingOperation(id: first.id, kind: "refund", isStuck: false)
            #expect(try await rig.orders.begin(other) == .held(holder))
            #expect(try await rig.orders.settle(first, as: .stuck("time")))
            #expect(try await rig.orders.begin(other).holder?.isStuck == true)
        }
    }

    @Test func `is the last decline of an order, by whichever statement it came`() async throws {
        try await withRig { rig in
            let settled = try await rig.webviewSession(in: .declined)
            let first = try #require(try await rig.orders.read(settled.webviewSession)?.lastDecline)
            #expect(first.reason == "Rejected" && rig.lastDecline(settled) == "Rejected")

            let refused = try await rig.placed()
            let (session, reference) = (refused.webviewSession, Rig.orderReference)
            #expect(
                try await rig.store.decline(
                    session,
                    orderReference: reference,
                    reason: "BuyerCanceled",
                    by: rig.caller()
                )
            )
            #expect(try await rig.orders.read(session)?.lastDecline?.reason == "BuyerCanceled")
            #expect(rig.lastDecline(refused) == "BuyerCanceled")

            let paid = try await rig.paid("S01-1")
            #expect(try await rig.orders.read(paid.webviewSession)?.lastDecline == nil)
            var charge = rig.charge("S01-1-C1", .declined, at: 7)
            charge.reason = "ProcessingFailure"
            _ = try await rig.orders.observe(charge)
            let last = try await rig.orders.read(paid.webviewSession)?.lastDecline
            #expect(last == MerchantOrder.Decline(reason: "ProcessingFailure", at: WallTime(seconds: 1_800_000_007)))
            // It stays where another payment is made.
            _ = try await rig.orders.observe(rig.charge("S01-1-C2", .authorized, at: 9))
            #expect(try await rig.orders.read(paid.webviewSession)?.lastDecline == last)
        }
    }

    @Test func `is no time at which a session ends that is paid or over`() async throws {
        try await withRig { rig in
            let states: [WebviewSessionState] = [.placed, .declined, .purchasing, .authorized, .canceled, .expired]
            for state in states {
                let crossing = try await rig.webviewSession(in: state)
                let expires = try await rig.orders.read(crossing.webviewSession)?.times.expires
                #expect((expires != nil) == (state == .placed || state == .declined), "\(state)")
            }
            let overdue = try await rig.placed()
            try rig.age(overdue, seconds: 7_200)
            let order = try #require(try await rig.orders.read(overdue.webviewSession))
            #expect(order.state == .expired && order.times.expires == nil)
            let paid = try await rig.paid("S01-1")
            #expect(try rig.data(paid)["expiresAt"] == nil)
        }
    }
}

extension Rig {
    /// The data of the newest event of an order.
    fileprivate func data(_ crossing: Crossing) throws -> JSONValue {
        let rows = try admin.rows(
            "SELECT data FROM event WHERE subject_id = $1 ORDER BY sequence DESC LIMIT 1",
            [crossing.webviewSession.description]
        )
        return try JSONParser.parse(Array((rows.first?[0] ?? "null").utf8))
    }

    /// The refunds of the first charge as the newest event has them.
    fileprivate func refunds(_ crossing: Crossing) throws -> [String] {
        let refunds = try data(crossing)["charges"]?.elements.first?["refunds"]?.elements ?? []
        return refunds.map { refund in
            func text(_ name: String) -> String { refund[name]?.text ?? "" }
            let amount = refund["amount"]?["amount"]?.text ?? ""
            let metadata = refund["metadata"]?.description ?? ""
            return "\(text("id")) \(amount) \(text("state")) \(text("reason")) \(metadata)"
        }
    }

    /// The reason of the last decline as the newest event has it.
    fileprivate func lastDecline(_ crossing: Crossing) -> String? {
        (try? data(crossing))?["lastDecline"]?["reasonCode"]?.text
    }
}
