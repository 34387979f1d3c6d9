import Persistence
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
    private static let standing = Store.Standing(
        reached: UUIDBytes(high: 2, low: 2),
        orders: 3,
        compared: 5,
        differences: 1
    )

    /// A report that the first attempt has begun and brought to the standing.
    private func begun(_ rig: Rig) async throws -> Store {
        let reports = Store(client: rig.client)
        try await reports.begin(Self.day, Self.terms, attempt: Self.attempts[0])
        #expect(try await reports.advance(Self.day, attempt: Self.attempts[0], to: Self.standing))
        return reports
    }

    @Test func `belong to whoever went on last, and go on from what was noted`() async throws {
        try await withRig { rig in
            let (reports, attempts) = (try await begun(rig), Self.attempts)
            let found = try #require(try await reports.unfinished(Self.day))
            #expect(found.terms == Self.terms && found.standing == Self.standing && found.attempt == attempts[0])
            #expect(try await reports.resume(Self.day, of: attempts[0], as: attempts[1]))
            #expect(try await !reports.resume(Self.day, of: attempts[0], as: attempts[2]), "one of two goes on")
            let late = Store.Standing(orders: 9)
            #expect(try await !reports.advance(Self.day, attempt: attempts[0], to: late))
            #expect(try await !reports.advance(Self.day, attempt: attempts[0], to: late, isEnd: true))
            #expect(try await reports.unfinished(Self.day)?.standing == Self.standing)
            #expect(try await reports.newestDifferences() == nil, "nothing has come to its end")
            #expect(try await reports.advance(Self.day, attempt: attempts[1], to: Self.standing, isEnd: true))
            #expect(try await reports.unfinished(Self.day) == nil)
            #expect(try await !reports.resume(Self.day, of: attempts[1], as: attempts[2]))
            #expect(try await reports.newestDifferences() == 1)
        }
    }

    @Test func `begin again from nothing`() async throws {
        try await withRig { rig in
            let (reports, attempts) = (try await begun(rig), Self.attempts)
            try await reports.begin(Self.day, Self.terms, attempt: attempts[1])
            #expect(try await reports.unfinished(Self.day)?.standing == Store.Standing())
            #expect(try await !reports.advance(Self.day, attempt: attempts[0], to: Self.standing))
        }
    }
}
