import EventIO

/// Hears what comes back through a pipeline, on the loop and in the order of the calls.
protocol PipelineOwner: AnyObject {
    /// The next statement was answered, or skipped because of a refusal before it (`nil`).
    func answered(_ outcome: Result<ResultSet, PostgresError>?)
    /// The commit itself was refused.
    func commitRefused(_ error: PostgresError)
    /// The group has ended: what was well is committed.
    func synced()
    /// The connection cannot be used any more.
    func broke(_ reason: String)
}

/// One established connection: sends groups of statements and reads the answers in order.
///
/// It decides nothing about statements; see `GroupStateMachine`.
final class Pipeline: ReadinessHandler {
    private enum Expected {
        case preparation(PreparedStatement)
        case result(PreparedStatement)
        case sync
    }

    weak var owner: (any PipelineOwner)?
    private let reactor: Reactor
    private var handle: ConnectionHandle
    private var registration: Registration?
    private var isWatchingWrites = false
    private var prepared = PreparedStatements()
    private var expected: [Expected] = []
    private var answeredCount = 0
    private var refusedPreparations: [PreparedStatement] = []
    private var isClosed = false

    init(reactor: Reactor, handle: consuming ConnectionHandle) {
        self.reactor = reactor
        self.handle = handle
    }

    /// The process at the other end.
    var backendProcess: Int32 { handle.backendProcess }

    /// Starts to listen, level-triggered because one read of libpq may leave bytes behind.
    func open() throws(IOError) {
        registration = try reactor.add(
            handle.descriptor,
            interest: .readable,
            trigger: .level,
            isUrgent: true,
            handler: self
        )
    }

    /// Hears nothing any more; the connection closes with this object.
    func close() {
        isClosed = true
        if let registration { reactor.remove(registration) }
        registration = nil
    }

    /// Queues a call, after its preparation where the server does not have it yet.
    ///
    /// - Returns: False when libpq refuses; then the connection is of no use.
    func add(_ call: (statement: Statement, parameters: Parameters)) -> Bool {
        let known = prepared.lookUp(call.statement)
        if known.phase == .unknown {
            guard handle.prepare(call.statement, as: known.serverName) else { return false }
            known.phase = .sent
            expected.append(.preparation(known))
        }
        expected.append(.result(known))
        return handle.execute(known.serverName, call.parameters)
    }

    /// Ends the group and gives everything to the kernel.
    ///
    /// - Returns: False when the connection is of no use.
    func finishGroup() -> Bool {
        expected.append(.sync)
        return handle.sync() && flush()
    }

    /// Why the connection is of no use.
    var message: String { handle.message }

    /// Bytes arrived, or there is room for more.
    func ready(_ readiness: Readiness) {
        if readiness.contains(.writable), !flush() { return fail(handle.message) }
        receive()
        // One read may leave the rest of a TLS record inside the library, where epoll does not see it.
        if handle.isEncrypted { receive() }
    }

    /// Reads answers although none were reported for the socket; see `ready` for why there may be some.
    func receiveAgain() {
        receive()
    }

    private func receive() {
        guard !isClosed else { return }
        let isAlive = handle.receive()
        // What came before the end still counts: a commit may be among it.
        readAnswers()
        if !isAlive { fail(handle.message) }
    }

    private func readAnswers() {
        while !isClosed, answeredCount < expected.count, let reply = handle.nextReply() {
            take(reply, for: expected[answeredCount])
        }
        guard answeredCount == expected.count, answeredCount > 0 else { return }
        expected.removeAll(keepingCapacity: true)
        answeredCount = 0
    }

    private func take(_ reply: ConnectionHandle.Reply, for item: Expected) {
        switch (item, reply) {
        case (_, .broken(let reason)):
            fail(reason)
        case (.preparation(let statement), _):
            answeredCount += 1
            takePreparation(statement, reply)
        case (.result(let statement), _):
            answeredCount += 1
            takeResult(statement, reply)
        case (.sync, .synced):
            answeredCount += 1
            for statement in refusedPreparations { statement.refusal = nil }
            refusedPreparations.removeAll(keepingCapacity: true)
            owner?.synced()
        case (.sync, .refused(let error)):
            owner?.commitRefused(error)
        case (.sync, .result), (.sync, .skipped):
            fail("an answer too many")
        }
    }

    private func takePreparation(_ statement: PreparedStatement, _ reply: ConnectionHandle.Reply) {
        switch reply {
        case .result:
            statement.phase = .ready
        case .refused(let error):
            statement.phase = .unknown
            statement.refusal = error
            refusedPreparations.append(statement)
        case .skipped:
            statement.phase = .unknown
        case .synced, .broken:
            fail("an answer is missing")
        }
    }

    private func takeResult(_ statement: PreparedStatement, _ reply: ConnectionHandle.Reply) {
        switch reply {
        case .result(let result):
            statement.worked()
            owner?.answered(.success(result))
        case .refused(let error):
            statement.wasRefused(error)
            owner?.answered(.failure(error))
        case .skipped:
            owner?.answered(statement.refusal.map { .failure($0) })
        case .synced, .broken:
            fail("an answer is missing")
        }
    }

    private func flush() -> Bool {
        switch handle.flush() {
        case .done: watchWrites(false)
        case .blocked: watchWrites(true)
        case .failed: false
        }
    }

    private func watchWrites(_ watches: Bool) -> Bool {
        guard watches != isWatchingWrites, let registration else { return true }
        isWatchingWrites = watches
        let interest: Interest = watches ? [.readable, .writable] : .readable
        return (try? reactor.modify(registration, interest: interest)) != nil
    }

    private func fail(_ reason: String) {
        guard !isClosed else { return }
        close()
        owner?.broke(reason)
    }
}
