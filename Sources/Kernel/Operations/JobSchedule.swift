package import EventIO
import Primitives
package import Telemetry

/// What the parts of one loop schedule their jobs on.
package struct JobSchedule {
    /// Where a job runs.
    package enum Place: Sendable {
        /// On the first loop of the process alone.
        case oneLoop
        /// On every loop.
        case eachLoop
    }

    private let jobs: Jobs
    private let reactor: Reactor
    private let end: StopSignal
    private let logger: Logger
    /// Work on tables in small steps; `nil` on a loop that does none.
    package let upkeep: Upkeep?

    /// The schedule of a loop.
    ///
    /// - Parameters:
    ///   - upkeep: Of the first loop, which has the jobs of `oneLoop`; `nil` for another loop.
    ///   - end: Ends what `keep` has begun.
    package init(_ jobs: Jobs, on reactor: Reactor, _ upkeep: Upkeep?, end: StopSignal, logger: Logger) {
        self.jobs = jobs
        self.reactor = reactor
        self.upkeep = upkeep
        self.end = end
        self.logger = logger
    }

    /// Schedules a job.
    ///
    /// As `Jobs.every`; a run that fails is written down, and is followed by the next.
    ///
    /// - Parameter name: In log lines, for example `note.prune`.
    /// - Returns: What wakes it before its time; `nil` on a loop that does not have it.
    @discardableResult
    package func every(
        _ pause: Duration,
        budget: Duration,
        on place: Place = .oneLoop,
        _ name: String,
        _ run: @escaping (RunBudget) async throws -> Void
    ) -> JobAlarm? {
        guard upkeep != nil || place == .eachLoop else { return nil }
        let logger = logger
        // Without a capture list: see `Reactor.startTask`.
        return jobs.every(pause, budget: budget, on: reactor) { budget in
            do {
                try await run(budget)
            } catch {
                let fields = [LogField("job", name), LogField("detail", String(reflecting: error))]
                logger.warning("job.failed", fields)
            }
        }
    }

    /// Runs a body when the jobs stop, as one of them.
    package func whenStopped(_ body: @escaping () async -> Void) {
        jobs.whenStopped(on: reactor, body)
    }

    /// Lets what is under way come to its end when nothing is served any more, before the database is left, for as long as a stop
    /// may take in all.
    package func finish(_ isDone: @escaping () -> Bool) {
        let (reactor, drain) = (reactor, jobs.drain)
        var deadline = reactor.now
        jobs.whenStopped(on: reactor) { deadline = reactor.now + drain }
        reactor.onStop(end) {
            while !isDone(), reactor.now < deadline { await reactor.sleep(for: JobSchedule.pause) }
        }
    }

    private static let pause = Duration.milliseconds(20)

    /// Begins work that goes on until the process stops, on the first loop of the process alone.
    ///
    /// - Parameters:
    ///   - stop: Ends it, and waits for what it holds; called when nothing is served any more, before the database is left.
    package func keep(_ run: @escaping () async -> Void, stop: @escaping () async -> Void) {
        guard upkeep != nil else { return }
        reactor.startTask { await run() }
        reactor.onStop(end) { await stop() }
    }
}
