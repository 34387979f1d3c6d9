import EventIO
import Postgres
import PostgresTestKit
import TestKit
import Testing

/// The list of columns in docs/schema.md that the program's role may change, against the rights in a migrated database.
@Suite("The list of columns that the program's role may change")
struct RightsDocumentTests {
    @Test func `has each of them, and no other`() throws {
        let text = String(decoding: try Files.read(ProjectFolder.path("docs/schema.md")), as: UTF8.self)
        let table = try #require(text.split(separator: "| Table | Columns that ").dropFirst().first)
        var documented: [String: [String]] = [:]
        let lines = table.split(separator: "\n").drop(while: { !$0.hasPrefix("| `") }).prefix { $0.hasPrefix("| `") }
        let pages = try FeaturePage.all().flatMap { $0.rows("Rights") }
        for cells in lines.map({ $0.split(separator: "|").map { $0.drop { $0 == " " } } })
            + pages.map({ $0.map { $0[...] } })
        {
            let words = cells[1].split(separator: "`", omittingEmptySubsequences: false)
            let name = String(cells[0].split(separator: "`")[0])
            documented[name] =
                cells[1].hasPrefix("all") ? ["all"] : stride(from: 1, to: words.count, by: 2).map { String(words[$0]) }
        }
        let database = try migratedDatabase()
        let rows = try database.admin().rows(
            """
            SELECT c.relname, string_agg(a.attname, ',' ORDER BY a.attname) FILTER (
                    WHERE NOT has_table_privilege('sallyport_service', c.oid, 'UPDATE'))
            FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
                AND has_column_privilege('sallyport_service', c.oid, a.attnum, 'UPDATE')
            GROUP BY 1
            """
        )
        var granted: [String: [String]] = [:]
        for row in rows { granted[row[0] ?? ""] = (row[1] ?? "all").split(separator: ",").map(String.init) }
        #expect(documented.count > 15 && documented == granted)
    }
}

/// The table "Functions" of docs/schema.md against a migrated database and the files of the migrations.
@Suite("The table of functions")
struct SchemaDocumentTests {
    private struct Row {
        /// As in the table: `name(parameter, parameter)`.
        let signature: String
        let file: String
        var name: String { String(signature.prefix { $0 != "(" }) }
    }

    private static let root = ProjectFolder.path

    private static func rows() throws -> [Row] {
        let text = String(decoding: try Files.read(root + "/docs/schema.md"), as: UTF8.self)
        let section = text.split(separator: "\n## ").first { $0.hasPrefix("Functions\n") }
        let lines = try #require(section).split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let pages = try FeaturePage.all().flatMap { $0.rows("Functions") }.map { "|" + $0.joined(separator: "|") }
        return (lines + pages).map { line in
            let words = line.split(separator: "`", omittingEmptySubsequences: false)
            return Row(signature: String(words[1]), file: String(words[3]))
        }
    }

    @Test func `has each function of a migrated database, with the names of its parameters`() throws {
        let database = try migratedDatabase()
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

    @Test func `names the file of each function, which has its text`() throws {
        for row in try Self.rows() {
            let text = String(decoding: try Files.read("\(migrationsFolder)/\(row.file)"), as: UTF8.self)
            #expect(text.contains("CREATE OR REPLACE FUNCTION \(row.name)("), "\(row.signature)")
        }
    }

    @Test func `has a row for each file of functions`() throws {
        var files: Set<String> = []
        for folder in migrationFolders where Files.exists("\(migrationsFolder)/\(folder)/functions") {
            for name in try Files.list("\(migrationsFolder)/\(folder)/functions") {
                files.insert("\(folder)/functions/\(name)")
            }
        }
        #expect(Set(try Self.rows().map(\.file)) == files)
    }
}
