package import EventIO
package import Primitives
package import Telemetry

/// The database as one loop sees it: one connection that writes in groups, one that reads.
///
/// All statements that wait at the end of a turn go down together with one Sync and commit together; each is acknowledged
/// only when that commit is on disk. If one of them fails, all are repeated one by one, so that each gets its own outcome.
/// While there is no connection every call fails at once with `unavailable`; connections come back by themselves.
///
/// A statement is one command that neither begins nor ends a transaction. Not `Sendable`: make it on its loop and use it there.
///
/// When the calling task is cancelled before the call, nothing is sent. After that the call runs to its outcome, which comes
/// within `maximumPendingAge` and `answerTimeout`: a statement under way cannot be taken back, and others wait behind it.
package final class PostgresClient {
    private let reactor: Reactor
    private let writing: StatementChannel
    private let reading: StatementChannel
    private let readiness: ReadinessGate

    /// A client that is not connected yet.
    ///
    /// - Parameters:
    ///   - reactor: Of the loop on which this is called.
    ///   - configuration: Where the database is, and the limits.
    ///   - logger: Hears when connections come and go.
    ///   - metrics: Gets `sallyport_postgres_…` with the label `role`, `write` or `read`.
    package init(
        reactor: Reactor,
        configuration: PostgresConfiguration,
        logger: Logger,
        metrics: MetricsRegistry = MetricsRegistry()
    ) {
        let gate = ReadinessGate(reactor: reactor)
        func channel(_ role: ConnectionRole) -> StatementChannel {
            StatementChannel(
                role: role,
                reactor: reactor,
                configuration: configuration,
                logger: logger,
                counters: ChannelCounters(metrics, role: role),
                onReadinessChange: { gate.set(role, isReady: $0) }
            )
        }
        self.reactor = reactor
        readiness = gate
        writing = channel(.write)
        reading = channel(.read)
    }

    /// Begins to connect; once.
    package func start() {
        reactor.addTurnObserver(self)
        writing.start()
        reading.start()
    }

    /// Whether both connections are there.
    package var isReady: Bool { readiness.isOpen }

    /// Waits until both connections are there.
    ///
    /// - Parameter patience: How long to wait.
    /// - Throws: `unavailable` when that was too short.
    package func waitUntilReady(within patience: Duration) async throws(PostgresError) {
        guard await readiness.wait(for: patience) else {
            throw PostgresError(.unavailable, "not connected within \(patience)")
        }
    }

    /// Runs a statement that may change rows, and returns when its commit is on disk.
    ///
    /// - Parameters:
    ///   - statement: Prepared on the connection at its first use.
    ///   - parameters: One value for each parameter.
    ///   - key: Names the rows it touches; groups are sorted by it, so that those of several loops do not deadlock. Calls with
    ///     the same key keep their order.
    /// - Returns: The rows that it returned.
    /// - Throws: `unavailable` and `overloaded` (nothing was done, a retry is safe), `outcomeUnknown` (it may have been
    ///   done: look first), `rejected` (nothing was done, a retry will fail too).
    package func write(
        _ statement: Statement,
        _ parameters: Parameters = Parameters(),
        key: UUIDBytes? = nil
    ) async throws(PostgresError) -> ResultSet {
        try await writing.perform(statement, parameters, key: key)
    }

    /// Runs a statement that changes nothing; it never waits for a commit, and the server refuses it if it tries to write.
    ///
    /// - Parameters:
    ///   - statement: Prepared on the connection at its first use.
    ///   - parameters: One value for each parameter.
    /// - Returns: The rows that it returned.
    /// - Throws: `unavailable` and `overloaded` (a retry is safe), `rejected` (a retry will fail too).
    package func read(
        _ statement: Statement,
        _ parameters: Parameters = Parameters()
    ) async throws(PostgresError) -> ResultSet {
        do {
            return try await reading.perform(statement, parameters, key: nil)
        } catch {
            // What changes nothing may always be repeated.
            throw error.code == .outcomeUnknown ? PostgresError(.unavailable, error.detail) : error
        }
    }

    /// Returns when nobody waits for the database any more; new calls are still taken in.
    package func drain() async {
        await writing.drain()
        await reading.drain()
    }

    /// Closes both connections for good; who still waits is told `unavailable` or `outcomeUnknown`.
    package func close() {
        writing.close()
        reading.close()
    }
}

extension PostgresClient: TurnObserver {
    /// Sends what has gathered in this turn.
    package func turnWillEnd() {
        writing.turnWillEnd()
        reading.turnWillEnd()
    }
}
