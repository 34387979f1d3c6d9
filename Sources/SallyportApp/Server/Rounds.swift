import EventIO
import Primitives

/// A periodic task of one loop: a run, a pause, a run.
final class Rounds {
    private let reactor: Reactor
    private let times: Times
    private let bell: RoundBell
    private let body: (RunBudget) async -> Void
    private var isStopped = false
    private var isRunning = false

    /// Looks this often whether the run that is under way has ended.
    private static let shortPause = Duration.milliseconds(20)

    /// How often and how long.
    struct Times {
        /// Between two runs.
        let pause: Duration
        /// After which a run begins no further step.
        let budget: Duration
    }

    /// A periodic task of the present loop.
    ///
    /// - Parameters:
    ///   - reactor: The loop's.
    ///   - times: How often and how long.
    ///   - bell: Rung for each run.
    ///   - body: One run, which looks at its budget between two steps.
    init(_ reactor: Reactor, _ times: Times, bell: RoundBell, _ body: @escaping (RunBudget) async -> Void) {
        self.reactor = reactor
        self.times = times
        self.bell = bell
        self.body = body
    }

    /// Begins; the first run at once, so that what a crash left behind is taken up without a wait.
    func start() {
        reactor.startTask { await self.takeRounds() }
    }

    /// Ends after the step that is under way, and waits for that.
    ///
    /// - Parameter limit: How long to wait.
    func stop(within limit: Duration) async {
        isStopped = true
        let deadline = reactor.now + limit
        while isRunning, reactor.now < deadline { await reactor.sleep(for: Rounds.shortPause) }
    }

    private func takeRounds() async {
        while !isStopped {
            let round = bell.begin()
            let deadline = reactor.now + times.budget
            isRunning = true
            await body(RunBudget { self.isStopped || self.reactor.now >= deadline })
            isRunning = false
            bell.end(round)
            await reactor.sleep(for: times.pause)
        }
        bell.close()
    }
}
