import Checkout
import Merchant
import MerchantOrders
import Primitives
import Testing

@Suite("The reports in the database")
struct ReportStoreTests {
    private typealias Store = PostgresReconciliationStore

    private static let day = "2026-11-20"
    private static let terms = Store.Terms(
        since: WallTime(seconds: 1_795_132_800),
        until: WallTime(seconds: 1_795_219_200),
        repairs: true
    )

    private static let attempts = (1...3).map { UUIDBytes(high: 1, low: $0) }
    private static let progress = Store.Progress(
        reached: UUIDBytes(high: 2, low: 2),
        orders: 3,
        compared: 5,
        differences: 1
    )

    /// A report that the first attempt has begun and brought to the progress above.
    private func begun(_ rig: Rig) async throws -> Store {
        let reports = Store(client: rig.client)
        try await reports.begin(Self.day, Self.terms, attempt: Self.attempts[0])
        #expect(try await reports.advance(Self.day, attempt: Self.attempts[0], to: Self.progress))
        return reports
    }

    @Test func `belong to whoever went on last, and go on from what was noted`() async throws {
        try await withRig { rig in
            let (reports, attempts) = (try await begun(rig), Self.attempts)
            let found = try #require(try await reports.unfinished(Self.day))
            #expect(found.terms == Self.terms && found.progress == Self.progress && found.attempt == attempts[0])
            #expect(try await reports.resume(Self.day, of: attempts[0], as: attempts[1]))
            #expect(try await !reports.resume(Self.day, of: attempts[0], as: attempts[2]), "one of two goes on")
            let late = Store.Progress(orders: 9)
            #expect(try await !reports.advance(Self.day, attempt: attempts[0], to: late))
            #expect(try await !reports.advance(Self.day, attempt: attempts[0], to: late, isEnd: true))
            #expect(try await reports.unfinished(Self.day)?.progress == Self.progress)
            #expect(try await reports.newest() == nil, "nothing has come to its end")
            #expect(try await reports.advance(Self.day, attempt: attempts[1], to: Self.progress, isEnd: true))
            #expect(try await reports.unfinished(Self.day) == nil)
            #expect(try await !reports.resume(Self.day, of: attempts[1], as: attempts[2]))
            #expect(try await reports.newest()?.differences == 1)
        }
    }

    @Test func `compare older orders to which something happened, and a sample`() async throws {
        try await withRig { rig in
            let reports = Store(client: rig.client)
            let permission = "S03-0000000-0000001"
            let crossing = try await rig.paid(permission)
            // The report begins a moment after the order was made.
            let made = WallTime(microseconds: Int64(crossing.webviewSession.high >> 16) * 1_000)
            func older(_ since: Duration, sample: Int = 0) async throws -> [UUIDBytes] {
                let terms = Store.Terms(
                    since: made + since,
                    until: made + .seconds(200 * 86_400),
                    repairs: false,
                    sample: sample
                )
                return try await reports.older(terms)
            }
            let soon = Duration.milliseconds(1)
            #expect(try await older(soon) == [crossing.webviewSession], "paid since")
            #expect(try await older(.zero).isEmpty, "made since")
            try rig.sql("UPDATE merchant_order SET updated_at = updated_at - interval '1 hour'")
            #expect(try await older(soon).isEmpty, "paid before")
            // A month later it is captured, then refunded.
            let month = Duration.seconds(30 * 86_400)
            try rig.sql("UPDATE merchant_order SET updated_at = updated_at - interval '1 hour'")
            _ = try await rig.begin(rig.request(.capture(yen(27_996)), on: permission + "-C1", of: crossing))
            #expect(try await older(soon) == [crossing.webviewSession], "an operation since")
            #expect(try await older(month).isEmpty, "an operation before")
            try rig.sql("DELETE FROM payment_operation")
            #expect(try await older(soon).isEmpty)
            let message = PostgresNotificationStore.Message(
                id: "m",
                kind: "CHARGE",
                object: permission + "-C1",
                permission: nil
            )
            #expect(try await rig.notices.receive(message) == .taken)
            #expect(try await older(soon) == [crossing.webviewSession], "a message since")
            #expect(try await older(month).isEmpty, "a message before")
            #expect(try await older(month, sample: 180).isEmpty, "nothing was taken")
            _ = try await rig.orders.observe(rig.charge(permission + "-C1", .captured, captured: 27_996))
            try rig.sql("UPDATE merchant_order SET updated_at = created_at")
            #expect(try await older(month, sample: 180) == [crossing.webviewSession], "one of each day")
            #expect(try await older(.seconds(185 * 86_400), sample: 180).isEmpty, "too old to be refunded")
        }
    }

    @Test func `begin again from nothing`() async throws {
        try await withRig { rig in
            let (reports, attempts) = (try await begun(rig), Self.attempts)
            try await reports.begin(Self.day, Self.terms, attempt: attempts[1])
            #expect(try await reports.unfinished(Self.day)?.progress == Store.Progress())
            #expect(try await !reports.advance(Self.day, attempt: attempts[0], to: Self.progress))
        }
    }
}
