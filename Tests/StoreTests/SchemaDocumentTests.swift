import EventIO
import Postgres
import PostgresTestKit
import Testing

/// The table "Functions" of docs/schema.md against a migrated database and the files of the migrations.
@Suite("The table of functions")
struct SchemaDocumentTests {
    private struct Row {
        /// As in the table: `name(parameter, parameter)`.
        let signature: String
        let file: String
        var name: String { String(signature.prefix { $0 != "(" }) }
    }

    private static let root = {
        let file = #filePath
        return String(file.prefix(upTo: file.firstRange(of: "/Tests/")?.lowerBound ?? file.endIndex))
    }()

    private static func rows() throws -> [Row] {
        let text = String(decoding: try Files.read(root + "/docs/schema.md"), as: UTF8.self)
        let section = text.split(separator: "\n## ").first { $0.hasPrefix("Functions\n") }
        return try #require(section).split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let words = line.split(separator: "`", omittingEmptySubsequences: false)
            return Row(signature: String(words[1]), file: String(words[3]))
        }
    }

    /// Whether a file creates or replaces a function of this name.
    private static func file(_ name: String, creates function: String) throws -> Bool {
        let text = String(decoding: try Files.read(root + "/migrations/" + name), as: UTF8.self)
        return text.contains("CREATE FUNCTION \(function)(") || text.contains("CREATE OR REPLACE FUNCTION \(function)(")
    }

    @Test func `has each function of a migrated database, with the names of its parameters`() throws {
        let database = try TestDatabase(migrations: Self.root + "/migrations")
        let functions = try database.admin().rows(
            """
            SELECT p.proname || '(' || coalesce((
                SELECT string_agg(a.name, ', ' ORDER BY a.place)
                FROM unnest(p.proargnames, p.proargmodes) WITH ORDINALITY AS a(name, mode, place)
                WHERE coalesce(a.mode, 'i') = 'i'
            ), '') || ')'
            FROM pg_proc AS p WHERE p.pronamespace = 'public'::regnamespace
            """
        ).compactMap { $0[0] }
        #expect(try Self.rows().map(\.signature).sorted() == functions.sorted())
    }

    @Test func `names the last migration that creates the function`() throws {
        let rows = try Self.rows()
        let files = try Files.list(Self.root + "/migrations").filter { $0.hasSuffix(".sql") }.sorted()
        for row in rows {
            #expect(try Self.file(row.file, creates: row.name), "\(row.signature)")
            // A function of this name with other parameters may have been created later: it has a row of its own.
            let others = rows.filter { $0.name == row.name }.map(\.file)
            for later in files where later > row.file && !others.contains(later) {
                #expect(try !Self.file(later, creates: row.name), "\(row.signature) is in \(later) too")
            }
        }
    }
}
