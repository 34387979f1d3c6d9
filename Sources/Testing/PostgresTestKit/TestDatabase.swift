package import Postgres
package import Primitives

/// A database of its own for one test, on a private cluster that all tests of the process share.
///
/// The cluster is made at the first use (about a second), with `fsync` off, and goes away with the process. Migrations run once
/// into a template; each database is then a copy of it (some 20 ms).
package final class TestDatabase: Sendable {
    /// The connection URI; no password is needed.
    package let url: Secret<String>
    /// The same for the program in service, which works as the role that can change neither trails nor schema.
    package var serviceURL: Secret<String> { TestDatabase.serviceURL(url) }
    /// How long a test waits for a connection: on a busy machine the server takes longer than an operator would wait.
    package static let patience = Duration.seconds(60)
    /// The database's name.
    package let name: String
    private let isOnTestCluster: Bool

    /// A new database; it is removed with the last reference to this object.
    ///
    /// - Parameters:
    ///   - migrations: A folder of migrations to apply first; `nil` for an empty database.
    ///   - features: The folders in it, in their order.
    ///   - isAged: Whether the schema has been in use for three years: 36 months of partitions with rows, and statistics of
    ///     all.
    /// - Throws: `cluster` with what is missing when there is no server on this machine, `migration`.
    package init(
        migrations: String? = nil,
        features: [String] = [],
        isAged: Bool = false
    ) throws(PostgresError) {
        let name = TestCluster.nextName()
        let template: String? =
            if let migrations { try TestCluster.template(for: migrations, features, isAged: isAged) } else { nil }
        try TestCluster.admin().createDatabase(name, template: template)
        self.name = name
        url = try TestCluster.url(of: name)
        isOnTestCluster = true
    }

    /// The database of two servers that replicate.
    package init(_ pair: ReplicatedDatabase) {
        name = "sallyport"
        url = pair.url
        isOnTestCluster = false
    }

    deinit {
        guard isOnTestCluster else { return }
        // The cluster is thrown away with the process, so a database left behind does no harm.
        try? TestCluster.admin().dropDatabase(name)
    }

    /// The URI of a database for the program in service.
    ///
    /// - Returns: The same with the role of the program.
    package static func serviceURL(_ url: Secret<String>) -> Secret<String> {
        let text = url.reveal()
        return Secret(text + (text.contains("?") ? "&" : "?") + "options=-c%20role%3Dsallyport_service")
    }

    /// Makes a role that logs in and is a member of the program's role, and of nothing else; it goes away with the cluster.
    ///
    /// - Returns: The connection URI for it.
    /// - Throws: `rejected`, for example where the migrations were not applied.
    package func serviceLogin() throws(PostgresError) -> (role: String, url: Secret<String>) {
        try TestDatabase.serviceLogin(url)
    }

    /// The same for any database of a private cluster.
    ///
    /// - Returns: The role, and the connection URI for it.
    /// - Throws: `rejected`, for example where the migrations were not applied.
    package static func serviceLogin(_ url: Secret<String>) throws(PostgresError) -> (role: String, url: Secret<String>)
    {
        let admin = try PostgresAdmin(url: url, patience: TestDatabase.patience)
        let role = "login_" + (try admin.rows("SELECT current_database()")[0][0] ?? "")
        try admin.run("CREATE ROLE \(PostgresAdmin.quoted(role)) LOGIN IN ROLE sallyport_service")
        return (role, Secret(url.reveal().replacing("//sallyport@", with: "//\(role)@")))
    }

    /// Copies it, as a backup does; clients are disconnected, and may connect again afterwards.
    ///
    /// - Returns: For `restore`; goes away with the cluster.
    /// - Throws: `PostgresError`.
    package func backup() throws(PostgresError) -> String {
        let copy = TestCluster.nextName()
        try withoutConnections { admin throws(PostgresError) in try admin.createDatabase(copy, template: name) }
        return copy
    }

    /// Puts a copy in its place: what was committed since is lost.
    ///
    /// - Parameter copy: From `backup`.
    /// - Throws: `PostgresError`.
    package func restore(_ copy: String) throws(PostgresError) {
        try withoutConnections { admin throws(PostgresError) in
            try admin.dropDatabase(name)
            try admin.createDatabase(name, template: copy)
        }
    }

    private func withoutConnections(
        _ body: (PostgresAdmin) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        let admin = try TestCluster.admin()
        try admin.run("ALTER DATABASE \(PostgresAdmin.quoted(name)) WITH ALLOW_CONNECTIONS false")
        // Nobody comes in any more; those who are in go when they have noticed.
        let inside = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = $1"
        _ = try admin.rows(inside, [name])
        try body(admin)
        try admin.run("ALTER DATABASE \(PostgresAdmin.quoted(name)) WITH ALLOW_CONNECTIONS true")
    }

    /// A blocking connection to it.
    ///
    /// - Throws: `unavailable`.
    package func admin() throws(PostgresError) -> PostgresAdmin {
        try PostgresAdmin(url: url, patience: TestDatabase.patience)
    }
}
