import Postgres
import Primitives

// What the configuration means for the connections to the database.

extension Configuration.Limits {
    /// How each loop reaches the database.
    ///
    /// - Parameter url: libpq URI.
    /// - Returns: The defaults of the client with the limits of the settings.
    /// - Throws: `unavailable` when libpq cannot read the URI.
    func database(at url: Secret<String>) throws(PostgresError) -> PostgresConfiguration {
        var database = try PostgresConfiguration(url: url)
        database.maximumPending = queue
        database.maximumQueueWait = queueWait
        database.maximumPendingAge = queueDeadline
        return database
    }
}
