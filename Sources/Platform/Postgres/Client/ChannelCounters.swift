import Telemetry

/// What one connection counts.
struct ChannelCounters {
    /// Groups sent: commits, on the connection that writes.
    let groups: Counter
    /// Statements sent in groups.
    let statements: Counter
    /// Statements sent once more, alone, because their group failed.
    let repeats: Counter
    /// Statements that were not taken in because the queue was full.
    let shed: Counter
    /// Statements that were taken in and not sent in time.
    let expired: Counter
    /// Statements that came while there was no connection.
    let unconnected: Counter
    /// Statements that wait to be sent, looked at from time to time.
    let waiting: Gauge
    /// Connections on which an answer is overdue.
    let stalled: Gauge
    /// How long groups take, from their start to the answer of their Sync.
    let duration: Histogram
    /// Connections lost.
    let losses: Counter
    /// Attempts to connect that failed.
    let failedAttempts: Counter

    init(_ metrics: MetricsRegistry, role: ConnectionRole) {
        let labels = [("role", role.rawValue)]
        func counter(_ name: String, _ help: String) -> Counter {
            metrics.counter("sallyport_postgres_\(name)_total", help: help, labels: labels)
        }
        func refused(_ reason: String) -> Counter {
            let help = "Statements refused: the queue was full, the time in it too long, or there was no connection."
            let name = "sallyport_postgres_refused_total"
            return metrics.counter(name, help: help, labels: labels + [("reason", reason)])
        }
        groups = counter("groups", "Groups of statements sent with one Sync.")
        statements = counter("statements", "Statements sent in groups.")
        repeats = counter("repeats", "Statements sent once more, alone, because their group failed.")
        shed = refused("queue")
        expired = refused("age")
        unconnected = refused("away")
        waiting = metrics.gauge(
            "sallyport_postgres_waiting",
            help: "Statements that wait to be sent.",
            labels: labels
        )
        stalled = metrics.gauge(
            "sallyport_postgres_stalled",
            help: "Connections on which an answer is overdue.",
            labels: labels
        )
        duration = metrics.histogram(
            "sallyport_postgres_group_seconds",
            help: "Time from sending a group to the answer of its Sync.",
            labels: labels
        )
        losses = counter("losses", "Connections to the database that were lost.")
        failedAttempts = counter("failed_attempts", "Attempts to connect to the database that failed.")
    }
}
