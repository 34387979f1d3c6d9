import Checkout
import EventIO
import Merchant
import MerchantOrders
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import TestKit
import Testing

@Suite("The recovery of a purchase")
struct RecoveryTests {
    @Test func `leaves purchases and operations of another account alone`() async throws {
        try await withRig { rig in
            let (crossing, _) = try await rig.purchasing()
            let paid = try await rig.paid("S03-0000000-0000001")
            _ = try await rig.begin(rig.request(.capture(yen(27_996)), on: "S03-0000000-0000001-C1", of: paid))
            try rig.sql("UPDATE webview_session SET lease_until = now() WHERE state = 'purchasing'")
            try rig.sql("UPDATE webview_session_purchase SET next_at = now()")
            try rig.sql("UPDATE payment_operation SET lease_until = now()")
            try rig.sql("UPDATE merchant_order SET account = 'other'")
            #expect(try await rig.store.claimOverdue().isEmpty)
            #expect(try await rig.orders.claimLeft(limit: 8).isEmpty)
            try rig.sql("UPDATE merchant_order SET account = ''")
            #expect(try await rig.store.claimOverdue().map(\.webviewSession) == [crossing.webviewSession])
            #expect(try await rig.orders.claimLeft(limit: 8).count == 1)
        }
    }

    @Test func `reads what was given up only for its own account`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            #expect(try await rig.broker.giveUp(attempt, reason: "time", by: rig.caller()))
            try rig.pass(crossing, seconds: 2 * 86_400)
            try rig.sql("UPDATE merchant_order SET account = 'other'")
            #expect(try await rig.store.claimStuck(limit: 8).isEmpty)
            try rig.sql("UPDATE merchant_order SET account = ''")
            #expect(try await rig.store.claimStuck(limit: 8).map(\.webviewSession) == [crossing.webviewSession])
        }
    }

    @Test func `is counted as stuck no longer than its session is kept`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            #expect(try await rig.broker.giveUp(attempt, reason: "gone", by: rig.caller()))
            let unsettled = PostgresUnsettledStore(client: rig.client)
            #expect(try await unsettled.counts().map(\.kind) == [.purchase])
            #expect(try await unsettled.list(underWayFor: nil).map(\.webviewSession) == [crossing.webviewSession])
            try rig.sql("DELETE FROM webview_session")
            #expect(try await unsettled.counts().isEmpty)
        }
    }

    @Test func `is told how often it was tried and for how long`() async throws {
        try await withRig { rig in
            let (crossing, _) = try await rig.purchasing()
            try rig.pass(crossing, seconds: 46)
            try await rig.expectClaim(crossing, recoveries: 0, age: 46)
            #expect(try await rig.store.claimOverdue().isEmpty, "somebody is at it")
            _ = try #require(try await rig.broker.takeOver(crossing.webviewSession, by: rig.caller()))
            try rig.pass(crossing, seconds: 100)
            try await rig.expectClaim(crossing, recoveries: 1, age: 146)
        }
    }

    @Test func `waits for the pause and for the lease`() async throws {
        try await withRig { rig in
            let (crossing, _) = try await rig.purchasing()
            try rig.pass(crossing, seconds: 46)
            let pause = Duration.seconds(3_600)
            _ = try #require(try await rig.broker.takeOver(crossing.webviewSession, pause: pause, by: rig.caller()))
            try rig.pass(crossing, seconds: 3_590)
            #expect(try await rig.store.claimOverdue().isEmpty)
            // A buyer's own repeat does not wait for the pause.
            #expect(try await rig.buy(crossing) == "recover")
            try rig.pass(crossing, seconds: 20)
            #expect(try await rig.store.claimOverdue().isEmpty)
            try rig.pass(crossing, seconds: 30)
            #expect(try await rig.store.claimOverdue().map(\.recoveries) == [1])
        }
    }

    @Test(arguments: [false, true])
    func `counts as none where it had no turn, and comes again in a moment`(isWoken: Bool) async throws {
        try await withRig { rig in
            let (crossing, _) = try await rig.purchasing()
            try rig.pass(crossing, seconds: 46)
            try rig.sql("UPDATE webview_session_purchase SET recoveries = 7, woken = \(isWoken)")
            for _ in 0..<3 {
                let purchase = try #require(try await rig.store.claimOverdue().first)
                #expect(purchase.recoveries == 7 && purchase.isWoken == isWoken)
                let id = crossing.webviewSession
                let attempt = try #require(
                    try await rig.broker.takeOver(id, pause: .seconds(3_600), by: rig.caller())
                )
                #expect(try await rig.broker.putBack(attempt, purchase, by: rig.caller()))
                // The lease is over: nobody else is kept from it.
                let row = """
                    SELECT f.lease_until <= now(), q.next_at BETWEEN now() AND now() + interval '5 s' FROM webview_session AS f
                    JOIN webview_session_purchase AS q ON q.webview_session_id = f.webview_session_id
                    """
                #expect(try rig.admin.rows(row) == [["t", "t"]])
                #expect(try await rig.store.claimOverdue().isEmpty)
                try rig.sql("UPDATE webview_session_purchase SET next_at = now()")
            }
            let last = try #require(try await rig.store.audit(crossing.webviewSession).last)
            #expect([last.operation, last.outcome, last.reason] == ["lapse", "lapsed", "held_back"])
            // Who has lost it puts nothing back.
            let purchase = try #require(try await rig.store.claimOverdue().first)
            let lost = try #require(try await rig.broker.takeOver(crossing.webviewSession, by: rig.caller()))
            try rig.sql("UPDATE webview_session SET lease_until = now()")
            #expect(try await rig.broker.takeOver(crossing.webviewSession, by: rig.caller()) != nil)
            #expect(try await !rig.broker.putBack(lost, purchase, by: rig.caller()))
        }
    }

    @Test func `of what was given up reads it again in a moment where the question had no turn`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            #expect(try await rig.broker.giveUp(attempt, reason: "time", by: rig.caller()))
            try rig.pass(crossing, seconds: 2 * 86_400)
            #expect(try await rig.store.claimStuck(limit: 8).count == 1)
            #expect(try await rig.store.claimStuck(limit: 8).isEmpty)
            try await rig.store.putBackStuck(crossing.webviewSession)
            let soon = "SELECT next_at BETWEEN now() AND now() + interval '5 s' FROM webview_session_purchase"
            #expect(try rig.admin.rows(soon) == [["t"]])
            try rig.sql("UPDATE webview_session_purchase SET next_at = now()")
            #expect(try await rig.store.claimStuck(limit: 8).count == 1)
        }
    }

    @Test func `ends when it is given up, and the purchase stays for people`() async throws {
        try await withRig { rig in
            let (crossing, first) = try await rig.purchasing()
            try rig.pass(crossing, seconds: 46)
            let attempt = try #require(try await rig.broker.takeOver(crossing.webviewSession, by: rig.caller()))
            #expect(try await !rig.broker.giveUp(first, reason: "gone", by: rig.caller()))
            #expect(try await rig.broker.giveUp(attempt, reason: "gone", by: rig.caller()))
            let alerts = try await rig.store.alerts(since: WallTime(seconds: 1_500_000_000))
            #expect(alerts.map(\.outcome) == ["stuck"])
            try rig.pass(crossing, seconds: 400 * 86_400)
            #expect(try await rig.store.claimOverdue().isEmpty)
            let stuck = try #require(try await rig.store.stuckPurchases().first)
            #expect(stuck.webviewSession == crossing.webviewSession)
            #expect(stuck.recoveries == 1)
            #expect(stuck.orderReference == Rig.orderReference)
            #expect(stuck.total == attempt.total)
            #expect(stuck.since < stuck.stuckAt)
            #expect(try rig.state(crossing) == .purchasing)
            let last = try #require(try await rig.store.audit(crossing.webviewSession).last)
            #expect([last.operation, last.outcome, last.reason] == ["give_up", "stuck", "gone"])
        }
    }

    @Test func `begins anew when an operator asks for it`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            #expect(try await !rig.broker.resume(crossing.webviewSession, by: rig.caller()))
            #expect(try await rig.broker.giveUp(attempt, reason: "time", by: rig.caller()))
            try rig.pass(crossing, seconds: 90_000)
            #expect(try await rig.broker.resume(crossing.webviewSession, by: rig.caller()))
            #expect(try await !rig.broker.resume(crossing.webviewSession, by: rig.caller()))
            #expect(try await rig.store.stuckPurchases().isEmpty)
            try await rig.expectClaim(crossing, recoveries: 0, age: 0)
        }
    }

    @Test func `begins anew without holding up whoever holds the webview session`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            #expect(try await rig.broker.giveUp(attempt, reason: "time", by: rig.caller()))
            try rig.sql(
                "BEGIN; SELECT FROM webview_session WHERE webview_session_id = '\(crossing.webviewSession)' FOR UPDATE"
            )
            var isResumed: Bool?
            let operation = rig.reactor.startTask {
                isResumed = try? await rig.broker.resume(crossing.webviewSession, by: rig.caller())
            }
            try await rig.untilSomebodyWaits()
            // Whoever has the webview session comes next to its purchase, and must not meet anybody there who wants the webview
            // session.
            try rig.sql(
                "SELECT FROM webview_session_purchase WHERE webview_session_id = '\(crossing.webviewSession)' FOR UPDATE NOWAIT; ROLLBACK"
            )
            await operation.value
            #expect(isResumed == true)
        }
    }

    @Test func `is over when the buyer settles what was given up`() async throws {
        try await withRig { rig in
            let (crossing, first) = try await rig.purchasing()
            #expect(try await rig.broker.giveUp(first, reason: "gone", by: rig.caller()))
            try rig.pass(crossing, seconds: 46)
            let outcome = try await rig.broker.purchase(crossing.purchase(rig), by: rig.caller())
            guard case .recover(let attempt) = outcome else { throw Surprise("\(outcome)") }
            #expect(attempt.number == first.number)
            try await rig.settle(attempt)
            #expect(try await rig.store.stuckPurchases().isEmpty)
            #expect(try rig.admin.rows("SELECT 1 FROM webview_session_purchase").isEmpty)
        }
    }

    @Test func `is shared by two processes, each purchase by one`() async throws {
        let database = try migratedDatabase()
        try await withRig(on: database) { rig in
            var webviewSessions: Set<WebviewSessionID> = []
            for _ in 0..<12 {
                let crossing = try await rig.purchasing().0
                try rig.pass(crossing, seconds: 46)
                webviewSessions.insert(crossing.webviewSession)
            }
            // What another process has claimed a moment ago, and has not committed.
            let taken = webviewSessions.sorted().prefix(4)
            let list = taken.map { "'\($0)'" }.joined(separator: ",")
            try rig.sql("BEGIN; SELECT FROM webview_session_purchase WHERE webview_session_id IN (\(list)) FOR UPDATE")
            let ours = try await rig.store.claimOverdue(limit: 6).map(\.webviewSession)
            #expect(ours.count == 6)
            #expect(taken.allSatisfy { !ours.contains($0) })
            try rig.sql("ROLLBACK")
            let rest = try await rig.store.claimOverdue(limit: 12).map(\.webviewSession)
            #expect(Set(ours + rest) == webviewSessions)
            #expect(ours.count + rest.count == webviewSessions.count)
        }
    }

    @Test func `waits for nobody who has locked the webview session`() async throws {
        try await withRig { rig in
            let (crossing, _) = try await rig.purchasing()
            try rig.pass(crossing, seconds: 46)
            try rig.sql(
                "BEGIN; SELECT FROM webview_session WHERE webview_session_id = '\(crossing.webviewSession)' FOR UPDATE"
            )
            #expect(try await rig.store.claimOverdue().map(\.webviewSession) == [crossing.webviewSession])
            #expect(try await rig.broker.takeOver(crossing.webviewSession, by: rig.caller()) == nil)
            try rig.sql("ROLLBACK")
            #expect(try await rig.broker.takeOver(crossing.webviewSession, by: rig.caller()) != nil)
        }
    }

    @Test func `is put off, later each time, where it cannot be taken over`() async throws {
        try await withRig { rig in
            let (crossing, _) = try await rig.purchasing()
            var pauses: [String?] = []
            for _ in 0..<9 {
                try await rig.store.postpone(crossing.webviewSession)
                let pause = "round(extract(epoch FROM next_at - now()) / 10) * 10"
                pauses.append(try rig.admin.rows("SELECT \(pause) FROM webview_session_purchase")[0][0])
            }
            #expect(pauses == ["30", "60", "120", "240", "480", "960", "1920", "3600", "3600"])
            try rig.pass(crossing, seconds: 3_700)
            #expect(try await rig.store.claimOverdue().map(\.webviewSession) == [crossing.webviewSession])
            _ = try #require(try await rig.broker.takeOver(crossing.webviewSession, by: rig.caller()))
            #expect(try rig.admin.rows("SELECT failures FROM webview_session_purchase") == [["0"]])
        }
    }

    @Test func `leaves alone what a later version has written`() async throws {
        try await withRig { rig in
            let (known, _) = try await rig.purchasing()
            let (later, _) = try await rig.purchasing()
            try rig.sql("ALTER TYPE webview_session_client ADD VALUE 'laterApp'")
            try rig.sql(
                "UPDATE webview_session SET client = 'laterApp' WHERE webview_session_id = '\(later.webviewSession)'"
            )
            for crossing in [known, later] { try rig.pass(crossing, seconds: 46) }
            let before = try rig.trace(of: later)
            #expect(try await rig.store.claimOverdue().map(\.webviewSession) == [known.webviewSession])
            #expect(try await rig.broker.takeOver(later.webviewSession, by: rig.caller()) == nil)
            #expect(try rig.trace(of: later) == before)
        }
    }
}

extension Rig {
    /// Claims one purchase; its age counts on while the test runs.
    fileprivate func expectClaim(_ crossing: Crossing, recoveries: Int, age: Int64) async throws {
        let claimed = try await store.claimOverdue()
        let one = try #require(claimed.first)
        #expect(claimed.count == 1 && one.webviewSession == crossing.webviewSession && one.recoveries == recoveries)
        #expect((age..<age + 54).contains(one.age.components.seconds), "\(one.age)")
    }

    /// Comes back when a statement waits for what the transaction of `admin` holds.
    func untilSomebodyWaits() async throws {
        let waiting = """
            SELECT 1 FROM pg_locks AS w, pg_locks AS h
            WHERE NOT w.granted AND h.granted AND h.pid = pg_backend_pid() AND w.transactionid = h.transactionid
            """
        let patience = Patience()
        while patience.isLeft {
            // A call of another kind, so that the loop turns.
            guard try admin.rows(waiting).isEmpty, try await store.stuckPurchases().count >= 0 else { return }
        }
        throw Surprise("nobody waits")
    }

    /// What recovery writes of a purchase.
    func trace(of crossing: Crossing) throws -> [[String?]] {
        try admin.rows(
            """
            SELECT f.lease_until, f.attempt_id, f.events, q.next_at, q.recoveries, q.failures
            FROM webview_session AS f JOIN webview_session_purchase AS q ON q.webview_session_id = f.webview_session_id WHERE f.webview_session_id = $1
            """,
            [crossing.webviewSession.description]
        )
    }

    /// Lets time pass for a purchase that is under way.
    func pass(_ crossing: Crossing, seconds: Int) throws {
        try age(crossing, seconds: seconds)
        let moves = ["since", "next_at", "stuck_at"].map { "\($0) = \($0) - interval '\(seconds) seconds'" }
        try sql(
            "UPDATE webview_session_purchase SET \(moves.joined(separator: ", ")) WHERE webview_session_id = '\(crossing.webviewSession)'"
        )
    }
}
