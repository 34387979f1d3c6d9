import Telemetry

/// What one connection counts.
struct ChannelCounters {
    /// Groups sent: commits, on the connection that writes.
    let groups: Counter
    /// Statements sent in groups.
    let statements: Counter
    /// Statements sent once more, alone, because their group failed.
    let repeats: Counter
    /// Statements that were not taken in or waited too long.
    let refused: Counter
    /// Connections lost.
    let losses: Counter
    /// Attempts to connect that failed.
    let failedAttempts: Counter

    init(_ metrics: MetricsRegistry, role: ConnectionRole) {
        func counter(_ name: String, _ help: String) -> Counter {
            metrics.counter("sallyport_postgres_\(name)_total", help: help, labels: [("role", role.rawValue)])
        }
        groups = counter("groups", "Groups of statements sent with one Sync.")
        statements = counter("statements", "Statements sent in groups.")
        repeats = counter("repeats", "Statements sent once more, alone, because their group failed.")
        refused = counter("refused", "Statements refused because the queue was full, too old, or not connected.")
        losses = counter("losses", "Connections to the database that were lost.")
        failedAttempts = counter("failed_attempts", "Attempts to connect to the database that failed.")
    }
}
