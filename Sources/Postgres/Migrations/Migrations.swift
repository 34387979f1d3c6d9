package import Primitives

/// Brings the schema of a database forward, one numbered file of SQL after the other.
///
/// Files are named `NNNN_what.sql` and are never changed once they have run anywhere: the SHA-256 of each is recorded, and a
/// changed file stops everything with its name. There is no way back but a new file. Each file runs in one transaction
/// together with its record, so it is applied as a whole or not at all; a command that cannot run in a transaction cannot be in
/// one. An advisory lock lets one starter after the other in.
///
/// Each feature has files and numbers of its own, in a folder with its name. They run behind the program's, in the order of the
/// features, so that one may name tables of those before it.
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
        /// Whose it is; empty for the program's own.
        package let feature: String
        /// 1 to 9999, among those of the feature.
        package let number: Int
        /// For example `0001_flows.sql`, or `wallet/0001_passes.sql`.
        package let name: String
        /// How it stands.
        package let state: State
    }

    /// The progress of a run.
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
    ///   - features: Those with tables, hence with a folder of their own there, in their order.
    ///   - allowsPlaintext: As for `PostgresConfiguration`.
    ///   - progress: Called on the calling thread.
    /// - Returns: The names of the files that were applied now, possibly none.
    /// - Throws: `migration` for a file that is changed, misnamed, out of order or refused by the server (the detail names it;
    ///   the ones before it stay applied), `unavailable` when the database cannot be reached.
    @discardableResult
    package static func run(
        url: Secret<String>,
        directory: String,
        features: [String] = [],
        allowsPlaintext: Bool = false,
        progress: (Progress) -> Void = { _ in }
    ) async throws(PostgresError) -> [String] {
        try apply(
            url: url,
            directory: directory,
            features: features,
            allowsPlaintext: allowsPlaintext,
            progress: progress
        )
    }

    /// The same as `run`, for callers that are not asynchronous.
    ///
    /// - Parameters:
    ///   - url: The server, with a role that owns the schema.
    ///   - database: Another database than the one in the URI.
    ///   - directory: Where the files are.
    ///   - features: As for `run`.
    ///   - allowsPlaintext: As for `PostgresConfiguration`.
    ///   - progress: Called on the calling thread.
    /// - Returns: The names of the files that were applied now, possibly none.
    /// - Throws: As `run`.
    @discardableResult
    package static func apply(
        url: Secret<String>,
        database: String? = nil,
        directory: String,
        features: [String] = [],
        allowsPlaintext: Bool = false,
        progress: (Progress) -> Void = { _ in }
    ) throws(PostgresError) -> [String] {
        let sets = try MigrationSet.all(in: directory, features)
        let connection = try PostgresAdmin(url: url, database: database, allowsPlaintext: allowsPlaintext)
        try lock(connection, progress)
        try connection.run(createTables)
        var pending: [(MigrationSet, MigrationFile)] = []
        for set in sets {
            let entries = try compare(set, connection)
            try verify(entries)
            for file in set.files where entries.contains(where: { $0.number == file.number && $0.state == .pending }) {
                pending.append((set, file))
            }
        }
        for (set, file) in pending {
            progress(.applying(name: set.name(of: file)))
            try apply(file, set, connection)
            progress(.applied(name: set.name(of: file)))
        }
        return pending.map { $0.name(of: $1) }
    }

    /// How the files and the database stand to each other; changes nothing.
    ///
    /// - Parameters:
    ///   - url: The database.
    ///   - directory: Where the files are.
    ///   - features: As for `run`.
    ///   - allowsPlaintext: As for `PostgresConfiguration`.
    /// - Returns: The program's, then those of each feature, lowest number first.
    /// - Throws: `migration` for a misnamed file, `unavailable` when the database cannot be reached.
    package static func status(
        url: Secret<String>,
        directory: String,
        features: [String] = [],
        allowsPlaintext: Bool = false
    ) async throws(PostgresError) -> [Entry] {
        let sets = try MigrationSet.all(in: directory, features)
        let connection = try PostgresAdmin(url: url, allowsPlaintext: allowsPlaintext)
        var entries: [Entry] = []
        for set in sets {
            let isNew = try connection.rows("SELECT to_regclass($1)", [set.table])[0][0] == nil
            entries += isNew ? set.files.map { set.entry($0, .pending) } : try compare(set, connection)
        }
        return entries
    }

    /// Any number will do as long as it stays the same: `sallypor` in ASCII.
    private static let lockKey = "8314045600252325746"

    // Two tables, because a program of before the features reads the first, by number alone.
    private static let createTables = """
        CREATE TABLE IF NOT EXISTS schema_migration (
            number integer PRIMARY KEY,
            name text NOT NULL,
            sha256 bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT statement_timestamp()
        );
        CREATE TABLE IF NOT EXISTS feature_migration (
            feature text NOT NULL,
            number integer NOT NULL,
            name text NOT NULL,
            sha256 bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT statement_timestamp(),
            PRIMARY KEY (feature, number)
        )
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

    private static func compare(_ set: MigrationSet, _ connection: PostgresAdmin) throws(PostgresError) -> [Entry] {
        var records: [Int: (name: String, digest: String)] = [:]
        for row in try connection.rows(set.selectRecords, set.key) {
            guard let number = row[0].flatMap({ Int($0) }), let name = row[1], let digest = row[2] else { continue }
            records[number] = (name, digest)
        }
        var entries: [Entry] = []
        for file in set.files {
            guard let record = records.removeValue(forKey: file.number) else {
                entries.append(set.entry(file, .pending))
                continue
            }
            let text = try file.text(in: set.directory)
            let digest = try connection.rows("SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", [text])[0][0]
            let isSame = digest == record.digest && file.name == record.name
            entries.append(set.entry(file, isSame ? .applied : .changed))
        }
        entries += records.map { set.entry($0.key, $0.value.name, .missing) }
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
        _ set: MigrationSet,
        _ connection: PostgresAdmin
    ) throws(PostgresError) {
        let text = try file.text(in: set.directory)
        do throws(PostgresError) {
            try connection.run("BEGIN")
            try connection.run(text)
            guard connection.isInTransaction else {
                throw PostgresError(.migration, "it ends the transaction it runs in")
            }
            _ = try connection.rows(set.insertRecord, [String(file.number), file.name, text] + set.key)
            try connection.run("COMMIT")
        } catch {
            let name = set.name(of: file)
            throw PostgresError(.migration, "\(name): \(error.sqlState ?? error.description): \(error.detail)")
        }
    }
}
