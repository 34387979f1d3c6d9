/// How a private cluster is run.
package struct ClusterSettings: Sendable, Equatable {
    /// Whether a commit survives the loss of power; off only where the data is thrown away anyway.
    package var isDurable: Bool
    /// Whether a commit waits for the log to be written.
    package var waitsForLog: Bool
    /// How many connections it takes.
    package var maximumConnections: Int
    /// Memory for pages, in megabytes.
    package var sharedMegabytes: Int
    /// Whether another server may follow it.
    package var isReplicated = false

    /// For a demonstration on one machine: small and durable.
    package static let demo = ClusterSettings(
        isDurable: true,
        waitsForLog: true,
        maximumConnections: 60,
        sharedMegabytes: 64
    )

    /// For tests: nothing reaches the disk by force.
    ///
    /// - Parameter waitsForLog: Whether commits still write the log, so that groups show.
    /// - Returns: Settings under which a crash of the machine loses data.
    package static func tests(waitsForLog: Bool = false) -> ClusterSettings {
        ClusterSettings(isDurable: false, waitsForLog: waitsForLog, maximumConnections: 200, sharedMegabytes: 64)
    }

    /// The settings as PostgreSQL names them.
    ///
    /// There is no network; the log stays small unless something replicates from here; queries run in one process, which
    /// keeps them within the small shared memory of containers.
    func arguments(socketFolder: String) -> [String] {
        var values = [
            "listen_addresses=", "unix_socket_directories=\(socketFolder)", "unix_socket_permissions=0700",
            "port=\(ClusterPaths.port)", "max_connections=\(maximumConnections)",
            "shared_buffers=\(sharedMegabytes)MB", "wal_level=\(isReplicated ? "replica" : "minimal")",
            "max_wal_senders=\(isReplicated ? 4 : 0)",
            "max_parallel_workers_per_gather=0", "jit=off", "timezone=UTC", "log_timezone=UTC",
            "logging_collector=off", "log_destination=stderr", "log_min_messages=warning",
            "synchronous_commit=\(waitsForLog ? "on" : "off")",
        ]
        if !isDurable { values += ["fsync=off", "full_page_writes=off"] }
        return values.flatMap { ["-c", $0] }
    }
}
