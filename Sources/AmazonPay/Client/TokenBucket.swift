/// A limit on how often something may happen: a burst at once, then a steady rate.
///
/// Kept as one number, the time at which the bucket is full again. Purchases may take a token that is not there yet when they
/// are willing to wait for it, so they are served in the order in which they came. Others take none in advance, or a purchase
/// would stand behind them: they are given turns, one for each token that comes back.
struct TokenBucket: Sendable {
    private let burst: Int
    /// The time between two tokens.
    private let interval: Duration
    private var full: Duration?
    /// The last turn that was given, by priority.
    private var lastTurns: [Priority: Duration] = [:]

    /// A full bucket.
    init(_ rate: CallRate) {
        burst = rate.burst
        interval = .seconds(1) / rate.perSecond
    }

    /// When a caller may go on.
    ///
    /// - Parameter isItsTurn: Whether it got `later` and has waited.
    mutating func reserve(
        at now: Duration,
        patience: Duration,
        priority: Priority,
        isItsTurn: Bool = false
    ) -> CallQuota.Reservation {
        guard priority != .purchase else {
            return take(at: now, patience: patience).map { .taken(after: $0) } ?? .never
        }
        var wait = wait(at: now, leaving: kept(from: priority))
        if !isItsTurn, let last = lastTurns[priority], last > now { wait = max(wait, last + interval - now) }
        guard wait > .zero else {
            _ = take(at: now, patience: .zero)
            return .taken(after: .zero)
        }
        guard wait <= patience else { return .never }
        if !isItsTurn { lastTurns[priority] = now + wait }
        return .later(wait)
    }

    /// How long to wait before the next event; `nil`, with nothing taken, when that is longer than the patience.
    mutating func take(at now: Duration, patience: Duration) -> Duration? {
        let wait = wait(at: now)
        guard wait <= patience else { return nil }
        full = max(full ?? now, now) + interval
        return wait
    }

    /// How long until a token is there, and as many more as are to be left.
    func wait(at now: Duration, leaving kept: Int = 0) -> Duration {
        max(.zero, max(full ?? now, now) - interval * (burst - 1 - kept) - now)
    }

    /// How many tokens are kept for those above a priority: a third of the burst for each step, but never all of it.
    private func kept(from priority: Priority) -> Int {
        min((burst + 2) / 3 * priority.rawValue, burst - 1)
    }
}
