import EventIO
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import Synchronization
import TestKit
import Testing

@testable import Wallet

@Suite struct `Races of writers and phones` {
    /// Writers commit in another order than they begin: whoever lists in between must not be given a tag behind which one is missing.
    @Test func `lose no update with six writers and a phone that lists all the time`() async throws {
        let database = try walletDatabase()
        try await withWallet(database: database) { wallet in
            for index in 0..<12 { try await wallet.register("D1", try await wallet.member("\(index)")) }
        }
        let all = try database.admin().rows("SELECT account_id FROM wallet_member").compactMap(\.[0])
        let writers = Countdown()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<6 {
                group.addTask {
                    defer { writers.left.subtract(1, ordering: .sequentiallyConsistent) }
                    let url = database.url
                    try await onThread {
                        let admin = try PostgresAdmin(url: url, patience: TestDatabase.patience)
                        var random = SeededGenerator(UInt64(writer) + 1)
                        for _ in 0..<40 {
                            let card = all[Int.random(in: 0..<all.count, using: &random)]
                            try admin.run("SELECT wallet_points('\(card)', 1, true)")
                        }
                    }
                }
            }
            group.addTask {
                try await withWallet(["wallet.list_rate": "60000"], database: database) { wallet in
                    var tag: String?
                    var points: [String: String] = [:]
                    var isLast = false
                    while true {
                        if let listed = try await wallet.list("D1", since: tag) {
                            tag = listed.tag
                            for serial in listed.serials {
                                let rows = try wallet.admin.rows(
                                    "SELECT content->>'points' FROM wallet_pass WHERE serial = '\(serial)'"
                                )
                                points[serial] = rows.first?.first ?? nil
                            }
                        }
                        if isLast { break }
                        isLast = writers.left.load(ordering: .sequentiallyConsistent) == 0
                    }
                    let truth = try wallet.admin.rows("SELECT serial, content->>'points' FROM wallet_pass")
                    for row in truth { #expect(points[row[0] ?? ""] == row[1]) }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `give a phone the change of a transaction that began before the one it heard of`() async throws {
        let database = try walletDatabase()
        try await withWallet(database: database) { wallet in
            let (early, late) = (try await wallet.member("early"), try await wallet.member("late"))
            try await wallet.register("D1", early)
            try await wallet.register("D1", late)
            let start = try #require(try await wallet.list("D1")).tag
            let (first, second) = (try database.admin(), try database.admin())
            // What it changes has this number, however late it is changed.
            try first.run("BEGIN; SELECT pg_current_xact_id()")
            try second.run("SELECT wallet_points('\(late.account)', 1, true)")
            let heard = try #require(try await wallet.list("D1", since: start))
            #expect(heard.serials.contains(late.serial))
            try first.run("SELECT wallet_points('\(early.account)', 1, true); COMMIT")
            #expect(try await wallet.list("D1", since: heard.tag)?.serials.contains(early.serial) == true)
        }
    }

    /// A server that takes over without the last commits gives their numbers once more; its timeline is the next one.
    @Test func `have tags that begin with the timeline of the database`() async throws {
        try await withWallet(database: try walletDatabase()) { wallet in
            _ = try await wallet.member()
            let rows = try wallet.admin.rows(
                """
                SELECT p.tag >> 40, wallet_tag_at(7) - (1::bigint << 40), wallet_tag_raise(0) > p.tag,
                    wallet_tag_raise(5::bigint << 40) > 5::bigint << 40, wallet_tag_new() > 5::bigint << 40
                FROM wallet_pass AS p
                """
            )
            #expect(rows == [["1", "7", "t", "t", "t"]])
        }
    }

    @Test func `register a phone once`() async throws {
        let database = try walletDatabase()
        try await withWallet(database: database) { wallet in
            let card = try await wallet.member()
            let sql = "SELECT wallet_register('\(WalletFixture.passType)', '\(card.serial)', 'D1', 'aa', 1)"
            let outcomes = try await manyTimes(database, sql)
            #expect(outcomes.count { $0 == "created" } == 1)
            #expect(outcomes.count { $0 == "exists" } == outcomes.count - 1)
            #expect(try wallet.admin.rows("SELECT devices FROM wallet_pass") == [["1"]])
        }
    }

    @Test func `make one card of one member`() async throws {
        let database = try walletDatabase()
        try await withWallet(database: database) { wallet in
            _ = wallet
            let sql = """
                SELECT serial FROM wallet_issue(
                    'm-1', 'Hana', 0, '\(WalletFixture.passType)', upper(gen_random_uuid()::text), 'member', '{}', 1)
                """
            let serials = try await manyTimes(database, sql)
            #expect(Set(serials).count == 1)
        }
    }

    @Test func `leave no phone without a place to wake it, and none too many`() async throws {
        let database = try walletDatabase()
        try await withWallet(database: database) { wallet in
            let (one, two) = (try await wallet.member("1"), try await wallet.member("2"))
            let type = WalletFixture.passType
            _ = try await manyTimes(
                database,
                """
                SELECT CASE (random() * 3)::int
                    WHEN 0 THEN wallet_unregister('\(type)', '\(one.serial)', 'D1', 1)
                    WHEN 1 THEN wallet_unregister('\(type)', '\(two.serial)', 'D1', 1)
                    WHEN 2 THEN wallet_register('\(type)', '\(one.serial)', 'D1', 'aa', 1)
                    ELSE wallet_register('\(type)', '\(two.serial)', 'D1', 'aa', 1)
                END
                """,
                rounds: 40
            )
            let counts = try wallet.admin.rows(
                """
                SELECT (SELECT count(*) FROM wallet_registration) = (SELECT sum(devices) FROM wallet_pass),
                    (SELECT count(*) > 0 FROM wallet_registration) = (SELECT count(*) = 1 FROM wallet_device)
                """
            )
            #expect(counts == [["t", "t"]])
        }
    }

    /// What a statement gives on eight connections at once.
    private func manyTimes(_ database: TestDatabase, _ sql: String, rounds: Int = 5) async throws -> [String] {
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                let url = database.url
                group.addTask {
                    try await onThread {
                        let admin = try PostgresAdmin(url: url, patience: TestDatabase.patience)
                        return try (0..<rounds).compactMap { _ in try admin.rows(sql).first?.first ?? nil }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}

/// How many writers are at work.
private final class Countdown: Sendable {
    let left = Atomic(6)
}

/// Runs what waits on a thread of its own.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    let thread = try WorkerThread(name: "writer")
    defer {
        thread.stop()
        thread.join()
    }
    return try await thread.run { () -> Swift.Result<Result, any Error> in Swift.Result { try body() } }.get()
}

/// Numbers that are the same each time.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
