import EventIO
import Postgres
import PostgresTestKit

/// The one series of migrations that programs had before there were folders, applied as they did.
enum EarlySeries {
    private static let folder = migrationsFolder + "/before"
    /// The number of its last file.
    static let last = 29

    /// The names of its files up to a number.
    static func names(through number: Int) throws -> [String] {
        Array(try Files.list(folder).sorted().prefix(number))
    }

    static func apply(to database: TestDatabase, through number: Int) throws {
        let admin = try database.admin()
        let columns = """
            number integer NOT NULL, name text NOT NULL, sha256 bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT statement_timestamp()
            """
        try admin.run("CREATE TABLE schema_migration (\(columns), PRIMARY KEY (number))")
        if number == last {
            try admin.run(
                "CREATE TABLE feature_migration (feature text NOT NULL, \(columns), PRIMARY KEY (feature, number))"
            )
        }
        for (index, name) in try names(through: number).enumerated() {
            let text = String(decoding: try Files.read("\(folder)/\(name)"), as: UTF8.self)
            try admin.run("BEGIN")
            try admin.run(text)
            _ = try admin.rows(
                "INSERT INTO schema_migration VALUES ($1, $2, sha256(convert_to($3, 'UTF8')))",
                [String(index + 1), name, text]
            )
            try admin.run("COMMIT")
        }
    }
}
