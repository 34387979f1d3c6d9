package import EventIO
package import Primitives
package import Telemetry

/// Whether there is room for something new in front of the database.
package enum Admission: Sendable, Hashable {
    /// There is.
    case granted
    /// What waits already takes too long; a retry after a second is safe.
    case overloaded
    /// There is no connection; a retry is safe.
    case unavailable
}

/// The database as one loop sees it: one connection that writes in groups, one that reads, and where it is asked for a third
/// one for upkeep.
///
/// All statements that wait at the end of a turn go down together with one Sync and commit together; each is acknowledged
/// only when that commit is on disk. If one of them fails, all are repeated one by one, so that each gets its own outcome.
/// While there is no connection every call fails at once with `unavailable`; connections come back by themselves.
///
/// A statement is one command that neither begins nor ends a transaction. Not `Sendable`: make it on its loop and use it there.
///
/// When the calling task is cancelled before the call, nothing is sent, unless it is a last step. After that the call runs to
/// its outcome, which comes within `maximumPendingAge` and `answerTimeout`: a statement under way cannot be taken back, and
/// others wait behind it.
///
/// A connection without traffic is asked for an answer now and then, so that one that has died, or a server that hangs, is
/// known before a caller needs it.
package final class PostgresClient {
    private let reactor: Reactor
    private let writing: StatementChannel
    private let reading: StatementChannel
    private let readiness: ReadinessGate
    private let upkeep: StatementChannel
    private let upkeepReadiness: ReadinessGate
    private let connectTimeout: Duration
    private var hasUpkeep = false

    /// A client that is not connected yet.
    ///
    /// - Parameters:
    ///   - reactor: Of the loop on which this is called.
    ///   - configuration: Where the database is, and the limits.
    ///   - metrics: Gets `sallyport_postgres_…` with the label `role`, `write`, `read` or `upkeep`.
    ///   - responder: Answers in the place of a server, for tests; `nil` to connect.
    package init(
        reactor: Reactor,
        configuration: PostgresConfiguration,
        logger: Logger,
        metrics: MetricsRegistry = MetricsRegistry(),
        responder: (any StatementResponder)? = nil
    ) {
        let gate = ReadinessGate(reactor: reactor, needing: [.write, .read])
        let upkeepGate = ReadinessGate(reactor: reactor, needing: [.upkeep])
        func channel(_ role: ConnectionRole, _ gate: ReadinessGate) -> StatementChannel {
            StatementChannel(
                role: role,
                reactor: reactor,
                configuration: configuration,
                logger: logger,
                counters: ChannelCounters(metrics, role: role),
                responder: responder,
                onReadinessChange: { gate.set(role, isReady: $0) }
            )
        }
        self.reactor = reactor
        readiness = gate
        upkeepReadiness = upkeepGate
        connectTimeout = configuration.connectTimeout
        writing = channel(.write, gate)
        reading = channel(.read, gate)
        upkeep = channel(.upkeep, upkeepGate)
    }

    /// Begins to connect; once.
    package func start() {
        reactor.addTurnObserver(self)
        writing.start()
        reading.start()
    }

    /// Whether both connections are there and answer within `stallTimeout`.
    package var isReady: Bool { readiness.isOpen }

    /// Waits until both connections are there.
    ///
    /// - Throws: `unavailable` when that was too short.
    package func waitUntilReady(within patience: Duration) async throws(PostgresError) {
        guard await readiness.wait(for: patience) else {
            let reason = (writing.failure ?? reading.failure).map { ": \($0)" } ?? ""
            throw PostgresError(.unavailable, "not connected within \(patience)\(reason)")
        }
    }

    /// Whether `write` would take in now what begins something; room for it is kept until the end of the turn.
    ///
    /// To be asked before the work that leads up to the statement: on a full machine, work for what is then refused is taken
    /// from those who are served. A refusal costs nothing but its counter.
    package func admit() -> Admission { writing.admit() }

    /// Runs a statement that may change rows, and returns when its commit is on disk.
    ///
    /// - Parameters:
    ///   - statement: Prepared on the connection at its first use.
    ///   - key: Names the rows it touches; groups are sorted by it, so that those of several loops do not deadlock. Calls with
    ///     the same key keep their order.
    ///   - isLastStep: Whether it ends what other statements have begun. Then it is taken in also where the queue takes too
    ///     long for new work and after a cancellation, so that neither leaves things half done.
    /// - Returns: The rows that it returned.
    /// - Throws: `unavailable` and `overloaded` (nothing was done, a retry is safe), `outcomeUnknown` (it may have been
    ///   done: look first), `rejected` (nothing was done, a retry will fail too).
    package func write(
        _ statement: Statement,
        _ parameters: Parameters = Parameters(),
        key: UUIDBytes? = nil,
        isLastStep: Bool = false
    ) async throws(PostgresError) -> ResultSet {
        try await writing.perform(statement, parameters, key: key, isLastStep: isLastStep)
    }

    /// Runs a statement that may change rows on a connection of its own, in a group of its own.
    ///
    /// For work that takes long, locks much or may wait for locks: nobody else's commit is held up by it. The connection is
    /// made at the first call and kept.
    ///
    /// - Parameters:
    ///   - statement: Prepared on the connection at its first use.
    ///   - isLastStep: As for `write`.
    /// - Returns: The rows that it returned.
    /// - Throws: As `write`.
    package func work(
        _ statement: Statement,
        _ parameters: Parameters = Parameters(),
        isLastStep: Bool = false
    ) async throws(PostgresError) -> ResultSet {
        if !hasUpkeep {
            hasUpkeep = true
            upkeep.start()
        }
        guard await upkeepReadiness.wait(for: connectTimeout) else {
            throw PostgresError(.unavailable, "not connected within \(connectTimeout)")
        }
        return try await upkeep.perform(statement, parameters, isLastStep: isLastStep)
    }

    /// How long the statements of `work` have kept the database busy so far; what waits for a connection is not in it.
    package var workTime: Duration { upkeep.timeUnderWay }

    /// Runs a statement that changes nothing; it never waits for a commit, and the server refuses it if it tries to write.
    ///
    /// - Parameters:
    ///   - statement: Prepared on the connection at its first use.
    ///   - isLastStep: As for `write`.
    /// - Returns: The rows that it returned.
    /// - Throws: `unavailable` and `overloaded` (a retry is safe), `rejected` (a retry will fail too).
    package func read(
        _ statement: Statement,
        _ parameters: Parameters = Parameters(),
        isLastStep: Bool = false
    ) async throws(PostgresError) -> ResultSet {
        do {
            return try await reading.perform(statement, parameters, isLastStep: isLastStep)
        } catch {
            // What changes nothing may always be repeated.
            throw error.code == .outcomeUnknown ? PostgresError(.unavailable, error.detail) : error
        }
    }

    /// Runs a statement that changes nothing for several callers, who may join until it is sent.
    ///
    /// - Parameter gathering: Gets the outcome; at once where the statement is refused.
    func read(_ gathering: any Gathering) {
        reading.perform(gathering)
    }

    /// Lets a while pass on the client's loop; less when the calling task is cancelled.
    package func pause(for duration: Duration) async {
        await reactor.sleep(for: duration)
    }

    /// Returns when nobody waits for the database any more; new calls are still taken in.
    package func drain() async {
        await writing.drain()
        await reading.drain()
        await upkeep.drain()
    }

    /// Closes all connections for good; callers that still wait get `unavailable` or `outcomeUnknown`.
    package func close() {
        writing.close()
        reading.close()
        upkeep.close()
        hasUpkeep = true
    }
}

extension PostgresClient: TurnObserver {
    /// Sends what has gathered in this turn.
    package func turnWillEnd() {
        writing.turnWillEnd()
        reading.turnWillEnd()
        upkeep.turnWillEnd()
    }
}
