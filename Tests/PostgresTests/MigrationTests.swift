import EventIO
import PostgresTestKit
import Primitives
import Testing

@testable import Postgres

/// A folder with migrations and a database without any.
private struct Scene: Sendable {
    let folder: TestFolder
    let database: TestDatabase

    init(_ files: [String: String]) throws {
        folder = try TestFolder()
        database = try TestDatabase()
        for (name, text) in files { try folder.write(name, text) }
    }

    func run() async throws(PostgresError) -> [String] {
        try await Migrations.run(url: database.url, directory: folder.path)
    }

    func states() async throws -> [Migrations.State] {
        try await Migrations.status(url: database.url, directory: folder.path).map(\.state)
    }

    /// The detail of the failure of a run; its code is checked.
    func complaint() async throws -> String {
        let error = await #expect(throws: PostgresError.self) { try await run() }
        #expect(error?.code == .migration)
        return error?.detail ?? ""
    }
}

private let two = ["0001_one.sql": "CREATE TABLE one (n bigint);", "0002_two.sql": "CREATE TABLE two (n bigint);"]

@Suite struct `Migrations that are pending` {
    @Test func `are applied in order, once`() async throws {
        let scene = try Scene(two)
        #expect(try await scene.states() == [.pending, .pending])
        #expect(try await scene.run() == ["0001_one.sql", "0002_two.sql"])
        #expect(try await scene.run() == [])
        #expect(try await scene.states() == [.applied, .applied])
        let tables = try scene.database.admin().rows("SELECT to_regclass('one'), to_regclass('two')")
        #expect(tables == [["one", "two"]])
    }

    @Test func `are told about while they run`() async throws {
        let scene = try Scene(two)
        var told: [Migrations.Progress] = []
        try Migrations.apply(url: scene.database.url, directory: scene.folder.path) { told.append($0) }
        #expect(
            told == [
                .applying(name: "0001_one.sql"), .applied(name: "0001_one.sql"), .applying(name: "0002_two.sql"),
                .applied(name: "0002_two.sql"),
            ]
        )
    }

    @Test func `may come later, and other files do not matter`() async throws {
        let scene = try Scene(two)
        _ = try await scene.run()
        try scene.folder.write("0010_ten.sql", "CREATE TABLE ten (t text DEFAULT '日本')")
        try scene.folder.write("README", "no migration")
        #expect(try await scene.states() == [.applied, .applied, .pending])
        #expect(try await scene.run() == ["0010_ten.sql"])
    }
}

@Suite struct `A migration` {
    @Test func `that was changed is named`() async throws {
        let scene = try Scene(two)
        _ = try await scene.run()
        try scene.folder.write("0001_one.sql", "CREATE TABLE one (n bigint); -- more")
        #expect(try await scene.states() == [.changed, .applied])
        #expect(try await scene.complaint().contains("0001_one.sql"))
    }

    @Test func `that was renamed is named`() async throws {
        let scene = try Scene(two)
        _ = try await scene.run()
        try Files.move(scene.folder.path + "/0002_two.sql", to: scene.folder.path + "/0002_zwei.sql")
        #expect(try await scene.complaint().contains("0002_zwei.sql"))
    }

    @Test func `that comes too late is named`() async throws {
        let scene = try Scene(["0002_two.sql": "CREATE TABLE two (n bigint)"])
        _ = try await scene.run()
        try scene.folder.write("0001_one.sql", "CREATE TABLE one (n bigint)")
        #expect(try await scene.complaint().contains("0001_one.sql"))
    }

    @Test func `of a newer program is left alone`() async throws {
        let scene = try Scene(two)
        _ = try await scene.run()
        try Files.remove(scene.folder.path + "/0002_two.sql")
        #expect(try await scene.states() == [.applied, .missing])
        #expect(try await scene.run() == [])
    }

    @Test func `that fails leaves nothing of itself, and what came before it`() async throws {
        let scene = try Scene([
            "0001_one.sql": "CREATE TABLE one (n bigint)",
            "0002_bad.sql": "CREATE TABLE half (n bigint); INSERT INTO nowhere VALUES (1)",
            "0003_three.sql": "CREATE TABLE three (n bigint)",
        ])
        let complaint = try await scene.complaint()
        #expect(complaint.contains("0002_bad.sql"))
        #expect(complaint.contains("42P01"))
        #expect(try await scene.states() == [.applied, .pending, .pending])
        #expect(try scene.database.admin().rows("SELECT to_regclass('half')") == [[nil]])
    }

    @Test func `may not end its transaction`() async throws {
        let scene = try Scene(["0001_commit.sql": "CREATE TABLE one (n bigint); COMMIT"])
        #expect(try await scene.complaint().contains("0001_commit.sql"))
    }

    @Test(arguments: ["1_one.sql", "0000_zero.sql", "0001-one.sql", "0001_One.sql", "0001_.sql", "abcd_one.sql"])
    func `with another name is refused`(name: String) async throws {
        let scene = try Scene([name: "SELECT 1"])
        #expect(try await scene.complaint().contains(name))
    }

    @Test func `with the number of another one is refused`() async throws {
        let scene = try Scene(["0001_a.sql": "SELECT 1", "0001_b.sql": "SELECT 1"])
        #expect(try await scene.complaint().contains("0001_b.sql"))
    }

    @Test(arguments: [[0x53, 0x00], [0xFF, 0xFE], [0xC0, 0xAF]] as [[UInt8]])
    func `that is no text is refused`(bytes: [UInt8]) async throws {
        let scene = try Scene([:])
        try Files.write(scene.folder.path + "/0001_one.sql", bytes)
        #expect(try await scene.complaint().contains("0001_one.sql"))
    }
}

@Suite struct `Several starters` {
    /// Applies on a thread of its own, since it blocks.
    private func apply(_ scene: Scene, _ log: LockedLog = LockedLog()) async throws -> Int {
        let thread = try WorkerThread(name: "starter")
        defer { thread.stop() }
        return try await thread.run {
            Result { () throws(PostgresError) in
                try Migrations.apply(url: scene.database.url, directory: scene.folder.path) { log.add($0) }.count
            }
        }.get()
    }

    @Test func `apply each migration once`() async throws {
        let scene = try Scene(two)
        async let first = apply(scene)
        async let second = apply(scene)
        async let third = apply(scene)
        #expect(try await first + second + third == 2)
    }

    @Test func `wait for each other, and say so`() async throws {
        let scene = try Scene(two)
        let admin = try scene.database.admin()
        try admin.run("SELECT pg_advisory_lock(8314045600252325746)")
        let log = LockedLog()
        async let starter = apply(scene, log)
        await log.first()
        try admin.waitForBlocked()
        try admin.run("SELECT pg_advisory_unlock_all()")
        #expect(try await starter == 2)
        #expect(log.entries.first == .waiting)
    }
}

/// What a starter tells, from another thread.
private final class LockedLog: Sendable {
    private let told = Lock<[Migrations.Progress]>([])
    private let firstOne = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    var entries: [Migrations.Progress] { told.withLock { $0 } }

    func add(_ progress: Migrations.Progress) {
        told.withLock { $0.append(progress) }
        firstOne.continuation.yield()
    }

    /// Waits until something was told.
    func first() async {
        for await _ in firstOne.stream { return }
    }
}

@Suite struct `A database made from migrations` {
    @Test func `has their tables and none of another test's rows`() async throws {
        let folder = try TestFolder()
        try folder.write("0001_one.sql", "CREATE TABLE one (n bigint)")
        let first = try TestDatabase(migrations: folder.path)
        try first.admin().run("INSERT INTO one VALUES (1)")
        let second = try TestDatabase(migrations: folder.path)
        #expect(try second.admin().number("SELECT count(*) FROM one") == 0)
        #expect(try first.admin().number("SELECT count(*) FROM one") == 1)
        let status = try await Migrations.status(url: second.url, directory: folder.path)
        #expect(status.map(\.state) == [.applied])
    }
}
