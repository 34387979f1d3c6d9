import EventIO
import Persistence
import Postgres
import Primitives
import SessionBroker
import Testing

@Suite("The recovery of a purchase")
struct RecoveryTests {
    @Test func `is told how often it was tried and for how long`() async throws {
        try await withRig { rig in
            let (crossing, _) = try await rig.purchasing()
            try rig.pass(crossing, seconds: 46)
            let first = OverduePurchase(flow: crossing.flow, recoveries: 0, age: .seconds(46))
            #expect(try await rig.broker.overduePurchases() == [first])
            _ = try #require(try await rig.broker.takeOver(crossing.flow, by: rig.caller()))
            try rig.pass(crossing, seconds: 100)
            let second = OverduePurchase(flow: crossing.flow, recoveries: 1, age: .seconds(146))
            #expect(try await rig.broker.overduePurchases() == [second])
        }
    }

    @Test func `waits for the pause and for the lease`() async throws {
        try await withRig { rig in
            let (crossing, _) = try await rig.purchasing()
            try rig.pass(crossing, seconds: 46)
            let pause = Duration.seconds(3_600)
            _ = try #require(try await rig.broker.takeOver(crossing.flow, pause: pause, by: rig.caller()))
            try rig.pass(crossing, seconds: 3_590)
            #expect(try await rig.broker.overduePurchases().isEmpty)
            // A buyer's own repeat does not wait for the pause.
            #expect(try await rig.buy(crossing) == "recover")
            try rig.pass(crossing, seconds: 20)
            #expect(try await rig.broker.overduePurchases().isEmpty)
            try rig.pass(crossing, seconds: 30)
            #expect(try await rig.broker.overduePurchases().map(\.recoveries) == [1])
        }
    }

    @Test func `ends when it is given up, and the purchase stays for people`() async throws {
        try await withRig { rig in
            let (crossing, first) = try await rig.purchasing()
            try rig.pass(crossing, seconds: 46)
            let attempt = try #require(try await rig.broker.takeOver(crossing.flow, by: rig.caller()))
            #expect(try await !rig.broker.giveUp(first, reason: "gone", by: rig.caller()))
            #expect(try await rig.broker.giveUp(attempt, reason: "gone", by: rig.caller()))
            let alerts = try await rig.broker.alerts(since: WallTime(seconds: 1_500_000_000))
            #expect(alerts.map(\.verdict) == ["stuck"])
            try rig.pass(crossing, seconds: 400 * 86_400)
            #expect(try await rig.broker.overduePurchases().isEmpty)
            let stuck = try #require(try await rig.broker.stuckPurchases().first)
            #expect(stuck.flow == crossing.flow)
            #expect(stuck.recoveries == 1)
            #expect(stuck.orderReference == Rig.orderReference)
            #expect(stuck.total == attempt.total)
            #expect(stuck.since < stuck.stuckAt)
            #expect(try rig.state(crossing) == .purchasing)
            let last = try #require(try await rig.broker.audit(crossing.flow).last)
            #expect([last.operation, last.verdict, last.reason] == ["give_up", "stuck", "gone"])
        }
    }

    @Test func `begins anew when an operator asks for it`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            #expect(try await !rig.broker.resume(crossing.flow, by: rig.caller()))
            #expect(try await rig.broker.giveUp(attempt, reason: "time", by: rig.caller()))
            try rig.pass(crossing, seconds: 90_000)
            #expect(try await rig.broker.resume(crossing.flow, by: rig.caller()))
            #expect(try await !rig.broker.resume(crossing.flow, by: rig.caller()))
            #expect(try await rig.broker.stuckPurchases().isEmpty)
            let fresh = OverduePurchase(flow: crossing.flow, recoveries: 0, age: .zero)
            #expect(try await rig.broker.overduePurchases() == [fresh])
        }
    }

    @Test func `begins anew without holding up whoever holds the flow`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            #expect(try await rig.broker.giveUp(attempt, reason: "time", by: rig.caller()))
            try rig.sql("BEGIN; SELECT FROM flow WHERE flow_id = '\(crossing.flow)' FOR UPDATE")
            var isResumed: Bool?
            let operation = rig.reactor.startTask {
                isResumed = try? await rig.broker.resume(crossing.flow, by: rig.caller())
            }
            try await rig.untilSomebodyWaits()
            // Whoever has the flow comes next to its purchase, and must not meet anybody there who wants the flow.
            try rig.sql("SELECT FROM flow_purchasing WHERE flow_id = '\(crossing.flow)' FOR UPDATE NOWAIT; ROLLBACK")
            await operation.value
            #expect(isResumed == true)
        }
    }

    @Test func `is over when the buyer settles what was given up`() async throws {
        try await withRig { rig in
            let (crossing, first) = try await rig.purchasing()
            #expect(try await rig.broker.giveUp(first, reason: "gone", by: rig.caller()))
            try rig.pass(crossing, seconds: 46)
            let verdict = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            guard case .recover(let attempt) = verdict else { throw Surprise("\(verdict)") }
            #expect(attempt.number == first.number)
            try await rig.settle(attempt)
            #expect(try await rig.broker.stuckPurchases().isEmpty)
            #expect(try rig.admin.rows("SELECT 1 FROM flow_purchasing").isEmpty)
        }
    }
}

extension Rig {
    /// Comes back when a statement waits for what the transaction of `admin` holds.
    func untilSomebodyWaits() async throws {
        let waiting = """
            SELECT 1 FROM pg_locks AS w, pg_locks AS h
            WHERE NOT w.granted AND h.granted AND h.pid = pg_backend_pid() AND w.transactionid = h.transactionid
            """
        for _ in 0..<10_000 {
            // A call of another kind, so that the loop turns.
            guard try admin.rows(waiting).isEmpty, try await broker.overduePurchases().count >= 0 else { return }
        }
        throw Surprise("nobody waits")
    }

    /// Lets time pass for a purchase that is under way.
    func pass(_ crossing: Crossing, seconds: Int) throws {
        try age(crossing, seconds: seconds)
        let moves = ["since", "next_at", "stuck_at"].map { "\($0) = \($0) - interval '\(seconds) seconds'" }
        try sql("UPDATE flow_purchasing SET \(moves.joined(separator: ", ")) WHERE flow_id = '\(crossing.flow)'")
    }
}
