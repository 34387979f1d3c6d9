import EventIO
import Primitives
import Telemetry

/// One connection with its queue: takes statements in, sends them in groups, gives each caller its own outcome.
///
/// It carries out what `GroupStateMachine` decides, and keeps a connection there as long as it is open.
final class StatementChannel {
    /// A statement and its caller.
    enum Call {
        /// Nobody waits for a heartbeat.
        case heartbeat
        case single(Statement, Parameters, caller: Suspension<Result<ResultSet, PostgresError>>)
        case gathered(any Gathering)

        /// What is sent.
        var content: (statement: Statement, parameters: Parameters) {
            switch self {
            case .heartbeat: (StatementChannel.heartbeat, Parameters())
            case .single(let statement, let parameters, _): (statement, parameters)
            case .gathered(let gathering): gathering.close()
            }
        }

        /// Resumes the caller.
        func end(_ outcome: Result<ResultSet, PostgresError>) {
            switch self {
            case .heartbeat: break
            case .single(_, _, let caller): caller.resume(outcome)
            case .gathered(let gathering): gathering.ended(outcome)
            }
        }
    }

    private typealias Machine = GroupStateMachine<Call, ResultSet>

    private let role: ConnectionRole
    private let reactor: Reactor
    private let connector: Connector
    private let watch: ChannelWatch
    private let logger: Logger
    private let counters: ChannelCounters
    /// Answers in the place of a server; only tests have one.
    private let responder: (any StatementResponder)?
    private let onReadinessChange: (Bool) -> Void
    private var machine: Machine
    private var pipeline: Pipeline?
    /// How long groups were under way, of those that were answered.
    private(set) var timeUnderWay = Duration.zero
    private var sentAt: MonotonicTime
    private var answeredAt: MonotonicTime
    private var isStalled = false
    private var shedCount = 0
    private var patrol: TimerID?
    /// Whether the next look is a soon one.
    private var isPatrolling = false
    private var drainers: [Suspension<Void>] = []
    private var isClosed = false
    /// Why the newest attempt to connect failed; `nil` while there is a connection, and before the first attempt has ended.
    private(set) var failure: String?

    init(
        role: ConnectionRole,
        reactor: Reactor,
        configuration: PostgresConfiguration,
        logger: Logger,
        counters: ChannelCounters,
        responder: (any StatementResponder)? = nil,
        onReadinessChange: @escaping (Bool) -> Void
    ) {
        self.role = role
        self.reactor = reactor
        self.logger = logger
        self.counters = counters
        self.responder = responder
        self.onReadinessChange = onReadinessChange
        let settings = ConnectionSettings(configuration, role: role)
        connector = Connector(reactor: reactor, settings: settings, configuration: configuration)
        watch = ChannelWatch(configuration, role)
        machine = Machine(limits: configuration.limits)
        sentAt = reactor.now
        answeredAt = reactor.now
    }

    /// The server's process, or `nil` without a connection.
    var backendProcess: Int32? { pipeline?.backendProcess }

    /// Begins to connect.
    func start() {
        guard responder == nil else { return onReadinessChange(true) }
        patrol = reactor.makeTimer { [weak self] in self?.check() }
        connector.owner = self
        connector.start()
    }

    /// Sends a statement with the next group and waits for its outcome.
    func perform(
        _ statement: Statement,
        _ parameters: Parameters,
        key: UUIDBytes? = nil,
        isLastStep: Bool = false
    ) async throws(PostgresError) -> ResultSet {
        if let error = parameters.mismatch(with: statement) { throw error }
        // What was begun is ended, whether or not somebody still waits for it.
        guard isLastStep || !Task.isCancelled else { throw PostgresError(.unavailable, "cancelled before it was sent") }
        let outcome = await suspend { caller in
            submit(.single(statement, parameters, caller: caller), key, isLastStep: isLastStep)
        }
        return try outcome.get()
    }

    /// Sends a statement with the next group that may grow until then.
    func perform(_ gathering: any Gathering) {
        submit(.gathered(gathering), nil, isLastStep: false)
    }

    /// Sends what has gathered, unless a group is under way.
    func turnWillEnd() {
        guard let group = machine.nextGroup(at: reactor.now) else { return }
        counters.groups.increment()
        counters.statements.increment(by: group.count)
        send(group.lazy.map(\.member))
    }

    /// Returns when nobody waits any more.
    func drain() async {
        await suspend { caller in
            if machine.isEmpty { caller.resume() } else { drainers.append(caller) }
        }
    }

    /// Closes the connection; callers that wait get an error.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        connector.stop()
        if let patrol { reactor.cancel(patrol) }
        patrol = nil
        drop("closed here")
    }

    /// Keeps room for something new until the end of the turn; counts it as refused where there is none.
    func admit() -> Admission {
        if let responder { return responder.admit() }
        guard let shortage = machine.reserve(at: reactor.now) else { return .granted }
        let admission: Admission = if case .connection = shortage { .unavailable } else { .overloaded }
        count(admission)
        return admission
    }

    private func submit(_ call: Call, _ key: UUIDBytes?, isLastStep: Bool) {
        if let responder {
            let content = call.content
            return call.end(responder.answer(content.statement, content.parameters))
        }
        guard let refusal = machine.submit(call, key: key, isLastStep: isLastStep, at: reactor.now) else { return }
        count(refusal.code == .overloaded ? .overloaded : .unavailable)
        call.end(.failure(refusal))
    }

    private func count(_ admission: Admission) {
        switch admission {
        case .granted: break
        case .overloaded:
            counters.shed.increment()
            shedCount += 1
        case .unavailable: counters.unconnected.increment()
        }
    }

    private func send(_ calls: some Sequence<Call>) {
        guard let pipeline else { return }
        sentAt = reactor.now
        if !isPatrolling { checkSoon() }
        let isSent = calls.allSatisfy { pipeline.add($0.content) } && pipeline.finishGroup()
        if !isSent { lose(pipeline.message) }
    }

    private func carryOut(_ settlement: Machine.Settlement) {
        settle(settlement.settled)
        guard let next = settlement.next else { return }
        counters.repeats.increment()
        send(CollectionOfOne(next))
    }

    private func settle(_ settled: [Machine.Entry]) {
        for entry in settled { entry.member.end(entry.result) }
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
        setStalled(false)
        settle(machine.lost(reason))
        onReadinessChange(false)
    }
}

// MARK: Looking after the connection

extension StatementChannel {
    private static let heartbeat = Statement(name: "heartbeat", sql: "SELECT 1")

    /// Refuses what is too old, gives up a connection that does not answer, and lets an idle one show that it lives.
    private func check() {
        if machine.isInFlight { pipeline?.receiveAgain() }
        let expired = machine.expire(at: reactor.now)
        counters.expired.increment(by: expired.count)
        settle(expired)
        counters.waiting.set(machine.pendingCount)
        reportShedding()
        checkFlight()
        guard pipeline != nil else { return }
        if !machine.isEmpty { return checkSoon() }
        let quiet = reactor.now - answeredAt
        if quiet >= watch.heartbeatInterval { return beat() }
        checkAgain(after: watch.heartbeatInterval - quiet)
        isPatrolling = false
    }

    private func checkFlight() {
        guard machine.isInFlight else { return }
        let underWay = reactor.now - sentAt
        if underWay > watch.answerTimeout { return lose("no answer within \(watch.answerTimeout)") }
        guard underWay > watch.stallTimeout, !isStalled else { return }
        logger.warning("postgres.stalled", [LogField("role", role.rawValue)])
        setStalled(true)
        onReadinessChange(false)
    }

    /// Asks for an answer; it shows that server and network live, or that they do not before a caller finds out.
    private func beat() {
        submit(.heartbeat, nil, isLastStep: true)
        checkSoon()
    }

    private func answersAgain() {
        logger.info("postgres.answers_again", [LogField("role", role.rawValue)])
        setStalled(false)
        onReadinessChange(true)
    }

    private func setStalled(_ stalls: Bool) {
        guard stalls != isStalled else { return }
        isStalled = stalls
        counters.stalled.set(stalls ? 1 : 0)
    }

    private func reportShedding() {
        guard shedCount > 0 else { return }
        logger.warning(
            "postgres.overloaded",
            [
                LogField("role", role.rawValue), LogField("refused", shedCount),
                LogField("waiting", machine.pendingCount),
                LogField("group_ms", Int(machine.groupTime / .milliseconds(1))),
            ]
        )
        shedCount = 0
    }

    private func checkSoon() {
        isPatrolling = true
        checkAgain(after: watch.interval)
    }

    private func checkAgain(after delay: Duration) {
        guard let patrol else { return }
        reactor.arm(patrol, after: delay)
    }
}

/// When one connection is looked at, and what is too long.
struct ChannelWatch {
    let heartbeatInterval: Duration
    let stallTimeout: Duration
    let answerTimeout: Duration
    /// Between two looks while something waits.
    let interval: Duration

    init(_ configuration: PostgresConfiguration, _ role: ConnectionRole) {
        heartbeatInterval = configuration.heartbeatInterval
        stallTimeout = configuration.stallTimeout * role.patience
        answerTimeout = configuration.answerTimeout * role.patience
        interval = min(configuration.maximumPendingAge, stallTimeout, answerTimeout) / 4
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
        failure = nil
        answeredAt = reactor.now
        machine.opened()
        isPatrolling = false
        checkAgain(after: watch.heartbeatInterval)
        logger.info("postgres.connected", [LogField("role", role.rawValue)])
        onReadinessChange(true)
    }

    func connectFailed(_ reason: String, nextAttemptIn delay: Duration) {
        counters.failedAttempts.increment()
        failure = reason
        logger.log(
            // A server that is away comes back; this does not go by itself.
            SessionPins.isLasting(reason) ? .warning : .info,
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
        guard role != .read, case .failure(let error)? = outcome, error.sqlState == "25006" else { return }
        lose("the server has become read-only")
    }

    func commitRefused(_ error: PostgresError) {
        machine.commitFailed(error)
    }

    func synced() {
        answeredAt = reactor.now
        guard let settlement = machine.synced(at: answeredAt) else { return lose("the end of a group came too early") }
        let duration = answeredAt - sentAt
        timeUnderWay += duration
        counters.duration.observe(duration / .seconds(1))
        if isStalled { answersAgain() }
        carryOut(settlement)
    }

    func broke(_ reason: String) {
        lose(reason)
    }
}
