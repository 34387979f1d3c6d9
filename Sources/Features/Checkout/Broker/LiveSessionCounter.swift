package import Primitives
package import SessionBroker

/// Keeps the number of live sessions for the limits of the process: reads one slice after another, as they become due.
///
/// One per process is enough. Nothing is written, so those of several processes do not disturb each other.
package final class LiveSessionCounter {
    private let store: PostgresSessionStore
    private let limits: WebviewSessionLimits
    private let clock: any WallClock
    private let batch: Int
    private var count: LiveSessionCount

    /// A counter without a count yet.
    ///
    /// - Parameters:
    ///   - store: Of the same loop.
    ///   - limits: Gets the number of live sessions, and has the number that this process has issued.
    ///   - clock: By which the ids of sessions are made.
    ///   - batch: How many sessions one statement reads; 4,000 are some 6 ms of the database's work.
    package init(
        store: PostgresSessionStore,
        limits: WebviewSessionLimits,
        life: Duration,
        clock: any WallClock,
        batch: Int = 4_000
    ) {
        self.store = store
        self.limits = limits
        self.clock = clock
        self.batch = max(1, batch)
        count = LiveSessionCount(life: life)
    }

    /// How many sessions are live, by the last count and what was issued since; `nil` before there is one.
    package var live: Int? { limits.liveWebviewSessions }

    /// Reads what is due, one batch of it.
    ///
    /// - Returns: False where nothing is due.
    /// - Throws: `unavailable`, `fault`; the next call begins with the same batch.
    package func step() async throws(StoreError) -> Bool {
        let reading = count.next(at: clock.now(), issued: limits.issuedCount, isNear: limits.isNearTotal)
        guard let reading else { return false }
        let step = try await store.countLive(from: reading.from, until: reading.until, limit: batch)
        count.take(live: step.live, last: step.last)
        limits.setLiveWebviewSessions(count.total)
        return true
    }
}
