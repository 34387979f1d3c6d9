import EventIO
package import Primitives

/// Runs several kinds of background work in small steps: a step of each in turn, with a rest before it where the budget of the
/// database's time is used up.
///
/// A kind that has no more to do is due again an interval later. What is left at the end of a run goes on in the next, so no
/// kind waits for another's backlog. What comes first has no rest before it and leaves a debt at most.
package final class SteppedWork {
    /// Does a little; whether there is more to do.
    package typealias Step = () async -> Bool

    /// The time, how to let it pass, and how long the database has worked so far.
    package struct Clock {
        let now: () -> MonotonicTime
        let sleep: (Duration) async -> Void
        let workTime: () -> Duration

        /// A clock whose `workTime` never goes back.
        package init(
            now: @escaping () -> MonotonicTime,
            sleep: @escaping (Duration) async -> Void,
            workTime: @escaping () -> Duration
        ) {
            self.now = now
            self.sleep = sleep
            self.workTime = workTime
        }
    }

    private struct Kind {
        let step: Step
        var due: MonotonicTime
    }

    private let clock: Clock
    private let interval: Duration
    private let first: Step
    private var firstDue: MonotonicTime
    private var kinds: [Kind]
    private var budget: WorkBudget

    /// A rest is cut into such pieces, so that a program that stops need not wait for its end.
    private static let shortRest = Duration.milliseconds(200)

    /// Work of which everything is due.
    ///
    /// - Parameters:
    ///   - first: Comes first in each run in which it is due, once.
    ///   - interval: Between two rounds of each kind.
    ///   - most: What the database may work in any minute.
    package init(first: @escaping Step, steps: [Step], every interval: Duration, perMinute most: Duration, clock: Clock)
    {
        let now = clock.now()
        self.clock = clock
        self.interval = interval
        self.first = first
        firstDue = now
        kinds = steps.map { Kind(step: $0, due: now) }
        budget = WorkBudget(perMinute: most, at: now)
    }

    /// Does what is due, until that is done or the run is over.
    package func run(_ run: RunBudget) async {
        let now = clock.now()
        if firstDue <= now, !run.isSpent {
            _ = await measured(first)
            firstDue = now + interval
        }
        var left = kinds.indices.filter { kinds[$0].due <= now }
        while !left.isEmpty {
            for index in left {
                guard await rest(run) else { return }
                if await measured(kinds[index].step) { continue }
                kinds[index].due = now + interval
                left.removeAll { $0 == index }
            }
        }
    }

    /// Waits until the database may work again; false where the run is over before.
    private func rest(_ run: RunBudget) async -> Bool {
        while !run.isSpent {
            let wait = budget.wait(at: clock.now())
            guard wait > .zero else { return true }
            await clock.sleep(min(wait, SteppedWork.shortRest))
        }
        return false
    }

    private func measured(_ step: Step) async -> Bool {
        let before = clock.workTime()
        let hasMore = await step()
        budget.spend(clock.workTime() - before, at: clock.now())
        return hasMore
    }
}
