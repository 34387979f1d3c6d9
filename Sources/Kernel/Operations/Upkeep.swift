package import EventIO

/// Background work of all features on the tables of a process, in small steps that share one part of the database's time.
///
/// Made on the first loop, and never leaves it.
package final class Upkeep {
    private var first: [() async -> Void] = []
    private var steps: [SteppedWork.Step] = []
    private var endings: [() -> Void] = []
    private let interval: Duration
    private let workPerMinute: Duration

    /// Between two runs.
    private static let pause = Duration.seconds(5)
    /// A run begins no further step behind it.
    private static let budget = Duration.seconds(55)

    /// Work that is not begun yet.
    ///
    /// - Parameter isHurried: Whether each kind is due again at once, without a limit on the database's time: for tests.
    package init(isHurried: Bool) {
        interval = isHurried ? .zero : .seconds(60)
        workPerMinute = .seconds(isHurried ? 3_600 : 3)
    }

    /// Adds a step that comes before all others and waits for nothing: what is lost for good when it is late.
    package func addFirst(_ step: @escaping () async -> Void) { first.append(step) }

    /// Adds a kind of work.
    ///
    /// - Parameter step: Does a little; whether there is more to do.
    package func add(_ step: @escaping SteppedWork.Step) { steps.append(step) }

    /// Adds what follows each run, for example a log line of all that its steps have done.
    package func addEnding(_ body: @escaping () -> Void) { endings.append(body) }

    /// Begins the work as one job of the loop.
    ///
    /// - Parameter workTime: How long the database has worked so far.
    package func start(_ jobs: Jobs, on reactor: Reactor, workTime: @escaping () -> Duration) {
        let (first, endings) = (first, endings)
        let work = SteppedWork(
            first: {
                for step in first { await step() }
                return false
            },
            steps: steps,
            every: interval,
            perMinute: workPerMinute,
            clock: SteppedWork.Clock(
                now: { reactor.now },
                sleep: { await reactor.sleep(for: $0) },
                workTime: workTime
            )
        )
        jobs.every(Upkeep.pause, budget: Upkeep.budget, on: reactor) { budget in
            await work.run(budget)
            for ending in endings { ending() }
        }
    }
}
