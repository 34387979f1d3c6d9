import EventIO
import Postgres
import PostgresTestKit
import Primitives
import TestKit
import Testing

/// A database of 10,010 orders that a program of before made, whose migrations ended at 0017, brought to the schema of today.
///
/// The orders are copies of fourteen sessions that such a program sold (`Early/orders.sql`); `early.copy` has the ids of the copies, the
/// first of which keep their own.
final class EarlyShop: Sendable {
    /// Made at the first use; the tests that share it change orders of their own.
    static let shared = Result { try EarlyShop() }

    let database: TestDatabase
    /// What was counted before and behind the migrations of today.
    let before: [String: String]
    let after: [String: String]
    /// The migrations that were applied to it.
    let applied: [String]

    private static let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Early"

    private init() throws {
        database = try TestDatabase()
        try EarlySeries.apply(to: database, through: 17)
        let admin = try database.admin()
        for name in ["orders.sql", "copies.sql"] {
            let text = try Files.read("\(EarlyShop.folder)/\(name)", limit: 1 << 20)
            try admin.run(String(decoding: text, as: UTF8.self))
        }
        let columns = try EarlyShop.columns(admin)
        before = try EarlyShop.census(admin, columns)
        applied = try Migrations.apply(
            url: database.url,
            directory: migrationsFolder,
            features: migrationFolders
        )
        after = try EarlyShop.census(admin, columns, EarlyNames.today)
        // What was not used yet has minutes to live, and so has a receipt; on a busy machine the tests that use them come later.
        let later = "now() + interval '1 hour'"
        let dates = "launch_until = \(later), idle_until = \(later)"
        for (session, dates) in [
            (Session.merchantCreated, dates), (.placed, dates), (.paid, "receipt_until = \(later)"),
        ] {
            let id = try id(0, of: session)
            try admin.run("UPDATE webview_session SET \(dates) WHERE webview_session_id = '\(id)'")
        }
    }

    /// The columns of then, by table, but for what a migration changes on purpose: 0019 shortens leases.
    private static func columns(_ admin: PostgresAdmin) throws -> [(table: String, columns: [String])] {
        let rows = try admin.rows(
            """
            SELECT c.relname, string_agg(a.attname, ' ' ORDER BY a.attnum)
            FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                AND c.relname NOT LIKE '%\\_migration' AND (c.relname, a.attname) <> ('payment_operation', 'lease_until')
            GROUP BY 1 ORDER BY 1
            """
        )
        return rows.compactMap { row in
            row[0].flatMap { table in row[1].map { (table, $0.split(separator: " ").map(String.init)) } }
        }
    }

    /// How many rows each table has and a digest of them; how many orders, sessions and objects stand where, and their sums.
    ///
    /// - Parameter name: The name of what was called so.
    private static func census(
        _ admin: PostgresAdmin,
        _ columns: [(table: String, columns: [String])],
        _ name: (String) -> String = { $0 }
    ) throws -> [String: String] {
        var census: [String: String] = [:]
        for (table, columns) in columns {
            let list = columns.map { "\"\(name($0))\"" }.joined(separator: ", ")
            let sql = """
                SELECT count(*), sum(hashtextextended(\(inWordsOfToday("x::text")), 0))
                FROM (SELECT \(list) FROM \(name(table))) AS x
                """
            census[table] = try text(admin, sql)
        }
        census["orders"] = try text(
            admin,
            """
            SELECT \(inWordsOfToday("state::text")) AS state, client, count(*), sum(total), sum(captured), sum(refunded) FROM merchant_order
            GROUP BY merchant_order.state, client ORDER BY state, client
            """
        )
        census["sessions"] = try text(
            admin,
            """
            SELECT \(inWordsOfToday("f.state::text")) AS state, client, count(*), sum(total) FROM \(name("flow")) AS f
            GROUP BY f.state, client ORDER BY state, client
            """
        )
        census["objects"] = try text(
            admin,
            """
            SELECT kind, state, count(*), sum(amount), sum(captured), sum(refunded), sum(reserved) FROM payment_object
            GROUP BY kind, state ORDER BY kind, state
            """
        )
        return census
    }

    /// A row as text with the words and forms of docs/decisions/0013, whenever it was written.
    private static func inWordsOfToday(_ text: String) -> String {
        let words = [
            ("cancelled", "canceled"), ("flow_mismatch", "session_mismatch"),
            (#"{""object"" : ""session"", "#, "{"), (#""about"" : "#, #""object"" : "#),
        ]
        return words.reduce(text) { text, word in "replace(\(text), '\(word.0)', '\(word.1)')" }
    }

    private static func text(_ admin: PostgresAdmin, _ sql: String) throws -> String {
        try admin.rows(sql).map { $0.map { $0 ?? "" }.joined(separator: " ") }.joined(separator: "\n")
    }

    /// The id of a copy of a session of then.
    ///
    /// - Parameters:
    ///   - copy: 0 for the session itself; odd ones are hours to weeks old.
    ///   - session: The beginning of its id.
    func id(_ copy: Int, of session: Session) throws -> UUIDBytes {
        let rows = try database.admin().rows(
            "SELECT now_id FROM early.copy WHERE n = $1::integer AND flow_id::text LIKE $2 || '%'",
            ["\(copy)", session.rawValue]
        )
        return try #require(rows.first?[0].flatMap { UUIDBytes($0) })
    }

    /// Some of the sessions of then.
    enum Session: String {
        case opened = "01a212da-07d8"
        case placed = "01a212da-0e76"
        case paid = "01a212da-13a5"
        case merchantCreated = "01a212da-65cd"
        case captured = "01a212da-b563"
        case partlyRefunded = "01a212da-c81e"
        case captureUnderWay = "01a212dd-1763"
        case purchaseUnderWay = "01a212dd-53ef"
    }
}
