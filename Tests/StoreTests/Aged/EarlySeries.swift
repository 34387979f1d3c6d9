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

    /// Puts the folders with the earlier names on record, as `migrate` of then did behind the series: the schema is the same.
    static func recordFolders(in database: TestDatabase) throws {
        let admin = try database.admin()
        try admin.run(
            """
            CREATE TABLE feature_function (
                feature text NOT NULL, name text NOT NULL, version integer NOT NULL, sha256 bytea NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT statement_timestamp(), PRIMARY KEY (feature, name)
            );
            GRANT SELECT ON feature_function TO sallyport_service
            """
        )
        for folder in migrationFolders {
            let files = try Files.list("\(migrationsFolder)/\(folder)").filter { $0.hasSuffix(".sql") }.sorted()
            for name in files.prefix(while: { !$0.hasSuffix("_names.sql") }) {
                let text = String(decoding: try Files.read("\(migrationsFolder)/\(folder)/\(name)"), as: UTF8.self)
                let earlier = text.firstMatch(of: /-- Replaces text ([0-9a-f]{64})/).map { String($0.1) }
                _ = try admin.rows(
                    """
                    INSERT INTO feature_migration
                    VALUES ($1, $2, $3, coalesce(decode($5, 'hex'), sha256(convert_to($4, 'UTF8'))))
                    """,
                    [folder, String(name.prefix(4)), name, text, earlier]
                )
            }
            let functions = "\(migrationsFolder)/\(folder)/functions"
            for name in Files.exists(functions) ? try Files.list(functions) : [] {
                let text = String(decoding: try Files.read("\(functions)/\(name)"), as: UTF8.self)
                if text.hasPrefix("-- version: 1\n"), !EarlyNames.functions.values.contains(name) { continue }
                _ = try admin.rows(
                    "INSERT INTO feature_function VALUES ($1, $2, 1, '')",
                    [folder, EarlyNames.functions.first { $0.value == name }?.key ?? name]
                )
            }
        }
    }
}
