import Postgres
import Primitives

// What the configuration means for the connections to the database.

extension Configuration {
    /// How each loop reaches the database.
    ///
    /// - Parameter url: libpq URI.
    /// - Returns: The defaults of the client with the limits of the settings.
    /// - Throws: `unavailable` when libpq cannot read the URI, `insecure` when it leads where the settings do not allow it.
    func database(at url: Secret<String>) throws(PostgresError) -> PostgresConfiguration {
        var database = try PostgresConfiguration(url: url, allowsPlaintext: storage.allowsPlaintext)
        database.maximumPending = limits.queue
        database.maximumQueueWait = limits.queueWait
        database.maximumPendingAge = limits.queueDeadline
        return database
    }
}
