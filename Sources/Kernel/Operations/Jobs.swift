package import EventIO
import Primitives

/// The periodic work of a process: each job runs, pauses and runs again on a loop, until all are stopped.
package final class Jobs: Sendable {
    /// How long the stop waits for what is under way.
    let drain: Duration
    private let shortened: Duration?
    private let stopping = StopSignal()
    private let barriers = Lock<[JobBarrier]>([])

    /// No jobs yet.
    ///
    /// - Parameters:
    ///   - drain: How long the stop waits for the step that is under way.
    ///   - shortened: The pause of every job, for tests; `nil` for each one's own.
    package init(drain: Duration, shortenedTo shortened: Duration? = nil) {
        self.drain = drain
        self.shortened = shortened
    }

    /// Whether the pauses are those of a test.
    package var isShortened: Bool { shortened != nil }

    /// Schedules a job on the present loop; its first run begins at once, so that what a crash left behind is taken up without
    /// a wait.
    ///
    /// - Parameters:
    ///   - pause: Between two runs.
    ///   - budget: After which a run begins no further step.
    ///   - run: Asks its budget between two steps.
    /// - Returns: What wakes it before its time.
    @discardableResult
    package func every(
        _ pause: Duration,
        budget: Duration,
        on reactor: Reactor,
        _ run: @escaping (RunBudget) async -> Void
    ) -> JobAlarm {
        let barrier = JobBarrier()
        barriers.withLock { $0.append(barrier) }
        let job = Job(reactor, pause: shortened ?? pause, budget: budget, barrier, run)
        job.start()
        let drain = drain
        whenStopped(on: reactor) { await job.stop(within: drain) }
        return JobAlarm { job.wake() }
    }

    /// Runs a body on a loop when the jobs stop, as one of them.
    package func whenStopped(on reactor: Reactor, _ body: @escaping () async -> Void) {
        reactor.onStop(stopping, body)
    }

    /// Waits for a run of each job that begins after this call; returns at once for those that have stopped.
    ///
    /// Tests wait for it instead of for a while.
    package func nextRuns() async {
        await withTaskGroup { group in
            for barrier in barriers.withLock({ $0 }) { group.addTask { await barrier.nextRun() } }
        }
    }

    /// Begins no further step, and waits for those that are under way.
    package func stop() async {
        await stopping.stop()
    }
}

/// Wakes a job of the same loop.
package struct JobAlarm {
    private let ring: () -> Void

    fileprivate init(_ ring: @escaping () -> Void) { self.ring = ring }

    /// Ends the pause; a run that is under way is followed by another one at once.
    package func wake() { ring() }
}

/// One periodic task of a loop.
private final class Job {
    private let reactor: Reactor
    private let pause: Duration
    private let budget: Duration
    private let barrier: JobBarrier
    private let run: (RunBudget) async -> Void
    private var isStopped = false
    private var isRunning = false
    private var isAskedAgain = false
    private var sleeper: Suspension<Void>?
    private var timer: TimerID?

    /// Looks this often whether the run that is under way has ended.
    private static let shortPause = Duration.milliseconds(20)

    init(
        _ reactor: Reactor,
        pause: Duration,
        budget: Duration,
        _ barrier: JobBarrier,
        _ run: @escaping (RunBudget) async -> Void
    ) {
        self.reactor = reactor
        self.pause = pause
        self.budget = budget
        self.barrier = barrier
        self.run = run
    }

    func start() {
        reactor.startTask { await self.repeatRuns() }
    }

    func stop(within limit: Duration) async {
        isStopped = true
        let deadline = reactor.now + limit
        while isRunning, reactor.now < deadline { await reactor.sleep(for: Job.shortPause) }
    }

    private func repeatRuns() async {
        while !isStopped {
            let waiters = barrier.beginRun()
            let deadline = reactor.now + budget
            isRunning = true
            await run(RunBudget { self.isStopped || self.reactor.now >= deadline })
            isRunning = false
            for waiter in waiters { waiter.resume() }
            await waitForNext()
        }
        barrier.close()
    }

    private func waitForNext() async {
        await reactor.suspend { suspension in
            sleeper = suspension
            // Looked at in here: before the suspension another job of the loop may run, and ask for a run. Others have a turn in
            // between, however often one is asked for.
            timer = reactor.schedule(after: isAskedAgain ? .zero : pause) { self.goOn() }
            isAskedAgain = false
        } onCancel: {
            self.goOn()
        }
    }

    private func goOn() {
        guard let sleeper else { return }
        self.sleeper = nil
        if let timer { reactor.cancel(timer) }
        sleeper.resume()
    }

    func wake() {
        if sleeper == nil { isAskedAgain = true } else { goOn() }
    }
}
