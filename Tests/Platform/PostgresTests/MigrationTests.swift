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
        try Files.makeDirectory("\(folder.path)/base")
        for (name, text) in files { try folder.write("base/\(name)", text) }
    }

    func run() async throws(PostgresError) -> [String] {
        try await Migrations.run(url: database.url, directory: folder.path, features: ["base"])
    }

    func states() async throws -> [Migrations.State] {
        try await Migrations.status(url: database.url, directory: folder.path, features: ["base"]).map(\.state)
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
        #expect(try await scene.run() == ["base/0001_one.sql", "base/0002_two.sql"])
        #expect(try await scene.run() == [])
        #expect(try await scene.states() == [.applied, .applied])
        let tables = try scene.database.admin().rows("SELECT to_regclass('one'), to_regclass('two')")
        #expect(tables == [["one", "two"]])
    }

    @Test func `are told about while they run`() async throws {
        let scene = try Scene(two)
        var told: [Migrations.Progress] = []
        try Migrations.apply(url: scene.database.url, directory: scene.folder.path, features: ["base"]) {
            told.append($0)
        }
        #expect(
            told == [
                .applying(name: "base/0001_one.sql"), .applied(name: "base/0001_one.sql"),
                .applying(name: "base/0002_two.sql"),
                .applied(name: "base/0002_two.sql"),
            ]
        )
    }

    @Test func `may come later, and other files do not matter`() async throws {
        let scene = try Scene(two)
        _ = try await scene.run()
        try scene.folder.write("base/0010_ten.sql", "CREATE TABLE ten (t text DEFAULT '日本')")
        try scene.folder.write("base/README", "no migration")
        #expect(try await scene.states() == [.applied, .applied, .pending])
        #expect(try await scene.run() == ["base/0010_ten.sql"])
    }
}

@Suite struct `A migration` {
    @Test func `that was changed is named`() async throws {
        let scene = try Scene(two)
        _ = try await scene.run()
        try scene.folder.write("base/0001_one.sql", "CREATE TABLE one (n bigint); -- more")
        #expect(try await scene.states() == [.changed, .applied])
        #expect(try await scene.complaint().contains("0001_one.sql"))
    }

    @Test func `that was renamed is named`() async throws {
        let scene = try Scene(two)
        _ = try await scene.run()
        try Files.move(scene.folder.path + "/base/0002_two.sql", to: scene.folder.path + "/base/0002_zwei.sql")
        #expect(try await scene.complaint().contains("0002_zwei.sql"))
    }

    @Test func `that comes too late is named`() async throws {
        let scene = try Scene(["0002_two.sql": "CREATE TABLE two (n bigint)"])
        _ = try await scene.run()
        try scene.folder.write("base/0001_one.sql", "CREATE TABLE one (n bigint)")
        #expect(try await scene.complaint().contains("0001_one.sql"))
    }

    @Test func `of a newer program is left alone`() async throws {
        let scene = try Scene(two)
        _ = try await scene.run()
        try Files.remove(scene.folder.path + "/base/0002_two.sql")
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
        try Files.write(scene.folder.path + "/base/0001_one.sql", bytes)
        #expect(try await scene.complaint().contains("0001_one.sql"))
    }
}

@Suite struct `Migrations of features` {
    private let database: TestDatabase
    private let folder: TestFolder

    init() throws {
        database = try TestDatabase()
        folder = try TestFolder()
        for name in ["core", "books", "pens"] { try Files.makeDirectory("\(folder.path)/\(name)") }
        try folder.write("core/0007_core.sql", "CREATE TABLE core (n bigint PRIMARY KEY)")
        try folder.write("books/0001_book.sql", "CREATE TABLE book (n bigint REFERENCES core)")
        try folder.write("pens/0001_pen.sql", "CREATE TABLE pen (n bigint)")
    }

    private func run(_ features: [String]) async throws -> [String] {
        try await Migrations.run(url: database.url, directory: folder.path, features: ["core"] + features)
    }

    private func status(_ features: [String]) async throws -> [String] {
        try await Migrations.status(url: database.url, directory: folder.path, features: ["core"] + features)
            .map { "\($0.feature) \($0.name) \($0.state)" }
    }

    @Test func `are applied in the order of the list, with their own numbers`() async throws {
        let before = try await status(["pens", "books"])
        #expect(
            before == [
                "core core/0007_core.sql pending", "pens pens/0001_pen.sql pending",
                "books books/0001_book.sql pending",
            ]
        )
        let applied = try await run(["pens", "books"])
        #expect(applied == ["core/0007_core.sql", "pens/0001_pen.sql", "books/0001_book.sql"])
        #expect(try await run(["pens", "books"]) == [])
        try folder.write("pens/0002_ink.sql", "ALTER TABLE pen ADD COLUMN ink text")
        #expect(try await run(["pens", "books"]) == ["pens/0002_ink.sql"])
        #expect(
            try await status(["pens", "books"]) == [
                "core core/0007_core.sql applied", "pens pens/0001_pen.sql applied",
                "pens pens/0002_ink.sql applied", "books books/0001_book.sql applied",
            ]
        )
    }

    @Test func `come with their feature, and stay when it goes`() async throws {
        #expect(try await run([]) == ["core/0007_core.sql"])
        #expect(try await run(["books"]) == ["books/0001_book.sql"])
        #expect(try await run([]) == [])
        #expect(try await run(["books", "pens"]) == ["pens/0001_pen.sql"])
    }

    @Test func `that were changed, or have no folder, are named before anything is applied`() async throws {
        _ = try await run(["books"])
        try folder.write("books/0001_book.sql", "CREATE TABLE book (n bigint)")
        try folder.write("core/0008_more.sql", "CREATE TABLE more (n bigint)")
        let changed = await #expect(throws: PostgresError.self) { _ = try await run(["books"]) }
        #expect(changed?.detail.contains("books/0001_book.sql is applied and was changed since") == true)
        let absent = await #expect(throws: PostgresError.self) { _ = try await run(["pencils"]) }
        #expect(absent?.detail.contains("pencils") == true)
        #expect(try database.admin().rows("SELECT to_regclass('more')") == [[nil]])
    }
}

@Suite struct `Several starters` {
    /// Applies on a thread of its own, since it blocks.
    private func apply(_ scene: Scene, _ log: LockedLog = LockedLog()) async throws -> Int {
        let thread = try WorkerThread(name: "starter")
        defer { thread.stop() }
        return try await thread.run {
            Result { () throws(PostgresError) in
                try Migrations.apply(url: scene.database.url, directory: scene.folder.path, features: ["base"]) {
                    log.add($0)
                }.count
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
        try Files.makeDirectory("\(folder.path)/base")
        try folder.write("base/0001_one.sql", "CREATE TABLE one (n bigint)")
        let first = try TestDatabase(migrations: folder.path, features: ["base"])
        try first.admin().run("INSERT INTO one VALUES (1)")
        let second = try TestDatabase(migrations: folder.path, features: ["base"])
        #expect(try second.admin().number("SELECT count(*) FROM one") == 0)
        #expect(try first.admin().number("SELECT count(*) FROM one") == 1)
        let status = try await Migrations.status(url: second.url, directory: folder.path, features: ["base"])
        #expect(status.map(\.state) == [.applied])
    }
}
