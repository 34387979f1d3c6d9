package import Primitives

/// How to reach the database and how long to wait for what.
package struct PostgresConfiguration: Sendable {
    /// What the URI says, by libpq's keywords; a password may be among it.
    let keywords: Secret<[String: String]>
    /// How many servers the URI names.
    package var hostCount: Int {
        let hosts = keywords.reveal()["host"] ?? keywords.reveal()["hostaddr"] ?? ""
        return hosts.split(separator: ",", omittingEmptySubsequences: false).count
    }

    /// Shown in `pg_stat_activity`, unless the URI names one.
    package var applicationName = "sallyport"
    /// How long a statement waits for a row another one holds.
    ///
    /// Half a second: statements of one webview session hold its row for the length of a group, and a whole group waits with
    /// whoever waits.
    package var lockTimeout = Duration.milliseconds(500)
    /// How long the server works on one statement.
    ///
    /// Three seconds: far above any of ours, below any caller's patience.
    package var statementTimeout = Duration.seconds(3)
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
    /// Five seconds: above the server's own limits.
    package var answerTimeout = Duration.seconds(5)
    /// How long a connection may go without an answer before a heartbeat asks for one.
    ///
    /// One second: a connection that has died without a word is noticed before a caller needs it.
    package var heartbeatInterval = Duration.seconds(1)
    /// How long a group may be under way before the client counts as not ready.
    ///
    /// Two seconds.
    package var stallTimeout = Duration.seconds(2)
    /// How many statements may wait on each connection before others are refused.
    ///
    /// 4096, which bounds the memory; how long they would wait is bounded by `maximumQueueWait`.
    package var maximumPending = PostgresConfiguration.usualPending
    /// How long what begins something may expect to wait for its answer; what would wait longer is refused at once.
    ///
    /// 250 ms, by how long groups have taken lately. Two groups, the one under way among them, have room whatever they take.
    package var maximumQueueWait = Duration.milliseconds(PostgresConfiguration.usualQueueWaitMilliseconds)
    /// How long a statement may wait to be sent before it, and those after it, are refused.
    ///
    /// One second.
    package var maximumPendingAge = PostgresConfiguration.usualPendingAge
    /// How many statements commit together at most.
    ///
    /// 64: more saves nothing, keeps those who wait waiting, and makes a repeat dearer.
    package var maximumGroup = 64
    /// The wait before an attempt to connect; it doubles with each failure, and half of it is left to chance.
    ///
    /// 50 ms.
    package var firstRetryDelay = Duration.milliseconds(50)
    /// The longest wait between two attempts to connect.
    ///
    /// One second: a server that is back is used within that time.
    package var maximumRetryDelay = Duration.seconds(1)

    /// The defaults above, for one database.
    ///
    /// Several hosts are tried in order. A host given by name is resolved on the loop's thread, which waits for it: give a
    /// socket folder, an address, or `hostaddr` where names are slow. What is missing comes from libpq's own sources
    /// (`PGHOST` and its kin, the password file). A pooler in between must keep a session per connection.
    ///
    /// A server that is reached neither by a socket nor by loopback is verified by TLS: `sslmode=verify-full`, with the
    /// authorities of this machine unless `sslrootcert` names others.
    ///
    /// - Parameters:
    ///   - url: A connection URI, or a list of `keyword=value`, as libpq reads it.
    ///   - allowsPlaintext: Whether that is left to the URI.
    /// - Throws: `unavailable` when libpq cannot read it, `insecure` when it, or libpq's environment, asks for less; the detail
    ///   does not quote it.
    package init(url: Secret<String>, allowsPlaintext: Bool = false) throws(PostgresError) {
        let given = try ConnectionSettings.parse(url)
        keywords = Secret(try DatabaseLink.secured(given, allowsPlaintext: allowsPlaintext))
    }

    /// What a URI or a list of `keyword=value` says, as such a list and without its passwords.
    ///
    /// - Parameter url: As `init` takes it.
    /// - Returns: The keywords in the order of the alphabet, each value in quotes.
    /// - Throws: `unavailable` when libpq cannot read it.
    package static func withoutPasswords(_ url: Secret<String>) throws(PostgresError) -> String {
        try ConnectionSettings.withoutPasswords(url)
    }

    /// Whether any of the servers is on another machine.
    package var isRemote: Bool { DatabaseLink.isRemote(keywords.reveal()) }
    /// Whether a server over the network is believed only when it has proved by TLS who it is.
    package var isVerified: Bool { keywords.reveal()["sslmode"] == "verify-full" }
}

extension PostgresConfiguration {
    /// The default of `maximumPending`.
    package static let usualPending = 4096
    /// The default of `maximumQueueWait`.
    package static let usualQueueWaitMilliseconds = 250
    /// The default of `maximumPendingAge`.
    package static let usualPendingAge = Duration.seconds(1)

    /// The bounds of each connection's queue.
    var limits: QueueLimits {
        QueueLimits(
            pending: maximumPending,
            wait: maximumQueueWait,
            pendingAge: maximumPendingAge,
            group: maximumGroup
        )
    }
}
