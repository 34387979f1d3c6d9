package import Primitives

/// How to reach the database and how long to wait for what.
package struct PostgresConfiguration: Sendable {
    /// What the URI says, by libpq's keywords; a password may be among it.
    let keywords: Secret<[String: String]>
    /// Shown in `pg_stat_activity`, unless the URI names one.
    package var applicationName = "sallyport"
    /// How long a statement waits for a row another one holds.
    ///
    /// Two seconds: no caller waits longer for an answer.
    package var lockTimeout = Duration.seconds(2)
    /// How long the server works on one statement.
    ///
    /// Five seconds: far above any of ours, below any caller's patience.
    package var statementTimeout = Duration.seconds(5)
    /// How long the server lets an open transaction idle.
    ///
    /// Five seconds; none of ours stays open.
    package var idleInTransactionTimeout = Duration.seconds(5)
    /// How long one attempt to connect may take before the next host is tried.
    ///
    /// Five seconds.
    package var connectTimeout = Duration.seconds(5)
    /// How long a group may be under way before its connection is given up.
    ///
    /// Ten seconds: above the server's own limits.
    package var answerTimeout = Duration.seconds(10)
    /// How many statements may wait on each connection before others are refused.
    ///
    /// 4096: some 50 ms of work.
    package var maximumPending = 4096
    /// How long a statement may wait to be sent before it, and those after it, are refused.
    ///
    /// One second.
    package var maximumPendingAge = Duration.seconds(1)
    /// How many statements commit together at most.
    ///
    /// 256: more saves nothing and makes a repeat dearer.
    package var maximumGroup = 256
    /// The wait before an attempt to connect; it doubles with each failure, and half of it is left to chance.
    ///
    /// 50 ms.
    package var firstRetryDelay = Duration.milliseconds(50)
    /// The longest wait between two attempts to connect.
    ///
    /// Three seconds.
    package var maximumRetryDelay = Duration.seconds(3)

    /// The defaults above, for one database.
    ///
    /// Several hosts are tried in order. A host given by name is resolved on the loop's thread, which waits for it: give a
    /// socket folder, an address, or `hostaddr` where names are slow. What is missing comes from libpq's own sources
    /// (`PGHOST` and its kin, the password file). A pooler in between must keep a session per connection.
    ///
    /// - Parameter url: A connection URI, or a list of `keyword=value`, as libpq reads it.
    /// - Throws: `unavailable` when libpq cannot read it; the detail does not quote it.
    package init(url: Secret<String>) throws(PostgresError) {
        keywords = Secret(try ConnectionSettings.parse(url))
    }
}

extension PostgresConfiguration {
    /// The bounds of each connection's queue.
    var limits: QueueLimits {
        QueueLimits(pending: maximumPending, pendingAge: maximumPendingAge, group: maximumGroup)
    }
}
