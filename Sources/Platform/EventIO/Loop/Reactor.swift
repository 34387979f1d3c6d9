import CLinux
package import Primitives
import Telemetry

/// What code on a loop works with: readiness, timers, tasks and the turn's clock.
///
/// It never leaves its loop, and neither does what is registered with it.
package final class Reactor {
    /// Runs tasks on this loop.
    package let executor: LoopExecutor
    /// Random bytes from the kernel, for this loop.
    package let random: any RandomSource
    /// Where both times come from.
    package let clock: any LoopClock
    private let selector: Selector
    private let counters: LoopCounters
    private let logger: Logger
    private var registrations = RegistrationTable()
    private var urgent = UrgentDescriptors()
    private var timers = TimerQueue()
    private var observers: [any TurnObserver] = []
    /// For jobs.
    let tasks = TaskPool()
    private var turnStart: MonotonicTime
    private var turnWallTime: WallTime?
    /// Slow turns since the last line about one, and when the next line may be written.
    private var unreportedSlowTurns = 0
    private var nextSlowTurnLine = MonotonicTime(nanoseconds: 0)
    /// Set while the loop's thread runs.
    private(set) var loop: EventLoop?

    init(executor: LoopExecutor, clock: any LoopClock, logger: Logger, counters: LoopCounters) throws(IOError) {
        self.executor = executor
        self.clock = clock
        self.logger = logger
        self.counters = counters
        random = KernelRandom()
        turnStart = clock.monotonicNow()
        selector = try Selector()
        try selector.add(executor.wakeDescriptor, mask: Interest.readable.mask(.level), data: Reactor.wakeUpData)
    }

    /// The present, read once per turn.
    package var now: MonotonicTime { turnStart }

    /// The calendar time, read at most once per turn.
    package var wallNow: WallTime {
        if let time = turnWallTime { return time }
        let time = clock.now()
        turnWallTime = time
        return time
    }

    // MARK: Readiness

    /// Registers a handler for the readiness of a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: Open, non-blocking, registered once at a time. Remove the registration before it is closed.
    ///   - isUrgent: Whether it goes before all others when more is ready than one turn takes; for the few connections that
    ///     many requests wait for. A report may then be about bytes that were read already.
    ///   - handler: Held until the registration is removed.
    /// - Returns: The name of the registration.
    /// - Throws: `IOError` when the kernel refuses the descriptor or it is registered already.
    package func add(
        _ descriptor: Int32,
        interest: Interest,
        trigger: Trigger,
        isUrgent: Bool = false,
        handler: any ReadinessHandler
    ) throws(IOError) -> Registration {
        guard descriptor >= 0, !registrations.holds(descriptor) else {
            throw IOError(code: descriptor < 0 ? IOError.invalidArgument : IOError.exists, operation: "epoll_ctl")
        }
        let registration = registrations.insert(descriptor, trigger: trigger, handler: handler)
        do {
            try selector.add(descriptor, mask: interest.mask(trigger), data: registration.packed)
        } catch {
            _ = registrations.remove(registration)
            throw error
        }
        if isUrgent { urgent.add(registration) }
        return registration
    }

    /// Changes what is reported to a registration.
    ///
    /// - Parameters:
    ///   - registration: One that was removed is left alone.
    /// - Throws: `IOError` when the kernel refuses.
    package func modify(_ registration: Registration, interest: Interest) throws(IOError) {
        guard let trigger = registrations.trigger(of: registration) else { return }
        try selector.modify(registration.descriptor, mask: interest.mask(trigger), data: registration.packed)
    }

    /// Stops telling a handler, also about what has happened in this turn already.
    ///
    /// - Parameter registration: One that was removed before is left alone.
    package func remove(_ registration: Registration) {
        guard registrations.remove(registration) else { return }
        urgent.remove(registration)
        selector.remove(registration.descriptor)
    }

    /// Stops telling a handler about a descriptor that the caller closes right away, which spares a system call.
    package func removeBeforeClose(_ registration: Registration) {
        if registrations.remove(registration) { urgent.remove(registration) }
    }

    // MARK: Timers

    /// Runs an action once, after a while.
    ///
    /// - Parameters:
    ///   - delay: From `now`; zero or less means the next turn.
    ///   - action: Held until it runs or is cancelled.
    /// - Returns: The name to cancel it by.
    package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> TimerID {
        let timer = timers.make(stays: false, action)
        timers.arm(timer, due: (now + delay).nanoseconds)
        return timer
    }

    /// Ends a timer of either kind.
    ///
    /// - Parameter timer: One that has run, or was cancelled before, is left alone.
    package func cancel(_ timer: TimerID) {
        timers.cancel(timer)
    }

    /// Makes a timer to be armed again and again; arming it neither allocates nor searches.
    ///
    /// - Parameter action: Held until `cancel`.
    /// - Returns: The name of a timer that is not armed.
    package func makeTimer(_ action: @escaping () -> Void) -> TimerID {
        timers.make(stays: true, action)
    }

    /// Sets or moves the point at which a timer runs its action.
    ///
    /// - Parameters:
    ///   - timer: One that was cancelled is left alone.
    ///   - delay: From `now`.
    package func arm(_ timer: TimerID, after delay: Duration) {
        timers.arm(timer, due: (now + delay).nanoseconds)
    }

    /// Sets or moves the point at which a timer runs its action.
    ///
    /// - Parameters:
    ///   - timer: One that was cancelled is left alone.
    ///   - point: One that has passed means the next turn.
    package func arm(_ timer: TimerID, at point: MonotonicTime) {
        timers.arm(timer, due: point.nanoseconds)
    }

    /// Takes the point of a timer away; it can be armed again.
    ///
    /// - Parameter timer: One that was cancelled is left alone.
    package func disarm(_ timer: TimerID) {
        timers.disarm(timer)
    }

    /// How many timers exist, armed or not.
    package var timerCount: Int { timers.count }

    // MARK: Turns

    /// Adds an observer of the end of each turn, which comes after those added before it.
    ///
    /// - Parameter observer: Held for the life of the loop.
    package func addTurnObserver(_ observer: any TurnObserver) {
        observers.append(observer)
    }
}

// MARK: The turn

extension Reactor {
    /// Marks the wake-up's event; no registration has it, because generations start at one.
    private static let wakeUpData: UInt64 = 0
    /// How often jobs may make further jobs ready before events are looked at again.
    private static let jobRounds = 64

    /// Takes turns until it is stopped, then releases everything that was registered.
    func run(on loop: EventLoop, while goesOn: () -> Bool) {
        self.loop = loop
        executor.takeJobs(self)
        while goesOn() { takeTurn() }
        // A task that waits for a job holds the loop, and with it the loop's descriptors.
        tasks.dismiss()
        executor.runReadyJobs(rounds: 1)
        let released = (registrations, timers, observers)
        registrations.removeAll()
        urgent = UrgentDescriptors()
        timers.removeAll()
        observers = []
        // Only now: what goes with them may cancel timers and remove registrations of its own.
        withExtendedLifetime(released) {}
        self.loop = nil
    }

    private func takeTurn() {
        executor.runReadyJobs(rounds: Reactor.jobRounds)
        for observer in observers { observer.turnWillEnd() }
        let end = clock.monotonicNow()
        if counters.countTurn(from: turnStart, to: end) { noteSlowTurn(end) }
        let count = waitForEvents(timeout(at: end))
        turnStart = clock.monotonicNow()
        turnWallTime = nil
        if count == Selector.capacity { dispatchUrgent() }
        for index in 0..<count { dispatch(selector.event(at: index)) }
        fireTimers()
    }

    /// Writes a slow turn down; at most one line in a second, since what makes one turn slow makes many.
    private func noteSlowTurn(_ end: MonotonicTime) {
        unreportedSlowTurns += 1
        guard end >= nextSlowTurnLine else { return }
        nextSlowTurnLine = end + .seconds(1)
        let milliseconds = Int((end.nanoseconds - turnStart.nanoseconds) / 1_000_000)
        logger.warning(
            "loop.slow_turn",
            [LogField("duration_ms", .integer(milliseconds)), LogField("turns", .integer(unreportedSlowTurns))]
        )
        unreportedSlowTurns = 0
    }

    private func waitForEvents(_ milliseconds: Int32) -> Int {
        do {
            return try selector.wait(milliseconds: milliseconds)
        } catch {
            // Only a broken promise of ours can fail here; the log says which.
            logger.error("loop.wait_failed", [LogField("error", error.description)])
            return 0
        }
    }

    private func dispatch(_ event: (data: UInt64, mask: UInt32)) {
        guard event.data != Reactor.wakeUpData else { return executor.takeJobs(self) }
        registrations.handler(of: Registration(packed: event.data))?.ready(Readiness(mask: event.mask))
    }

    /// Hands out what is urgent before a full batch: epoll reports in the order of arrival, and an answer for which sixty
    /// requests wait would come behind hundreds of new ones.
    private func dispatchUrgent() {
        let asked = urgent  // a handler may change the list
        asked.forEachReady { registrations.handler(of: $0)?.ready(.readable) }
    }

    private func fireTimers() {
        let mark = timers.mark
        while let action = timers.popDue(now: turnStart.nanoseconds, mark: mark) { action() }
    }

    /// Milliseconds until the next timer, rounded up; 0 when there is work, -1 without any.
    private func timeout(at present: MonotonicTime) -> Int32 {
        if executor.hasReadyJobs { return 0 }
        guard let due = timers.nextDue else { return -1 }
        if due <= present.nanoseconds { return 0 }
        guard clock.runsByItself else { return -1 }
        return Int32(clamping: (due - present.nanoseconds) / 1_000_000 + 1)
    }
}
