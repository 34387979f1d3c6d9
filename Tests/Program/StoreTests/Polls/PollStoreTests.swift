import Checkout
import EventIO
import Merchant
import MerchantOrders
import Postgres
import Primitives
import SessionBroker
import TestKit
import Testing

@Suite("The objects that are to be read")
struct PollStoreTests {
    private static let permission = "S03-0000000-0000001"
    private static let charge = "S03-0000000-0000001-C1"

    @Test func `are read for the first time when the program's schedule says`() async throws {
        try await withRig { rig in
            let words = [
                "Open", "Completed", "Canceled", "Chargeable", "NonChargeable", "Closed", "AuthorizationInitiated",
                "Authorized", "CaptureInitiated", "Captured", "Declined", "RefundInitiated", "Refunded", "Surprise",
            ]
            for kind in ObjectKind.allCases {
                for word in words {
                    let rows = try rig.admin.rows(
                        "SELECT extract(epoch FROM poll_pause($1::object_kind, $2))::bigint",
                        [kind.rawValue, word]
                    )
                    let subject = PollSubject(kind, ObjectState(rawValue: word))
                    let pause = subject.flatMap { PollSchedule.first($0) }
                    #expect(rows == [[pause.map { "\($0.components.seconds)" }]], "\(kind) \(word)")
                }
            }
        }
    }

    @Test func `come and go with the ledger`() async throws {
        try await withRig { rig in
            _ = try await rig.paid(Self.permission)
            #expect(try rig.pauses() == [Self.permission: 720 * 3_600, Self.charge: 24 * 3_600])
            _ = try await rig.orders.observe(rig.charge(Self.charge, .captureInitiated))
            #expect(try rig.pauses() == [Self.permission: 720 * 3_600, Self.charge: 0])
            _ = try await rig.orders.observe(rig.charge(Self.charge, .captured, at: 1, captured: 27_996))
            #expect(try rig.pauses() == [Self.permission: 720 * 3_600])
            _ = try await rig.orders.observe(rig.refund("S03-0000000-0000001-R1", .refundInitiated, 100))
            #expect(try rig.pauses() == [Self.permission: 720 * 3_600, "S03-0000000-0000001-R1": 60])
        }
    }

    @Test func `are claimed by one reader each, with what is known of them`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid(Self.permission)
            #expect(try await rig.polls.claim(limit: 8, attempt: Self.attempt(1)).isEmpty)
            try rig.sql(
                "UPDATE payment_poll SET next_at = now(), polls = 2, failures = 1, since = since - interval '1 hour'"
            )
            let first = try await rig.polls.claim(limit: 8, attempt: Self.attempt(1))
            #expect(Set(first.map(\.id)) == [Self.permission, Self.charge])
            let poll = try #require(first.first { $0.id == Self.charge })
            // The age counts on while the test runs.
            #expect((3_600..<3_660).contains(poll.history.age.components.seconds))
            let history = PollHistory(polls: 2, failures: 1, age: poll.history.age)
            #expect(
                poll
                    == DuePoll(
                        .charge,
                        Self.charge,
                        of: crossing.webviewSession,
                        state: .authorized,
                        history: history,
                        isNotified: false
                    )
            )
            #expect(try await rig.polls.claim(limit: 8, attempt: Self.attempt(2)).isEmpty)
            // Whoever claimed them is gone.
            try rig.sql("UPDATE payment_poll SET lease_until = lease_until - interval '121 seconds'")
            #expect(try await rig.polls.claim(limit: 8, attempt: Self.attempt(2)).count == 2)
            // The first one's word does not count any more.
            try await rig.polls.conclude(poll, attempt: Self.attempt(1), .end)
            #expect(try rig.pauses().count == 2)
        }
    }

    @Test func `of another account are put off, and keep none of this one from being read`() async throws {
        try await withRig { rig in
            for number in 1...5 { _ = try await rig.paid("S03-0000000-000000\(number)") }
            try rig.sql("UPDATE merchant_order SET account = 'other' WHERE charge_permission <> '\(Self.permission)'")
            try rig.sql(
                """
                UPDATE payment_poll SET
                    next_at = now() - CASE WHEN object_id LIKE '\(Self.permission)%' THEN interval '0' ELSE interval '1 h' END
                """
            )
            let own = try await rig.polls.claim(limit: 4, attempt: Self.attempt(1))
            #expect(Set(own.map(\.id)) == [Self.permission, Self.charge])
            let others = try rig.pauses().filter { !$0.key.hasPrefix(Self.permission) }
            #expect(others.count == 8 && others.values.allSatisfy { $0 == 3_600 })
            #expect(try rig.admin.rows("SELECT 1 FROM payment_poll WHERE lease_until IS NOT NULL").count == 2)
        }
    }

    @Test func `of a kind that a later version knows are left alone, and the others of the batch are read`()
        async throws
    {
        try await withRig { rig in
            _ = try await rig.paid(Self.permission)
            try rig.sql("ALTER TYPE object_kind ADD VALUE 'dispute'")
            try rig.sql("UPDATE payment_poll SET next_at = now()")
            try rig.sql("UPDATE payment_poll SET kind = 'dispute' WHERE object_id = '\(Self.permission)'")
            #expect(try await rig.polls.claim(limit: 8, attempt: Self.attempt(1)).map(\.id) == [Self.charge])
            #expect(
                try rig.admin.rows("SELECT lease_until, attempt_id FROM payment_poll WHERE kind = 'dispute'") == [
                    [nil, nil]
                ]
            )
        }
    }

    @Test func `are each claimed once by many at a time`() async throws {
        try await withRig { rig in
            for number in 1...20 {
                _ = try await rig.paid("S03-0000000-00000" + (number < 10 ? "0" : "") + "\(number)")
            }
            try rig.sql("UPDATE payment_poll SET next_at = now()")
            var claimed: [String] = []
            for round in 1...8 {
                claimed += try await rig.polls.claim(limit: 7, attempt: Self.attempt(UInt64(round))).map(\.id)
            }
            #expect(claimed.count == 40)
            #expect(Set(claimed).count == 40)
        }
    }

    @Test func `move on as they are told`() async throws {
        try await withRig { rig in
            _ = try await rig.paid(Self.permission)
            let poll = try await rig.due(Self.charge, attempt: Self.attempt(1))
            try await rig.polls.conclude(
                poll,
                attempt: Self.attempt(1),
                .again(after: .seconds(90), polls: 3, failures: 2)
            )
            #expect(try rig.pauses()[Self.charge] == 90)
            #expect(
                try rig.admin.rows("SELECT polls, failures FROM payment_poll WHERE kind = 'charge'") == [["3", "2"]]
            )
            let second = try await rig.due(Self.charge, attempt: Self.attempt(2))
            try await rig.polls.conclude(second, attempt: Self.attempt(2), .end)
            #expect(try rig.pauses()[Self.charge] == nil)
        }
    }

    @Test func `are permissions at once where the provider has not shown the names of their orders`() async throws {
        try await withRig { rig in
            let (crossing, attempt) = try await rig.purchasing()
            var end = Authorization(
                answer: Rig.answer,
                chargePermission: Self.permission,
                charge: Self.charge,
                isNamed: false
            )
            #expect(try await rig.broker.settle(attempt, as: .authorized(end), by: rig.caller()))
            #expect(try rig.pauses() == [Self.permission: 0, Self.charge: 24 * 3_600])
            let first = try #require(try await rig.polls.claim(limit: 8, attempt: Self.attempt(1)).first)
            let reference = try rig.admin.rows("SELECT reference FROM merchant_order")[0][0]
            #expect(first.id == Self.permission && first.webviewSession == crossing.webviewSession)
            #expect(first.naming == DueNaming(reference: try #require(reference), tries: 0) && first.history.polls == 0)

            let step = PollOutcome.Step.again(after: .seconds(30), polls: 0, failures: 0, namings: 1)
            try await rig.polls.conclude(first, attempt: Self.attempt(1), step)
            #expect(try rig.pauses()[Self.permission] == 30)
            // What the ledger hears of the permission meanwhile leaves its schedule and its names alone.
            let seen = ObservedVersion(.nonChargeable, updated: nil)
            _ = try await rig.orders.observe(ObservedObject(.permission, Self.permission, seen))
            let second = try await rig.due(Self.permission, attempt: Self.attempt(2))
            #expect(second.naming?.tries == 1)
            try await rig.polls.conclude(second, attempt: Self.attempt(2), .againIfMissing(after: .seconds(60)))
            let third = try await rig.due(Self.permission, attempt: Self.attempt(3))
            #expect(third.naming?.tries == 1)
            let end30 = PollOutcome.Step.again(after: .seconds(720 * 3_600), polls: 0, failures: 0)
            try await rig.polls.conclude(third, attempt: Self.attempt(3), end30)
            #expect(try await rig.due(Self.permission, attempt: Self.attempt(4)).naming == nil)

            // Where they were shown, or nothing was paid, nothing is due.
            _ = try await rig.paid("S03-0000000-0000002")
            #expect(try rig.pauses()["S03-0000000-0000002"] == 720 * 3_600)
            let before = try rig.pauses().count
            let (_, declined) = try await rig.purchasing()
            #expect(try await rig.broker.settle(declined, as: .declined(reason: "Declined"), by: rig.caller()))
            end = Authorization(answer: Rig.answer, chargePermission: nil, charge: nil, isNamed: false)
            let (_, nameless) = try await rig.purchasing()
            #expect(try await rig.broker.settle(nameless, as: .authorized(end), by: rig.caller()))
            #expect(try rig.pauses().count == before)
        }
    }

    @Test func `are not due at once again where the ledger did not move them`() async throws {
        try await withRig { rig in
            _ = try await rig.paid(Self.permission)
            let poll = try await rig.due(Self.charge, attempt: Self.attempt(1))
            try await rig.polls.conclude(poll, attempt: Self.attempt(1), .release)
            #expect(try rig.pauses()[Self.charge] == 30)
            let second = try await rig.due(Self.charge, attempt: Self.attempt(2))
            _ = try await rig.orders.observe(rig.charge(Self.charge, .captureInitiated))
            try await rig.polls.conclude(second, attempt: Self.attempt(2), .release)
            #expect(try rig.pauses()[Self.charge] == 30)
        }
    }

    @Test func `are as they were, and due in a moment, where the reading had no turn`() async throws {
        try await withRig { rig in
            _ = try await rig.paid(Self.permission)
            _ = try await rig.due(Self.charge, attempt: Self.attempt(1))
            try rig.sql(
                """
                UPDATE payment_poll SET
                    lease_until = NULL, next_at = now() - interval '1 h', polls = 3, failures = 2, missing_since = now() - interval '600 s',
                    notified = kind = 'charge'
                """
            )
            let before = try await rig.polls.claim(limit: 8, attempt: Self.attempt(2))
            for poll in before { try await rig.polls.conclude(poll, attempt: Self.attempt(2), .putBack) }
            // The test takes its time too.
            let pauses = try rig.pauses()
            #expect(pauses.count == 2 && pauses.values.allSatisfy { (-60...5).contains($0) }, "\(pauses)")
            try rig.sql("UPDATE payment_poll SET next_at = now()")
            let after = try await rig.polls.claim(limit: 8, attempt: Self.attempt(3))
            #expect(Set(after.map(\.id)) == Set(before.map(\.id)))
            for poll in after {
                #expect(poll.isNotified == (poll.kind == .charge))
                #expect((poll.history.polls, poll.history.failures) == (3, 2))
                #expect((600..<660).contains(poll.history.missing?.components.seconds ?? 0))
            }
            // Who has lost it puts nothing back.
            for poll in after { try await rig.polls.conclude(poll, attempt: Self.attempt(2), .putBack) }
            #expect(try rig.pauses().values.allSatisfy { $0 <= 0 })
        }
    }

    @Test func `that the provider denies are remembered until it shows them`() async throws {
        try await withRig { rig in
            _ = try await rig.paid(Self.permission)
            let first = try await rig.due(Self.charge, attempt: Self.attempt(1))
            #expect(first.history.missing == nil)
            try await rig.polls.conclude(first, attempt: Self.attempt(1), .againIfMissing(after: .seconds(3_600)))
            #expect(try rig.pauses()[Self.charge] == 3_600)
            try rig.sql("UPDATE payment_poll SET missing_since = missing_since - interval '1 hour'")
            let second = try await rig.due(Self.charge, attempt: Self.attempt(2))
            #expect((3_600..<3_660).contains(second.history.missing?.components.seconds ?? 0))
            try await rig.polls.conclude(second, attempt: Self.attempt(2), .againIfMissing(after: .seconds(60)))
            let third = try await rig.due(Self.charge, attempt: Self.attempt(3))
            #expect((3_600..<3_660).contains(third.history.missing?.components.seconds ?? 0), "the first counts")
            let next = PollOutcome.Step.again(after: .seconds(90), polls: 1, failures: 0)
            try await rig.polls.conclude(third, attempt: Self.attempt(3), next)
            #expect(try await rig.due(Self.charge, attempt: Self.attempt(4)).history.missing == nil)
        }
    }

    @Test func `are announced once for each limit that they come to`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid(Self.permission)
            func announced(after days: Int, hours: Int = 0) async throws -> Bool {
                try rig.sql(
                    """
                    UPDATE payment_poll SET since = now() - interval '\(days) days \(hours) hours'
                    WHERE object_id = '\(Self.charge)'
                    """
                )
                return try await rig.polls.announceExpiring(Self.charge)
            }
            #expect(try await !announced(after: 5, hours: 23))
            #expect(try await announced(after: 6, hours: 1))
            #expect(try await !announced(after: 6, hours: 2), "once")
            #expect(try await !announced(after: 7, hours: 1))
            #expect(try await announced(after: 29, hours: 1))
            #expect(try await !announced(after: 29, hours: 2), "once")
            #expect(try await !announced(after: 31))
            let events = try rig.events(crossing)
            #expect(events.filter { $0.hasSuffix(" charge.expiring paid") }.count == 2)
            let limit = try rig.admin.rows(
                """
                SELECT e.data -> 'about' ->> 'id', round(extract(epoch FROM
                    (e.data -> 'about' ->> 'captureBefore')::timestamptz - statement_timestamp()) / 3600)
                FROM event AS e WHERE e.type = 'charge.expiring' ORDER BY e.sequence
                """
            )
            #expect(limit == [[Self.charge, "23"], [Self.charge, "23"]])
            // What is captured does not expire.
            _ = try await rig.orders.observe(rig.charge(Self.charge, .captured, at: 1, captured: 27_996))
            #expect(try await !rig.polls.announceExpiring(Self.charge))
            #expect(try await !rig.polls.announceExpiring("S03-0000000-0000009-C1"))
        }
    }

    @Test(arguments: [PollOutcome.Step.end, .release, .again(after: .seconds(900), polls: 1, failures: 0)])
    func `are read once more where a message came meanwhile`(step: PollOutcome.Step) async throws {
        try await withRig { rig in
            _ = try await rig.paid(Self.permission)
            let poll = try await rig.due(Self.charge, attempt: Self.attempt(1))
            #expect(
                try await rig.notices.receive(.init(id: "m", kind: "CHARGE", object: Self.charge, permission: nil))
                    == .taken
            )
            try await rig.polls.conclude(poll, attempt: Self.attempt(1), step)
            let again = try await rig.polls.claim(limit: 8, attempt: Self.attempt(2))
            #expect(again.map(\.id) == [Self.charge])
            #expect(again.map(\.isNotified) == [true])
        }
    }

    private static func attempt(_ number: UInt64) -> UUIDBytes {
        UUIDBytes(high: 0x0190_0000_0000_7000, low: number)
    }
}

extension Rig {
    /// A store of readings on the rig's client.
    var polls: PostgresPollStore { PostgresPollStore(client: client) }

    /// A store of messages on the rig's client.
    var notices: PostgresNotificationStore { PostgresNotificationStore(client: client) }

    /// Seconds until each reading, rounded.
    func pauses() throws -> [String: Int] {
        let rows = try admin.rows(
            "SELECT object_id, round(extract(epoch FROM next_at - statement_timestamp()) / 10) * 10 FROM payment_poll"
        )
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] ?? "", Int($0[1] ?? "") ?? -1) })
    }

    /// Waits until a statement of this database waits for an advisory lock.
    func untilSomebodyIsHeld() async throws {
        let waiting = """
            SELECT 1 FROM pg_locks AS w WHERE w.locktype = 'advisory' AND NOT w.granted
                AND w.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
            """
        let patience = Patience()
        while patience.isLeft {
            // A call of another kind, so that the loop turns.
            guard try admin.rows(waiting).isEmpty, try await store.stuckPurchases().count >= 0 else { return }
        }
        throw Surprise("nobody is held")
    }

    /// An object that is claimed, alone.
    func due(_ object: String, attempt: UUIDBytes) async throws -> DuePoll {
        try sql("UPDATE payment_poll SET next_at = now() WHERE object_id = '\(object)'")
        return try #require(try await polls.claim(limit: 8, attempt: attempt).first { $0.id == object })
    }
}
