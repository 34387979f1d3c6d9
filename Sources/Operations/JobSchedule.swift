package import EventIO

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
    private let isFirst: Bool

    /// The schedule of a loop.
    ///
    /// - Parameters:
    ///   - jobs: Of the process.
    ///   - reactor: Of the loop.
    ///   - isFirst: Whether it is the one that has the jobs of `oneLoop`.
    package init(_ jobs: Jobs, on reactor: Reactor, isFirst: Bool) {
        self.jobs = jobs
        self.reactor = reactor
        self.isFirst = isFirst
    }

    /// Schedules a job; see `Jobs.every`.
    package func every(
        _ pause: Duration,
        budget: Duration,
        on place: Place = .oneLoop,
        _ run: @escaping (RunBudget) async -> Void
    ) {
        guard isFirst || place == .eachLoop else { return }
        jobs.every(pause, budget: budget, on: reactor, run)
    }
}
