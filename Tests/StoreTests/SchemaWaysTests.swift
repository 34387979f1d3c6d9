import EventIO
import Postgres
import PostgresTestKit
import Primitives
import Testing

/// The two ways to the schema: the folders of `migrations/` alone, and the series of before behind which they are recorded.
@Suite("The schema")
struct SchemaWaysTests {
    private func migrate(_ database: TestDatabase, _ folders: [String] = migrationFolders) throws -> [String] {
        try Migrations.apply(url: database.url, directory: migrationsFolder, features: folders)
    }

    /// Types, tables, partitions, indexes, functions, triggers, privileges and comments, as statements.
    private func structure(_ database: TestDatabase) throws -> [Substring] {
        let result = try ChildPlan("/usr/bin/pg_dump", ["--schema-only", "--dbname", database.url.reveal()])
            .run(atMost: .seconds(60), limit: 1 << 22)
        try #require(result.exit.isSuccess)
        // Lines of the client have a random word in them.
        return String(decoding: result.output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("\\") }
    }

    private func records(_ database: TestDatabase) throws -> [[String?]] {
        try database.admin().rows(
            """
            SELECT '' AS feature, number, name, sha256 FROM schema_migration
            UNION ALL SELECT feature, number, name, sha256 FROM feature_migration
            UNION ALL SELECT feature, version, name, sha256 FROM feature_function ORDER BY 1, 2, 3
            """
        )
    }

    @Test(.enabled(if: Files.exists("/usr/bin/pg_dump"), "pg_dump is not installed"), arguments: [1, 17, 28, 29])
    func `is the same wherever the series of before had come to`(number: Int) throws {
        let early = try TestDatabase()
        try EarlySeries.apply(to: early, through: number)
        let applied = try migrate(early)
        let series = try EarlySeries.names(through: EarlySeries.last)
        #expect(applied.filter { !$0.contains("/") } == Array(series.dropFirst(number)))
        #expect(!applied.contains("checkout/0001_sessions.sql"))
        let fresh = try TestDatabase()
        #expect(try migrate(fresh).first == "core/0001_shared.sql")
        let (of, from) = (try structure(fresh), try structure(early))
        #expect(of.count > 1_000)
        for line in of.difference(from: from) { Issue.record("\(line)") }
        #expect(try records(fresh) == records(early))
        #expect(try migrate(early) == [])
        #expect(try migrate(fresh) == [])
    }

    @Test func `has today's words in what endpoints of before want to get`() throws {
        let early = try TestDatabase()
        try EarlySeries.apply(to: early, through: EarlySeries.last)
        let admin = try early.admin()
        try admin.run(
            """
            INSERT INTO webhook_endpoint (endpoint_id, created_at, url, types, key_id, secret)
            SELECT gen_random_uuid(), now(), t.url, t.types::text[], 'whk', ''
            FROM (VALUES ('a', '{session.paid,session.cancelled}'), ('b', '{charge.canceled}'), ('c', '{}')) AS t (url, types)
            """
        )
        _ = try migrate(early)
        let types = try admin.rows("SELECT types FROM webhook_endpoint ORDER BY url")
        #expect(types == [["{session.paid,session.canceled}"], ["{charge.canceled}"], ["{}"]])
    }

    // Days of a year and months of two, so that several hundred partitions are renamed in one transaction.
    private func makePartitions(_ database: TestDatabase, _ session: String, make: String) throws {
        try database.admin().run(
            """
            SET timezone = 'UTC';
            SELECT count(\(make)('\(session)_private', 'YYYYMMDD', d, d + interval '1 day'))
            FROM generate_series(date_trunc('day', now()) - interval '365 days', date_trunc('day', now()), '1 day') AS d;
            SELECT count(\(make)(t, 'YYYYMM', m, m + interval '1 month'))
            FROM unnest(ARRAY['\(session)', '\(session)_event']) AS t,
                generate_series(date_trunc('month', now()) - interval '23 months', now(), '1 month') AS m;
            SELECT count(merchant_make_partition(t, m, m + interval '1 month'))
            FROM unnest(ARRAY['merchant_order', 'merchant_event', 'payment_operation']) AS t,
                generate_series(date_trunc('month', now()) - interval '23 months', now(), '1 month') AS m;
            """
        )
    }

    @Test(.enabled(if: Files.exists("/usr/bin/pg_dump"), "pg_dump is not installed"))
    func `is the same where the folders had made it under the names of before, with hundreds of partitions`() throws {
        let early = try TestDatabase()
        try EarlySeries.apply(to: early, through: EarlySeries.last)
        try EarlySeries.recordFolders(in: early)
        try makePartitions(early, "flow", make: "flow_make_partition")
        let files = try migrate(early).filter { !$0.contains("/functions/") }
        #expect(files.filter { $0.hasSuffix("_names.sql") }.count == migrationFolders.count)
        #expect(files.allSatisfy { !$0.hasSuffix("/0001_sessions.sql") && !$0.hasSuffix("/0001_shared.sql") })
        let fresh = try TestDatabase()
        _ = try migrate(fresh)
        try makePartitions(fresh, "webview_session", make: "partition_make")
        let (of, from) = (try structure(fresh), try structure(early))
        #expect(of.count > 10_000)
        for line in of.difference(from: from) { Issue.record("\(line)") }
        #expect(try records(fresh) == records(early))
        #expect(try migrate(early) == [])
    }

    @Test func `is that of the series to a program of before, which finds each of its files on record`() throws {
        let early = try TestDatabase()
        try EarlySeries.apply(to: early, through: EarlySeries.last)
        let records = "SELECT number, name, sha256 FROM schema_migration ORDER BY number"
        let known = try early.admin().rows(records)
        #expect(known.count == EarlySeries.last)
        let fresh = try migratedDatabase()
        #expect(try fresh.admin().rows(records) == known)
    }

    // MARK: Folders

    /// The folders whose tables and functions one may name, beside its own.
    private static let needs = [
        "core": [], "service": ["core"], "checkout": ["core", "service"], "webhooks": ["core"],
        "merchant": ["core", "service", "checkout"],
    ]

    @Test(arguments: migrationFolders)
    func `of a folder is made with those that it needs`(folder: String) throws {
        let needs = try #require(Self.needs[folder])
        let applied = try migrate(TestDatabase(), needs + [folder])
        #expect(applied.contains { $0.hasPrefix("\(folder)/0001_") })
    }

    /// The statements of each file of a folder, without comments.
    private static func statements(_ folder: String) throws -> [(name: String, text: String)] {
        let names = try Files.list("\(migrationsFolder)/\(folder)")
        let functions = try? Files.list("\(migrationsFolder)/\(folder)/functions").map { "functions/\($0)" }
        return try (names + (functions ?? [])).filter { $0.hasSuffix(".sql") }.map { name in
            let text = String(decoding: try Files.read("\(migrationsFolder)/\(folder)/\(name)"), as: UTF8.self)
            let lines = text.split(separator: "\n").map {
                $0.prefix(upTo: $0.firstRange(of: "--")?.lowerBound ?? $0.endIndex)
            }
            return ("\(folder)/\(name)", lines.joined(separator: "\n"))
        }
    }

    // Bodies in PL/pgSQL are not looked into when they are created.
    @Test func `of a folder names nothing of one that it does not need`() throws {
        var makers: [Substring: String] = [:]
        for folder in migrationFolders {
            for (_, text) in try Self.statements(folder) {
                for match in text.matches(of: /CREATE (?:OR REPLACE )?(?:TABLE|FUNCTION|TYPE) ([a-z_]+)/) {
                    makers[match.1] = folder
                }
            }
        }
        #expect(makers["webview_session"] == "checkout" && makers["partition_keep"] == "core" && makers.count > 80)
        for folder in migrationFolders {
            let known = try #require(Self.needs[folder]) + [folder]
            for (name, text) in try Self.statements(folder) {
                let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") })
                let foreign = words.filter { word in makers[word].map { !known.contains($0) } ?? false }
                #expect(foreign == [], "\(name)")
            }
        }
    }
}
