import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import Telemetry

/// The database of a command: the one in the settings, or a private cluster that lives as long as this value.
final class DatabaseAccess {
    /// libpq URI for tools and migrations.
    let url: Secret<String>
    private let cluster: PrivateCluster?
    private let allowsPlaintext: Bool

    /// Opens the way to the database, and starts the private cluster where none is set.
    ///
    /// - Throws: `PostgresError` with what to do; `ConfigurationError` for the file of the password.
    init(_ configuration: Configuration, logger: Logger) throws {
        allowsPlaintext = configuration.storage.allowsPlaintext
        if let url = try configuration.databaseURL() {
            self.url = url
            cluster = nil
        } else {
            let cluster = PrivateCluster(
                dataDirectory: configuration.storage.clusterDirectory,
                settings: .demo,
                logger: logger
            )
            url = Secret(try cluster.start())
            self.cluster = cluster
        }
    }

    /// libpq URI for the running program.
    ///
    /// In a private cluster it works as the role that can change neither the audit trail nor the schema; a URI from the
    /// settings names its own role.
    var serviceURL: Secret<String> {
        isPrivate ? Secret(url.reveal() + "&options=-c%20role%3Dsallyport_service") : url
    }

    /// True for a private cluster, whose schema nobody else looks after.
    var isPrivate: Bool { cluster != nil }

    /// The private cluster's server, where it is a child of this process.
    var companion: SupervisedProcess? {
        cluster?.process.map { SupervisedProcess(name: "the server of the private database", process: $0) }
    }

    /// Brings the schema forward.
    ///
    /// - Parameters:
    ///   - progress: Called before and after each file.
    /// - Returns: The names of the files that were applied now.
    /// - Throws: `PostgresError` that names the file.
    func migrate(
        _ directory: String,
        progress: (Migrations.Progress) -> Void = { _ in }
    ) async throws(PostgresError) -> [String] {
        try await Migrations.run(
            url: url,
            directory: directory,
            features: FeatureList.all.migrationFolders,
            allowsPlaintext: allowsPlaintext,
            progress: progress
        )
    }

    /// How the files and the database stand to each other.
    ///
    /// - Returns: Lowest number first.
    /// - Throws: `PostgresError`.
    func status(_ directory: String) async throws(PostgresError) -> [Migrations.Entry] {
        try await Migrations.status(
            url: url,
            directory: directory,
            features: FeatureList.all.migrationFolders,
            allowsPlaintext: allowsPlaintext
        )
    }

    /// Has the schema of this program there: brings that of a private cluster forward, and looks at any other, which is for
    /// `migrate` and its owner.
    ///
    /// - Throws: `PostgresError`, or `ConfigurationError` that says what to do.
    func prepareSchema(_ directory: String) async throws {
        guard isPrivate else { return try await demandCurrentSchema(directory) }
        _ = try await migrate(directory)
    }

    /// Refuses a schema that is not the one of this program.
    ///
    /// - Throws: `ConfigurationError` that says what to do.
    func demandCurrentSchema(_ directory: String) async throws {
        let problems = DatabaseAccess.problems(try await status(directory))
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    /// What is wrong with a schema; a line for all that is not applied yet, which is everything in an empty database.
    static func problems(_ entries: [Migrations.Entry]) -> [String] {
        let changed = entries.filter { $0.state == .changed }.map {
            "database: \($0.name) was changed after it was applied"
        }
        let pending = entries.filter { $0.state == .pending }.map(\.name)
        guard let first = pending.first, let last = pending.last else { return changed }
        let lack =
            if pending.count == entries.count { "it has no tables of Sallyport" } else if pending.count == 1 {
                "\(first) is not applied"
            } else { "\(pending.count) changes are not applied, \(first) to \(last)" }
        return ["database: \(lack); run `sallyport migrate` as the owner of the schema"] + changed
    }

    /// Stops the private cluster, where there is one.
    func close() {
        cluster?.stop()
    }
}

extension Configuration {
    /// Refuses to make an empty cluster only to say that there is nothing in it.
    ///
    /// - Throws: Where no database is set and there is no private cluster.
    func demandDatabase(for command: String) throws(ConfigurationError) {
        let folder = storage.clusterDirectory
        guard storage.databaseURL != nil || Files.exists(folder) else {
            throw ConfigurationError(
                problems: ["\(command): no database_url is set, and there is no cluster in \(folder)"]
            )
        }
    }

    /// Runs a body with a connection to the database, on a loop of its own.
    ///
    /// - Parameters:
    ///   - body: What it makes stays on the loop.
    /// - Throws: What the body throws; `ConfigurationError` where there is no database, or its schema is another.
    func onDatabase<Value: Sendable>(
        for command: String,
        _ body: @escaping @Sendable (Reactor, PostgresClient) async throws -> Value
    ) async throws -> Value {
        try demandDatabase(for: command)
        let database = try DatabaseAccess(self, logger: .silent)
        defer { database.close() }
        try await database.demandCurrentSchema(storage.migrationsDirectory)
        return try await database.connected(body)
    }
}

extension DatabaseAccess {
    /// Runs a body with a connection as the running program has it, on a loop of its own.
    ///
    /// - Parameter body: What it makes stays on the loop.
    /// - Throws: What the body throws; `PostgresError` where there is no connection within ten seconds.
    func connected<Value: Sendable>(
        _ body: @escaping @Sendable (Reactor, PostgresClient) async throws -> Value
    ) async throws -> Value {
        let configuration = try PostgresConfiguration(url: serviceURL, allowsPlaintext: allowsPlaintext)
        return try await withEventLoop { reactor in
            let client = PostgresClient(reactor: reactor, configuration: configuration, logger: .silent)
            client.start()
            defer { client.close() }
            try await client.waitUntilReady(within: .seconds(10))
            return try await body(reactor, client)
        }
    }
}
