import Primitives

/// Keeps the tables in order: expires what is overdue, makes and drops partitions, counts live flows for the limits.
///
/// One per process is enough; several, also of several processes, do not disturb each other. `run` is called by a timer.
///
/// A flow that is overdue is refused by every statement whether it is swept or not; the sweep only writes the end into the row
/// and the trail. So it takes its time: it visits each flow once, when its absolute deadline is over.
package final class Sweeper {
    private let store: any SessionStore
    private let limits: FlowLimits
    private let batch: Int
    private let countsPerRound: Int
    private var cursor: FlowID?
    private var live = 0
    private var roundsUntilCount = 0

    /// A sweeper that starts with the oldest flows it may find.
    ///
    /// - Parameters:
    ///   - store: Of the same loop.
    ///   - limits: Told how many flows are live.
    ///   - batch: How many flows one statement looks at.
    ///   - countsPerRound: How many flows a round may count on average; 50,000 are some 30 ms of the database's work.
    package init(store: any SessionStore, limits: FlowLimits, batch: Int = 1_000, countsPerRound: Int = 50_000) {
        self.store = store
        self.limits = limits
        self.batch = max(1, batch)
        self.countsPerRound = max(1, countsPerRound)
    }

    /// One round of upkeep.
    ///
    /// - Parameter request: A unique id, for the audit trail.
    /// - Returns: What was done.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`; the next round continues where this one stopped.
    package func run(request: String) async throws(BrokerError) -> SweepReport {
        let partitions = try await store.maintainPartitions()
        let caller = Caller(internal: "sweep", request: request)
        var visited = 0
        var expired = 0
        var step: SweepStep
        repeat {
            step = try await store.sweep(after: cursor, limit: batch, by: caller)
            cursor = step.last ?? cursor
            visited += step.visited
            expired += step.expired
        } while step.visited == batch
        try await countLive()
        return SweepReport(visited: visited, expired: expired, live: live, partitions: partitions)
    }

    /// Counts the live flows for the limit.
    ///
    /// That visits each of them, so the more there are the rarer it is done, unless their number is near the limit: in between the
    /// limits count what is issued.
    private func countLive() async throws(BrokerError) {
        guard roundsUntilCount == 0 || limits.isNearTotal else {
            roundsUntilCount -= 1
            return
        }
        live = try await store.countLive(limit: (limits.greatestTotal ?? SweepReport.countLimit) + 1)
        limits.setLiveFlows(live)
        roundsUntilCount = live / countsPerRound
    }
}

/// What a round of upkeep did.
package struct SweepReport: Sendable, Equatable {
    /// How many flows were looked at.
    package let visited: Int
    /// How many of them expired now.
    package let expired: Int
    /// How many flows are live, counted up to the limit.
    package let live: Int
    /// Partitions made and dropped.
    package let partitions: PartitionWork

    /// How far to count without a limit of the policy.
    static let countLimit = 1_000_000
}
