import EventIO
import Primitives
import Telemetry

/// One connection with its queue: takes statements in, sends them in groups, tells each caller its own outcome.
///
/// It carries out what `GroupStateMachine` decides, and keeps a connection there as long as it is open.
final class StatementChannel {
    /// A caller that waits.
    struct Call {
        let statement: Statement
        let parameters: Parameters
        let caller: Suspension<Result<ResultSet, PostgresError>>
    }

    private typealias Machine = GroupStateMachine<Call, ResultSet>

    private let role: ConnectionRole
    private let reactor: Reactor
    private let connector: Connector
    private let answerTimeout: Duration
    private let patrolInterval: Duration
    private let logger: Logger
    private let counters: ChannelCounters
    private let onReadinessChange: (Bool) -> Void
    private var machine: Machine
    private var pipeline: Pipeline?
    private var sentAt: MonotonicTime
    private var patrol: TimerID?
    private var isPatrolling = false
    private var drainers: [Suspension<Void>] = []
    private var isClosed = false

    init(
        role: ConnectionRole,
        reactor: Reactor,
        configuration: PostgresConfiguration,
        logger: Logger,
        counters: ChannelCounters,
        onReadinessChange: @escaping (Bool) -> Void
    ) {
        self.role = role
        self.reactor = reactor
        self.logger = logger
        self.counters = counters
        self.onReadinessChange = onReadinessChange
        let settings = ConnectionSettings(configuration, role: role)
        connector = Connector(reactor: reactor, settings: settings, configuration: configuration)
        answerTimeout = configuration.answerTimeout
        patrolInterval = min(configuration.maximumPendingAge, configuration.answerTimeout)
        machine = Machine(limits: configuration.limits)
        sentAt = reactor.now
    }

    /// The server's process, or `nil` without a connection.
    var backendProcess: Int32? { pipeline?.backendProcess }

    /// Begins to connect.
    func start() {
        patrol = reactor.makeTimer { [weak self] in self?.lookAround() }
        connector.owner = self
        connector.start()
    }

    /// Sends a statement with the next group and waits for its outcome.
    func perform(
        _ statement: Statement,
        _ parameters: Parameters,
        key: UUIDBytes?
    ) async throws(PostgresError) -> ResultSet {
        if let error = parameters.mismatch(with: statement) { throw error }
        guard !Task.isCancelled else { throw PostgresError(.unavailable, "cancelled before it was sent") }
        let outcome = await suspend { caller in
            submit(Call(statement: statement, parameters: parameters, caller: caller), key: key)
        }
        return try outcome.get()
    }

    /// Sends what has gathered, unless a group is under way.
    func turnWillEnd() {
        guard let group = machine.nextGroup() else { return }
        counters.groups.increment()
        counters.statements.increment(by: group.count)
        send(group.lazy.map(\.member))
    }

    /// Returns when nobody waits any more.
    func drain() async {
        guard !machine.isEmpty else { return }
        await suspend { drainers.append($0) }
    }

    /// Closes the connection; whoever waits is told so.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        connector.stop()
        if let patrol { reactor.cancel(patrol) }
        patrol = nil
        drop("closed here")
    }

    private func submit(_ call: Call, key: UUIDBytes?) {
        guard let refusal = machine.submit(call, key: key, at: reactor.now) else { return }
        counters.refused.increment()
        call.caller.resume(.failure(refusal))
    }

    private func send(_ calls: some Sequence<Call>) {
        guard let pipeline else { return }
        sentAt = reactor.now
        patrolAgain()
        let isSent = calls.allSatisfy { pipeline.add($0.statement, $0.parameters) } && pipeline.finishGroup()
        if !isSent { lose(pipeline.message) }
    }

    private func carryOut(_ settlement: Machine.Settlement) {
        settle(settlement.settled)
        guard let next = settlement.next else { return }
        counters.repeats.increment()
        send(CollectionOfOne(next))
    }

    private func settle(_ settled: [Machine.Entry]) {
        for entry in settled { entry.member.caller.resume(entry.result) }
        guard machine.isEmpty, !drainers.isEmpty else { return }
        for drainer in drainers { drainer.resume() }
        drainers = []
    }

    /// Gives the connection up and makes another one.
    private func lose(_ reason: String) {
        guard pipeline != nil else { return }
        counters.losses.increment()
        logger.info("postgres.connection_lost", [LogField("role", role.rawValue), LogField("reason", reason)])
        drop(reason)
        connector.restart()
    }

    private func drop(_ reason: String) {
        pipeline?.close()
        pipeline = nil
        settle(machine.lost(reason))
        onReadinessChange(false)
    }

    /// Refuses what is too old and gives up a connection that does not answer.
    private func lookAround() {
        isPatrolling = false
        if machine.isInFlight { pipeline?.lookAgain() }
        let expired = machine.expire(at: reactor.now)
        counters.refused.increment(by: expired.count)
        settle(expired)
        if machine.isInFlight, reactor.now - sentAt > answerTimeout { lose("no answer within \(answerTimeout)") }
        patrolAgain()
    }

    private func patrolAgain() {
        guard !isPatrolling, !machine.isEmpty, let patrol else { return }
        isPatrolling = true
        reactor.arm(patrol, after: patrolInterval)
    }
}

extension StatementChannel: ConnectorOwner {
    func connected(_ handle: consuming ConnectionHandle) {
        let established = Pipeline(reactor: reactor, handle: handle)
        established.owner = self
        do {
            try established.open()
        } catch {
            return connector.restart()
        }
        pipeline = established
        machine.opened()
        logger.info("postgres.connected", [LogField("role", role.rawValue)])
        onReadinessChange(true)
    }

    func connectFailed(_ reason: String, nextAttemptIn delay: Duration) {
        counters.failedAttempts.increment()
        logger.info(
            "postgres.connect_failed",
            [
                LogField("role", role.rawValue), LogField("reason", reason),
                LogField("retry_ms", Int(delay / .milliseconds(1))),
            ]
        )
    }
}

extension StatementChannel: PipelineOwner {
    func answered(_ outcome: Result<ResultSet, PostgresError>?) {
        guard machine.received(outcome) else { return lose("an answer nobody waits for") }
        // A server that was demoted under us keeps the connection and refuses every write: look for the new primary.
        guard role == .write, case .failure(let error)? = outcome, error.sqlState == "25006" else { return }
        lose("the server has become read-only")
    }

    func commitRefused(_ error: PostgresError) {
        machine.commitFailed(error)
    }

    func synced() {
        guard let settlement = machine.synced() else { return lose("the end of a group came too early") }
        carryOut(settlement)
    }

    func broke(_ reason: String) {
        lose(reason)
    }
}
