import Primitives

/// Keeps the tables in order: expires what is overdue, makes and drops partitions, counts live flows for the limits.
///
/// One per process is enough; several, also of several processes, do not disturb each other. `run` is called by a timer.
///
/// A flow that is overdue is refused by every statement whether it is swept or not; the sweep only writes the end into the row
/// and the trail. So it takes its time: it visits each flow once, when its absolute deadline is over.
///
/// How far it has come is noted in the store, so that a new process does not begin with all flows that are kept. The mark stays
/// before the first flow that has not ended, and every hour the sweep goes back to that one.
package final class Sweeper {
    private let store: any SessionStore
    private let limits: FlowLimits
    private let batch: Int
    private let countsPerRound: Int
    private var cursor: FlowID?
    /// The first flow behind the last mark that was visited and had not ended.
    private var held: FlowID?
    private var roundsUntilMark = 0
    private var live = 0
    private var roundsUntilCount = 0

    /// An hour of rounds.
    private static let roundsPerMark = 60
    /// A process whose clock is wrong by a day may have made flows before the mark since it was noted.
    private static let clockDoubt: UInt64 = 86_400_000

    /// A sweeper that starts where others have come to, or with the oldest flow.
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
        try await chooseStart()
        repeat {
            step = try await store.sweep(after: cursor, limit: batch, by: caller)
            cursor = step.last ?? cursor
            held = held ?? step.held
            visited += step.visited
            expired += step.expired
        } while step.visited == batch
        try await noteMark()
        try await countLive()
        return SweepReport(visited: visited, expired: expired, live: live, partitions: partitions)
    }

    /// A new process begins a day before the mark; once an hour a flow that had not ended is visited again.
    private func chooseStart() async throws(BrokerError) {
        if let held, roundsUntilMark == 0 {
            cursor = Sweeper.moment(held, earlierBy: 1)
            self.held = nil
        } else if cursor == nil, let mark = try await store.sweepMark() {
            cursor = Sweeper.moment(mark, earlierBy: Sweeper.clockDoubt)
        }
    }

    private func noteMark() async throws(BrokerError) {
        guard roundsUntilMark == 0 else {
            roundsUntilMark -= 1
            return
        }
        if let mark = held ?? cursor { try await store.noteSweepMark(mark) }
        roundsUntilMark = Sweeper.roundsPerMark
    }

    /// The least id of some milliseconds before that of a flow.
    private static func moment(_ flow: FlowID, earlierBy milliseconds: UInt64) -> FlowID {
        let moment = flow.high >> 16
        return FlowID(high: (moment - min(moment, milliseconds)) << 16, low: 0)
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
