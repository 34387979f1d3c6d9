package import Primitives

/// Brings the schema of a database forward, one numbered file of SQL after the other.
///
/// Files are named `NNNN_what.sql` and are never changed once they have run anywhere: the SHA-256 of each is recorded, and a
/// changed file stops everything with its name. There is no way back but a new file. Each file runs in one transaction
/// together with its record, so it is applied as a whole or not at all; a command that cannot run in a transaction cannot be in one.
/// An advisory lock lets one starter after the other in.
package enum Migrations {
    /// How a file and the database stand to each other.
    package enum State: Sendable, Equatable {
        /// Applied as it is.
        case applied
        /// Not applied yet.
        case pending
        /// Applied, and changed since.
        case changed
        /// Applied by a newer program: there is no such file here.
        case missing
    }

    /// One file, or one record without a file.
    package struct Entry: Sendable, Equatable {
        /// 1 to 9999.
        package let number: Int
        /// For example `0001_flows.sql`.
        package let name: String
        /// How it stands.
        package let state: State
    }

    /// What a run tells while it works.
    package enum Progress: Sendable, Equatable {
        /// Another starter is migrating; this one waits for it.
        case waiting
        /// A file begins.
        case applying(name: String)
        /// A file is applied.
        case applied(name: String)
    }

    /// Applies what is pending, in order.
    ///
    /// It blocks the calling thread: run it before anything is served. A record without a file here is left alone, so that an
    /// older program can start beside a newer one.
    ///
    /// - Parameters:
    ///   - url: The database, with a role that owns the schema.
    ///   - directory: Where the files are.
    ///   - allowsPlaintext: As for `PostgresConfiguration`.
    ///   - progress: Called on the calling thread.
    /// - Returns: The names of the files that were applied now, possibly none.
    /// - Throws: `migration` for a file that is changed, misnamed, out of order or refused by the server (the detail names it;
    ///   the ones before it stay applied), `unavailable` when the database cannot be reached.
    @discardableResult
    package static func run(
        url: Secret<String>,
        directory: String,
        allowsPlaintext: Bool = false,
        progress: (Progress) -> Void = { _ in }
    ) async throws(PostgresError) -> [String] {
        try apply(url: url, directory: directory, allowsPlaintext: allowsPlaintext, progress: progress)
    }

    /// The same as `run`, for callers that are not asynchronous.
    ///
    /// - Parameters:
    ///   - url: The server, with a role that owns the schema.
    ///   - database: Another database than the one in the URI.
    ///   - directory: Where the files are.
    ///   - allowsPlaintext: As for `PostgresConfiguration`.
    ///   - progress: Called on the calling thread.
    /// - Returns: The names of the files that were applied now, possibly none.
    /// - Throws: As `run`.
    @discardableResult
    package static func apply(
        url: Secret<String>,
        database: String? = nil,
        directory: String,
        allowsPlaintext: Bool = false,
        progress: (Progress) -> Void = { _ in }
    ) throws(PostgresError) -> [String] {
        let files = try MigrationFile.all(in: directory)
        let connection = try PostgresAdmin(url: url, database: database, allowsPlaintext: allowsPlaintext)
        try lock(connection, progress)
        try connection.run(createTable)
        let entries = try compare(files, directory, connection)
        try verify(entries)
        var applied: [String] = []
        for file in files where entries.contains(where: { $0.name == file.name && $0.state == .pending }) {
            progress(.applying(name: file.name))
            try apply(file, directory, connection)
            progress(.applied(name: file.name))
            applied.append(file.name)
        }
        return applied
    }

    /// How the files and the database stand to each other; changes nothing.
    ///
    /// - Parameters:
    ///   - url: The database.
    ///   - directory: Where the files are.
    ///   - allowsPlaintext: As for `PostgresConfiguration`.
    /// - Returns: Lowest number first.
    /// - Throws: `migration` for a misnamed file, `unavailable` when the database cannot be reached.
    package static func status(
        url: Secret<String>,
        directory: String,
        allowsPlaintext: Bool = false
    ) async throws(PostgresError) -> [Entry] {
        let files = try MigrationFile.all(in: directory)
        let connection = try PostgresAdmin(url: url, allowsPlaintext: allowsPlaintext)
        let isNew = try connection.rows("SELECT to_regclass('schema_migration')")[0][0] == nil
        if isNew { return files.map { Entry(number: $0.number, name: $0.name, state: .pending) } }
        return try compare(files, directory, connection)
    }

    /// Any number will do as long as it stays the same: `sallypor` in ASCII.
    private static let lockKey = "8314045600252325746"

    private static let createTable = """
        CREATE TABLE IF NOT EXISTS schema_migration (
            number integer PRIMARY KEY,
            name text NOT NULL,
            sha256 bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT statement_timestamp()
        )
        """

    private static let insertRecord = """
        INSERT INTO schema_migration (number, name, sha256) VALUES ($1, $2, sha256(convert_to($3, 'UTF8')))
        """

    private static func lock(_ connection: PostgresAdmin, _ progress: (Progress) -> Void) throws(PostgresError) {
        // Whatever the role's own limits are, a migration takes as long as it takes, and another one is waited for.
        try connection.run("SET statement_timeout = 0; SET lock_timeout = 0")
        if try connection.rows("SELECT pg_try_advisory_lock(\(lockKey))")[0][0] != "t" {
            progress(.waiting)
            _ = try connection.rows("SELECT pg_advisory_lock(\(lockKey))")
        }
        // A table that is in use must not be queued for without end: everybody else would queue behind us.
        try connection.run("SET lock_timeout = '10s'")
    }

    private static func compare(
        _ files: [MigrationFile],
        _ directory: String,
        _ connection: PostgresAdmin
    ) throws(PostgresError) -> [Entry] {
        var records: [Int: (name: String, digest: String)] = [:]
        for row in try connection.rows("SELECT number, name, encode(sha256, 'hex') FROM schema_migration") {
            guard let number = row[0].flatMap({ Int($0) }), let name = row[1], let digest = row[2] else { continue }
            records[number] = (name, digest)
        }
        var entries: [Entry] = []
        for file in files {
            guard let record = records.removeValue(forKey: file.number) else {
                entries.append(Entry(number: file.number, name: file.name, state: .pending))
                continue
            }
            let text = try file.text(in: directory)
            let digest = try connection.rows("SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", [text])[0][0]
            let isSame = digest == record.digest && file.name == record.name
            entries.append(Entry(number: file.number, name: file.name, state: isSame ? .applied : .changed))
        }
        entries += records.map { Entry(number: $0.key, name: $0.value.name, state: .missing) }
        return entries.sorted { $0.number < $1.number }
    }

    private static func verify(_ entries: [Entry]) throws(PostgresError) {
        if let changed = entries.first(where: { $0.state == .changed }) {
            throw PostgresError(.migration, "\(changed.name) is applied and was changed since: add a new file instead")
        }
        let last = entries.last { $0.state == .applied }?.number ?? 0
        if let late = entries.first(where: { $0.state == .pending && $0.number < last }) {
            throw PostgresError(.migration, "\(late.name) comes before one that is applied: give it a new number")
        }
    }

    private static func apply(
        _ file: MigrationFile,
        _ directory: String,
        _ connection: PostgresAdmin
    ) throws(PostgresError) {
        let text = try file.text(in: directory)
        do throws(PostgresError) {
            try connection.run("BEGIN")
            try connection.run(text)
            guard connection.isInTransaction else {
                throw PostgresError(.migration, "it ends the transaction it runs in")
            }
            _ = try connection.rows(insertRecord, [String(file.number), file.name, text])
            try connection.run("COMMIT")
        } catch {
            throw PostgresError(.migration, "\(file.name): \(error.sqlState ?? error.description): \(error.detail)")
        }
    }
}
