import Cryptography
import EventIO
import HTTP2
import HTTPClient
import HTTPCore
import Primitives
import ServerCore
import Telemetry

/// The pushes of one pass type: claims what is due, sends as much at once as the connection takes, and writes down the answers.
///
/// Not `Sendable`.
final class PushQueue {
    private let passType: String
    private let link: PushLink
    private let store: PushStore
    private let metrics: PushMetrics
    private let gauges: PushGauges
    private let reactor: Reactor
    private let logger: Logger
    private let process: PushProcess
    private let generation: Int
    private let request: PushRequest
    private let signal: PushSignal
    private var run = PushRun()
    private var underWay = 0
    /// Pushes whose token the service calls bad, as long as it is open whether the fault is on this side.
    private var suspects: [(job: PushJob, answer: PushAnswer)] = []
    /// Whether the service has taken a push, so that host and certificate are right.
    private var isProved = false
    private var settled: [SettledPush] = []
    private var isSettling = false
    private var isStopped = false
    private var isStoreAway = false

    /// Between two looks where nothing is due: another process may have made something due.
    private static let pause = Duration.seconds(1)
    /// A process that has not written an answer down by then is taken for dead; the time for an answer, and as much again.
    private static let lease = Duration.seconds(60)
    /// As many are claimed or written down by one statement.
    private static let batch = 200

    init(
        _ passType: String,
        _ link: PushLink,
        _ store: PushStore,
        _ metrics: PushMetrics,
        _ loop: LoopContext,
        _ process: PushProcess,
        generation: Int
    ) {
        self.passType = passType
        self.link = link
        self.store = store
        self.metrics = metrics
        gauges = metrics.gauges(passType)
        gauges.isHalted.set(0)
        reactor = loop.reactor
        logger = loop.logger.with([LogField("pass_type", passType)])
        self.process = process
        self.generation = generation
        request = PushRequest(
            authority: link.authority,
            topic: passType,
            type: process.settings.type,
            expiry: process.settings.expiry
        )
        signal = PushSignal(loop.reactor)
    }

    /// Whether pushes are on their way, or their outcome is not written down.
    var isBusy: Bool { underWay > 0 || !settled.isEmpty || isSettling }

    func wake() { signal.raise() }

    func stop() {
        isStopped = true
        signal.raise()
    }

    private var isHalted: Bool { process.halts[passType] != nil }

    // MARK: Rounds

    /// Sends what is due until it is stopped.
    func run() async {
        while !isStopped {
            let wait: Duration
            do throws(StoreError) {
                wait = isHalted ? QueueWait.halted : try await step()
                isStoreAway = false
            } catch {
                note(error)
                wait = PushQueue.pause
            }
            await signal.wait(for: wait)
        }
    }

    private enum QueueWait {
        static let halted = Duration.seconds(60)
    }

    /// Claims what is due and begins to send it.
    ///
    /// - Returns: How long to wait, unless there is room or something new before.
    private func step() async throws(StoreError) -> Duration {
        guard let due = try await store.next(passType) else { return await rest() }
        guard due <= .zero else { return min(due, await rest()) }
        if let wait = await link.connect() { return wait }
        guard let room = link.current?.room, room > 0, !isStopped else { return PushQueue.pause }
        let claim = UUIDBytes(version7At: reactor.wallNow, random: reactor.random)
        let limit = min(room, PushQueue.batch)
        let jobs = try await store.claim(passType, as: claim, limit: limit, lease: PushQueue.lease)
        for job in jobs { begin(job) }
        // Where the connection is full, an answer ends the wait.
        return (link.current?.room ?? 0) > 0 ? .zero : PushQueue.pause
    }

    /// Nothing is due: where nothing is on its way either, a run is over.
    private func rest() async -> Duration {
        if underWay == 0 {
            if isProved { await dropSuspects() } else { doubtSuspects() }
            run = PushRun()
        }
        return PushQueue.pause
    }

    // MARK: One push

    private func begin(_ job: PushJob) {
        underWay += 1
        reactor.startTask {
            await self.send(job)
            self.underWay -= 1
            self.signal.raise()
        }
    }

    private func send(_ job: PushJob) async {
        var hasNewToken = false
        while true {
            guard let connection = link.current else { return again(job, PushPause(base: .zero), nil) }
            let (action, answer, token) = await exchange(job, on: connection)
            guard case .renewToken = action else { return await act(action, answer, job, connection) }
            // Once: a service that refuses the new one as well will refuse the next.
            let isRenewed = !hasNewToken && renew(insteadOf: token)
            guard isRenewed else { return again(job, PushPause(base: .seconds(60), doubles: true), answer) }
            hasNewToken = true
        }
    }

    private func exchange(
        _ job: PushJob,
        on connection: HTTP2Connection
    ) async -> (PushAction, PushAnswer?, Secret<String>?) {
        let token: Secret<String>?
        do throws(CryptographyError) {
            token = try link.tokens?.token(at: reactor.wallNow)
        } catch {
            logger.error("push.no_provider_token", [LogField("detail", error.detail)])
            return (.halt, nil, nil)
        }
        let head = request.head(job.token, authorization: token, at: reactor.wallNow, random: reactor.random)
        do throws(HTTPExchangeError) {
            let answer = PushAnswer(try await connection.send(head))
            metrics.count(answer)
            return (answer.action(tokenStored: job.tokenStored), answer, token)
        } catch {
            if !error.isOurs { metrics.countUnanswered() }
            return (PushAction(error), nil, token)
        }
    }

    private func renew(insteadOf token: Secret<String>?) -> Bool {
        guard let token, let tokens = link.tokens else { return false }
        do throws(CryptographyError) {
            return try tokens.renew(insteadOf: token, at: reactor.wallNow)
        } catch {
            logger.error("push.no_provider_token", [LogField("detail", error.detail)])
            return false
        }
    }

    private func act(_ action: PushAction, _ answer: PushAnswer?, _ job: PushJob, _ connection: HTTP2Connection) async {
        if answer != nil {
            var isSuspect = false
            if case .drop(true) = action { isSuspect = true }
            // Whoever has a card can register tokens that never were any: only of one that was good before does it say something that
            // it is called bad.
            if !isSuspect || job.wasAccepted { run.count(isSuspect: isSuspect) }
        }
        switch action {
        case .done:
            link.prove()
            prove()
            metrics.observeDelay(job.since.age(at: reactor.wallNow))
            end(job, answer)
        case .keep:
            metrics.expired.increment()
            logger.warning("push.refused", fields(answer))
            end(job, answer)
        case .drop(let isSuspect):
            guard isSuspect, let answer else { return await drop(job, answer) }
            suspects.append((job, answer))
            await judgeSuspects()
        case .again(let pause):
            if pause.needsNewConnection { link.retire(connection) }
            again(job, pause, answer)
        case .keepOlderToken(let pause):
            link.tokens?.keepOlder(at: reactor.wallNow)
            again(job, pause, answer)
        case .renewToken, .halt:
            halt(because: answer.map { "\($0.status) \($0.reason ?? "")" } ?? "no provider token")
            again(job, PushPause(base: .zero), answer)
        }
    }

    /// Nothing more is to be sent for it, unless something has changed meanwhile.
    private func end(_ job: PushJob, _ answer: PushAnswer?) {
        settle(SettledPush(job, answer, isEnded: true, pause: process.settings.spacing))
    }

    private func again(_ job: PushJob, _ pause: PushPause, _ answer: PushAnswer?) {
        let age = job.since.age(at: reactor.wallNow)
        guard let wait = pause.pause(attempts: job.attempts, age: age, random: reactor.random) else {
            metrics.expired.increment()
            logger.warning("push.given_up", fields(answer))
            return end(job, answer)
        }
        settle(SettledPush(job, answer, isEnded: false, counts: pause.doubles, pause: wait))
    }

    // MARK: Dead tokens

    private func judgeSuspects() async {
        if run.isBroken {
            halt(because: run.summary)
            for suspect in suspects { again(suspect.job, PushPause(base: .zero), suspect.answer) }
            suspects = []
        } else if run.isTelling, isProved {
            await dropSuspects()
        }
    }

    private func prove() {
        guard !isProved else { return }
        isProved = true
        process.trust(passType, in: generation)
    }

    /// A service that has taken no push at all may be the wrong one, or shown the wrong certificate: nobody is forgotten on its word.
    private func doubtSuspects() {
        guard !suspects.isEmpty else { return }
        process.doubt(passType, in: generation)
        logger.warning("push.tokens_doubted", [LogField("tokens", suspects.count)])
        for suspect in suspects { again(suspect.job, PushAnswer.patience, suspect.answer) }
        suspects = []
    }

    private func dropSuspects() async {
        let jobs = suspects
        suspects = []
        for suspect in jobs { await drop(suspect.job, suspect.answer) }
    }

    private func drop(_ job: PushJob, _ answer: PushAnswer?) async {
        do throws(StoreError) {
            guard try await store.drop(job, pause: process.settings.spacing) else { return }
            metrics.dropped.increment()
            logger.info("push.token_dead", fields(answer))
        } catch {
            // It is pushed to again when its lease is over, and answered in the same way.
            note(error)
        }
    }

    private func halt(because reason: String) {
        guard !isHalted else { return }
        process.halt(passType, because: reason, in: generation)
        gauges.isHalted.set(1)
        logger.error("push.halted", [LogField("reason", reason)])
    }

    // MARK: Outcomes

    private func settle(_ outcome: SettledPush) {
        settled.append(outcome)
        guard !isSettling else { return }
        isSettling = true
        reactor.startTask { await self.settleAll() }
    }

    /// Writes outcomes down, those together that gather meanwhile.
    private func settleAll() async {
        await reactor.nextTurn()
        while !settled.isEmpty {
            let batch = Array(settled.prefix(PushQueue.batch))
            settled.removeFirst(batch.count)
            do throws(StoreError) {
                let busy = try await store.settle(batch)
                settled += busy
                if !busy.isEmpty { await reactor.sleep(for: .milliseconds(20)) }
            } catch {
                // The lease ends without it; a second wake-up is harmless.
                note(error)
                guard error.code != .fault, !isStopped else { continue }
                settled += batch
                await reactor.sleep(for: PushQueue.pause)
            }
        }
        isSettling = false
        signal.raise()
    }

    /// Shows what waits.
    func count() async {
        do throws(StoreError) {
            let backlog = try await store.backlog(passType)
            gauges.waiting.set(backlog.count)
            gauges.lag.set(Int(backlog.lag.components.seconds))
        } catch {
            note(error)
        }
    }

    // MARK: Words for operators

    private func fields(_ answer: PushAnswer?) -> [LogField] {
        guard let answer else { return [] }
        return [LogField("status", answer.status), LogField("reason", answer.reason ?? "")]
    }

    /// One line for each time that the store goes away; the rest is in its own metrics.
    private func note(_ error: StoreError) {
        guard !isStoreAway || error.code == .fault else { return }
        isStoreAway = true
        logger.warning("push.store_failed", [LogField("code", error.code.word), LogField("detail", error.detail)])
    }
}

extension SettledPush {
    fileprivate init(_ job: PushJob, _ answer: PushAnswer?, isEnded: Bool, counts: Bool = false, pause: Duration) {
        self.init(
            job: job,
            isEnded: isEnded,
            counts: counts,
            pause: pause,
            status: answer?.status,
            reason: answer?.reason
        )
    }
}

extension WallTime {
    /// How long ago it was; zero for what is still to come.
    fileprivate func age(at now: WallTime) -> Duration {
        .microseconds(max(0, now.microseconds - microseconds))
    }
}
