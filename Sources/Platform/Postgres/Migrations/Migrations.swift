package import Primitives

/// Brings the schema of a database forward, one numbered file of SQL after the other.
///
/// Files are named `NNNN_what.sql` and are never changed once they have run anywhere: the SHA-256 of each is recorded, and a
/// changed file stops everything with its name. There is no way back but a new file. Each file runs in one transaction
/// together with its record, so it is applied as a whole or not at all; a command that cannot run in a transaction cannot be in
/// one. An advisory lock lets one starter after the other in.
///
/// Each feature has files and numbers of its own, in a folder with its name. They run in the order of the features, so that one
/// may name tables of those before it. Behind all of them, in one transaction, come the functions whose text has changed
/// (`FunctionFile`).
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
        /// Of a function: applied by a newer program in a higher version.
        case newer
    }

    /// One file, or one record without a file.
    package struct Entry: Sendable, Equatable {
        /// Whose it is.
        package let feature: String
        /// 1 to 9999, among those of the feature; 0 for functions.
        package let number: Int
        /// For example `wallet/0001_passes.sql` or `wallet/functions`.
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
        /// The database has a newer version of a function, which stays.
        case leaving(name: String)
    }

    /// Applies what is pending, in order.
    ///
    /// It blocks the calling thread: run it before anything is served. A record without a file here is left alone, so that an
    /// older program can start beside a newer one.
    ///
    /// - Parameters:
    ///   - url: The database, with a role that owns the schema.
    ///   - features: Those with tables, hence with a folder of their own there, in their order; shared folders first.
    ///   - allowsPlaintext: As for `PostgresConfiguration`.
    /// - Returns: The names of the files that were applied now, possibly none.
    /// - Throws: `migration` for a file that is changed, misnamed, out of order or refused by the server (the detail names it;
    ///   the ones before it stay applied), `unavailable` when the database cannot be reached.
    @discardableResult
    package static func run(
        url: Secret<String>,
        directory: String,
        features: [String],
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
    ///   - features: As for `run`.
    ///   - allowsPlaintext: As for `PostgresConfiguration`.
    /// - Returns: The names of the files that were applied now, possibly none.
    /// - Throws: As `run`.
    @discardableResult
    package static func apply(
        url: Secret<String>,
        database: String? = nil,
        directory: String,
        features: [String],
        allowsPlaintext: Bool = false,
        progress: (Progress) -> Void = { _ in }
    ) throws(PostgresError) -> [String] {
        let sets = try MigrationSet.all(in: directory, features)
        let connection = try PostgresAdmin(url: url, database: database, allowsPlaintext: allowsPlaintext)
        try lock(connection, progress)
        try connection.run(createTables)
        let plan = try MigrationPlan(sets, connection)
        var applied: [String] = []
        for (set, file) in plan.files { applied.append(try apply(file, set, connection, progress)) }
        applied += try apply(plan.functions, connection, progress)
        for name in plan.newer { progress(.leaving(name: name)) }
        return applied
    }

    /// How the files and the database stand to each other; changes nothing.
    ///
    /// - Parameters:
    ///   - features: As for `run`.
    ///   - allowsPlaintext: As for `PostgresConfiguration`.
    /// - Returns: Those of each feature, lowest number first, and its functions:
    ///   one entry for all, and one for each that is changed or newer.
    /// - Throws: `migration` for a misnamed file, `unavailable` when the database cannot be reached.
    package static func status(
        url: Secret<String>,
        directory: String,
        features: [String],
        allowsPlaintext: Bool = false
    ) async throws(PostgresError) -> [Entry] {
        let sets = try MigrationSet.all(in: directory, features)
        let connection = try PostgresAdmin(url: url, allowsPlaintext: allowsPlaintext)
        var entries: [Entry] = []
        let (hasFiles, hasFunctions) = (
            try exists("feature_migration", connection), try exists("feature_function", connection)
        )
        for set in sets {
            entries += hasFiles ? try set.entries(connection) : set.files.map { set.entry($0, .pending) }
            guard !set.functions.isEmpty else { continue }
            let states = hasFunctions ? try set.functionStates(connection) : set.functions.map { ($0, .pending) }
            let isPending = states.contains { $0.state == .pending }
            entries.append(set.entry(0, "functions", isPending ? .pending : .applied))
            for (function, state) in states where state == .changed || state == .newer {
                entries.append(set.entry(0, "functions/\(function.name)", state))
            }
        }
        return entries
    }

    /// Any number will do as long as it stays the same: `sallypor` in ASCII.
    private static let lockKey = "8314045600252325746"

    private static let createTables = """
        CREATE TABLE IF NOT EXISTS feature_migration (
            feature text NOT NULL,
            number integer NOT NULL,
            name text NOT NULL,
            sha256 bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT statement_timestamp(),
            PRIMARY KEY (feature, number)
        );
        CREATE TABLE IF NOT EXISTS feature_function (
            feature text NOT NULL,
            name text NOT NULL,
            version integer NOT NULL,
            sha256 bytea NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT statement_timestamp(),
            PRIMARY KEY (feature, name)
        )
        """

    private static let insertFile = """
        INSERT INTO feature_migration (feature, number, name, sha256)
        VALUES ($1, $2::integer, $3, sha256(convert_to($4, 'UTF8')))
        """

    private static let upsertFunction = """
        INSERT INTO feature_function (feature, name, version, sha256)
        VALUES ($1, $2, $3::integer, sha256(convert_to($4, 'UTF8')))
        ON CONFLICT (feature, name) DO UPDATE SET
            version = excluded.version, sha256 = excluded.sha256, applied_at = excluded.applied_at
        """

    // The role of the program may read a new table only at the end of the run that makes it.
    private static func exists(_ table: String, _ connection: PostgresAdmin) throws(PostgresError) -> Bool {
        let mayRead = "SELECT has_table_privilege(to_regclass($1), 'SELECT')"
        return try connection.rows(mayRead, [table])[0][0] == "t"
    }

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

    private static func apply(
        _ file: MigrationFile,
        _ set: MigrationSet,
        _ connection: PostgresAdmin,
        _ progress: (Progress) -> Void
    ) throws(PostgresError) -> String {
        let name = set.name(of: file)
        progress(.applying(name: name))
        try naming(name) { () throws(PostgresError) in
            try connection.run("BEGIN")
            try run(file.text, connection)
            _ = try connection.rows(insertFile, [set.feature, String(file.number), file.name, file.text])
            try connection.run("COMMIT")
        }
        progress(.applied(name: name))
        return name
    }

    private static func apply(
        _ functions: [(set: MigrationSet, function: FunctionFile)],
        _ connection: PostgresAdmin,
        _ progress: (Progress) -> Void
    ) throws(PostgresError) -> [String] {
        let names = functions.map { $0.set.name(of: $0.function) }
        try connection.run("BEGIN")
        // Twice: functions call each other, so their bodies are checked only when all of them are there.
        for isChecked in [false, true] {
            try connection.run("SET LOCAL check_function_bodies = \(isChecked)")
            for (name, (set, function)) in zip(names, functions) {
                if !isChecked { progress(.applying(name: name)) }
                try naming(name) { () throws(PostgresError) in
                    try run(function.text, connection)
                    let record = [set.feature, function.name, String(function.version), function.text]
                    _ = try connection.rows(upsertFunction, record)
                }
            }
        }
        try connection.run("COMMIT")
        for name in names { progress(.applied(name: name)) }
        return names
    }

    private static func run(_ text: String, _ connection: PostgresAdmin) throws(PostgresError) {
        try connection.run(text)
        guard connection.isInTransaction else {
            throw PostgresError(.migration, "it ends the transaction it runs in")
        }
    }

    /// Runs a body, in whose failure the file gets named.
    private static func naming(_ name: String, _ body: () throws(PostgresError) -> Void) throws(PostgresError) {
        do throws(PostgresError) {
            try body()
        } catch {
            throw PostgresError(.migration, "\(name): \(error.sqlState ?? error.description): \(error.detail)")
        }
    }
}
