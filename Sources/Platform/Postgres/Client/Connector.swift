import EventIO

/// Hears from a connector, on the loop.
protocol ConnectorOwner: AnyObject {
    /// A connection is ready for pipelines.
    func connected(_ handle: consuming ConnectionHandle)
    /// An attempt failed; the next one is scheduled already.
    func connectFailed(_ reason: String, nextAttemptIn delay: Duration)
}

/// Makes connections without blocking the loop: one attempt at a time, with a deadline, and a growing wait in between.
final class Connector: ReadinessHandler {
    private enum State {
        case stopped
        case waiting
        case attempting
    }

    weak var owner: (any ConnectorOwner)?
    private let reactor: Reactor
    private let settings: ConnectionSettings
    private let timeout: Duration
    private var delay: ReconnectDelay
    private var state = State.stopped
    private var handle: ConnectionHandle?
    private var registration: Registration?
    private var timer: TimerID?
    private var silentAttempts = 0

    init(reactor: Reactor, settings: ConnectionSettings, configuration: PostgresConfiguration) {
        self.reactor = reactor
        self.settings = settings
        timeout = configuration.connectTimeout
        delay = ReconnectDelay(first: configuration.firstRetryDelay, maximum: configuration.maximumRetryDelay)
    }

    /// Makes the first attempt at once.
    func start() {
        timer = reactor.makeTimer { [weak self] in self?.timerFired() }
        attempt()
    }

    /// Makes attempts again, after a connection was lost.
    func restart() {
        guard timer != nil else { return }
        state = .waiting
        arm(after: delay.next(reactor.random))
    }

    /// Makes no attempt any more.
    func stop() {
        abandon()
        state = .stopped
        if let timer { reactor.cancel(timer) }
        timer = nil
    }

    /// The socket made progress.
    func ready(_ readiness: Readiness) {
        unwatch()
        guard let progress = handle?.establish() else { return }
        switch progress {
        case .needsReading: watch(.readable)
        case .needsWriting: watch(.writable)
        case .failed(let reason): fail(reason + settings.advice(on: reason))
        case .established: succeed()
        }
    }

    private func attempt() {
        state = .attempting
        handle = ConnectionHandle(starting: settings.keywords(attempt: silentAttempts), settings.pins(reactor.random))
        guard handle != nil else { return fail("no memory") }
        arm(after: timeout)
        // libpq asks for this: after the start, go on when the socket can be written to.
        if handle?.isBroken == true { fail(handle?.message ?? "") } else { watch(.writable) }
    }

    private func succeed() {
        guard let established = handle.take() else { return }
        state = .stopped
        if let timer { reactor.disarm(timer) }
        silentAttempts = 0
        delay.reset()
        owner?.connected(established)
    }

    private func fail(_ reason: String) {
        abandon()
        state = .waiting
        let pause = delay.next(reactor.random)
        arm(after: pause)
        owner?.connectFailed(reason, nextAttemptIn: pause)
    }

    private func timerFired() {
        switch state {
        case .stopped:
            return
        case .waiting:
            attempt()
        case .attempting:
            silentAttempts &+= 1
            fail("no answer within \(timeout)")
        }
    }

    private func abandon() {
        unwatch()
        handle = nil
    }

    private func arm(after delay: Duration) {
        guard let timer else { return }
        reactor.arm(timer, after: delay)
    }

    private func watch(_ interest: Interest) {
        guard let descriptor = handle?.descriptor else { return }
        do {
            registration = try reactor.add(descriptor, interest: interest, trigger: .level, handler: self)
        } catch {
            fail(error.description)
        }
    }

    /// Each step of libpq may close the socket and open another, so the registration never outlives a step.
    private func unwatch() {
        if let registration { reactor.remove(registration) }
        registration = nil
    }
}
