package import Postgres
package import Primitives

/// A database of its own for one test, on a private cluster that all tests of the process share.
///
/// The cluster is made at the first use (about a second), with `fsync` off, and goes away with the process. Migrations run once
/// into a template; each database is then a copy of it (some 20 ms).
package final class TestDatabase: Sendable {
    /// The connection URI; no password is needed.
    package let url: Secret<String>
    /// The database's name.
    package let name: String

    /// A new database; it is removed with the last reference to this object.
    ///
    /// - Parameter migrations: A folder of migrations to apply first; `nil` for an empty database.
    /// - Throws: `cluster` with what is missing when there is no server on this machine, `migration`.
    package init(migrations: String? = nil) throws(PostgresError) {
        let name = TestCluster.nextName()
        let template: String? = if let migrations { try TestCluster.template(for: migrations) } else { nil }
        try TestCluster.admin().createDatabase(name, template: template)
        self.name = name
        url = try TestCluster.url(of: name)
    }

    deinit {
        // The cluster is thrown away with the process, so a database left behind does no harm.
        try? TestCluster.admin().dropDatabase(name)
    }

    /// A blocking connection to it.
    ///
    /// - Returns: A new connection.
    /// - Throws: `unavailable`.
    package func admin() throws(PostgresError) -> PostgresAdmin {
        try PostgresAdmin(url: url)
    }
}
