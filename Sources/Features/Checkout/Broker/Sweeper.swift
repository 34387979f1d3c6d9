import Postgres
package import Primitives
package import SessionBroker

/// Expires what is overdue, some webview sessions at a time.
///
/// One per process is enough; several, also of several processes, do not disturb each other.
///
/// A webview session that is overdue is refused by every statement whether it is swept or not; the sweep only writes the end
/// into the row and the trail. So it takes its time: it visits each webview session once, when its absolute deadline is over.
///
/// How far it has come is noted in the store, so that a new process does not begin with all webview sessions that are kept. The
/// mark stays before the first webview session that has not ended, and every hour the sweep goes back to that one.
///
/// A step that the database refuses is repeated with half as many, down to the row that is refused. That one is written down and passed
/// over; every hour those that are due are tried again by themselves. So no row holds up another, and the mark passes it.
package final class Sweeper {
    private let store: PostgresSessionStore
    private var batch: HalvedBatch
    private var cursor: WebviewSessionID?
    /// The first webview session behind the last mark that was visited and had not ended.
    private var held: WebviewSessionID?
    private var roundsUntilMark = 0
    /// Whether the next step is the first of a round.
    private var isRoundOver = true
    /// What was refused before and is tried again at the beginning of this round.
    private var retried: [WebviewSessionID] = []

    /// An hour of rounds, one a minute.
    private static let roundsPerMark = 60
    /// A process whose clock is wrong by a day may have made webview sessions before the mark since it was noted.
    private static let clockDoubt: UInt64 = 86_400_000

    /// A sweeper that starts where others have come to, or with the oldest webview session.
    ///
    /// - Parameters:
    ///   - store: Of the same loop.
    ///   - batch: How many webview sessions one statement reads; 500 that end are some 20 ms of the database's work.
    package init(store: PostgresSessionStore, batch: Int = 500) {
        self.store = store
        self.batch = HalvedBatch(batch)
    }

    /// Visits some webview sessions, from where the last step ended.
    ///
    /// - Parameter request: A unique id, for the audit trail.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`; the next step begins where this one did.
    package func step(request: String) async throws(StoreError) -> SweepReport {
        if isRoundOver { try await chooseStart() }
        isRoundOver = false
        let caller = Caller(internal: "sweep", request: request)
        if let again = retried.popLast() { return try await retry(again, by: caller) }
        let limit = batch.size
        switch try await store.sweep(after: cursor, limit: limit, by: caller) {
        case .done(let rows):
            let step = try rows.first()
            batch.passed()
            cursor = step.last ?? cursor
            held = held ?? step.held
            if step.visited < limit {
                try await noteMark()
                isRoundOver = true
            }
            return SweepReport(visited: step.visited, expired: step.expired, isLast: isRoundOver)
        case .refused(let state):
            guard batch.refused() else { return SweepReport() }
            let refused = try await store.next(after: cursor ?? UUIDBytes(high: 0, low: 0))
            guard let refused else { return SweepReport() }
            try await store.noteSkipped(refused, by: .sweep, sqlState: state)
            cursor = refused
            return SweepReport(visited: 1, skipped: (refused, state))
        }
    }

    /// Tries one again that was refused an hour ago or longer.
    private func retry(_ webviewSession: WebviewSessionID, by caller: Caller) async throws(StoreError) -> SweepReport {
        switch try await store.sweep(after: Sweeper.predecessor(of: webviewSession), limit: 1, by: caller) {
        case .done(let rows):
            let step = try rows.first()
            try await store.forgetSkipped(webviewSession, by: .sweep)
            return SweepReport(visited: step.visited, expired: step.expired)
        case .refused(let state):
            try await store.noteSkipped(webviewSession, by: .sweep, sqlState: state)
            return SweepReport(visited: 1, skipped: (webviewSession, state))
        }
    }

    private static func predecessor(of id: WebviewSessionID) -> WebviewSessionID {
        WebviewSessionID(high: id.low == 0 ? id.high &- 1 : id.high, low: id.low &- 1)
    }

    /// A new process begins a day before the mark; once an hour a webview session that had not ended is visited again.
    private func chooseStart() async throws(StoreError) {
        if cursor == nil || roundsUntilMark == 0 { retried = try await store.dueSkipped(by: .sweep) }
        if let held, roundsUntilMark == 0 {
            cursor = Sweeper.moment(held, earlierBy: 1)
            self.held = nil
        } else if cursor == nil, let mark = try await store.sweepMark() {
            cursor = Sweeper.moment(mark, earlierBy: Sweeper.clockDoubt)
        }
    }

    private func noteMark() async throws(StoreError) {
        guard roundsUntilMark == 0 else {
            roundsUntilMark -= 1
            return
        }
        if let mark = held ?? cursor { try await store.noteSweepMark(mark) }
        roundsUntilMark = Sweeper.roundsPerMark
    }

    /// The least id of some milliseconds before that of a webview session.
    private static func moment(_ webviewSession: WebviewSessionID, earlierBy milliseconds: UInt64) -> WebviewSessionID {
        let moment = webviewSession.high >> 16
        return WebviewSessionID(high: (moment - min(moment, milliseconds)) << 16, low: 0)
    }
}

/// Expires what is past the nearer of its deadlines long before the sweep comes by, so that merchants hear of it within a minute.
///
/// Each round reads the webview sessions that are younger than any may become, oldest first. What the database refuses is passed over
/// here, and written down by the sweep.
package final class DeadlineSweeper {
    private let store: PostgresSessionStore
    private let life: Duration
    private let clock: any WallClock
    private var batch: HalvedBatch
    private var cursor: WebviewSessionID?

    /// How far apart the clocks of processes and of the database may be; what is missed because of more, the sweep finds.
    private static let skew = Duration.seconds(600)

    /// A sweeper that starts with a round.
    ///
    /// - Parameters:
    ///   - store: Of the same loop.
    ///   - clock: By which the ids of sessions are made.
    ///   - batch: How many webview sessions one statement reads.
    package init(store: PostgresSessionStore, life: Duration, clock: any WallClock, batch: Int = 500) {
        self.store = store
        self.life = life
        self.clock = clock
        self.batch = HalvedBatch(batch)
    }

    /// Visits some webview sessions, from where the last step ended.
    ///
    /// - Parameter request: A unique id, for the audit trail.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`; the next step begins where this one did.
    package func step(request: String) async throws(StoreError) -> SweepReport {
        let start = cursor ?? WebviewSessionID(firstAt: clock.now() + (life + DeadlineSweeper.skew) * -1)
        let caller = Caller(internal: "sweep", request: request)
        let limit = batch.size
        switch try await store.sweep(after: start, olderThan: .zero, limit: limit, by: caller) {
        case .done(let rows):
            let step = try rows.first()
            batch.passed()
            let isLast = step.visited < limit
            cursor = isLast ? nil : step.last
            return SweepReport(visited: step.visited, expired: step.expired, isLast: isLast)
        case .refused:
            guard batch.refused() else {
                cursor = start
                return SweepReport()
            }
            cursor = try await store.next(after: start)
            return SweepReport(visited: 1, isLast: cursor == nil)
        }
    }
}

/// What a step of the sweep did.
package struct SweepReport: Sendable {
    /// How many webview sessions were read.
    package private(set) var visited = 0
    /// How many of them expired now.
    package private(set) var expired = 0
    /// The one that the database refused to change, with its refusal.
    package private(set) var skipped: (webviewSession: WebviewSessionID, sqlState: String)?
    /// Whether there is nothing more to visit for now.
    package private(set) var isLast = false
}
