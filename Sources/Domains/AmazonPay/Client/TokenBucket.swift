/// A limit on how often something may happen: a burst at once, then a steady rate.
///
/// Kept as one number, the time at which the bucket is full again. Purchases of the program itself may take a token that is not
/// there yet when they are willing to wait for it, so they are served in the order in which they came. Others take none in
/// advance, or such a purchase would stand behind them: they queue, and ask again when it is their turn.
struct TokenBucket: Sendable {
    private let burst: Int
    /// The time between two tokens.
    private let interval: Duration
    private var full: Duration?
    /// Those who wait, by raw value of the priority.
    private var queues = Priority.allCases.map { _ in FairQueue() }

    /// A full bucket.
    init(_ rate: CallRate) {
        burst = rate.burst
        interval = .seconds(1) / rate.perSecond
    }

    /// When a caller may go on.
    ///
    /// - Parameter ticket: What it got with `later`, having waited.
    mutating func reserve(
        at now: Duration,
        patience: Duration,
        priority: Priority,
        asker: CallAsker = .program,
        ticket: CallTicket? = nil
    ) -> CallQuota.Reservation {
        guard priority != .purchase || asker != .program else {
            return take(at: now, patience: patience).map { .taken(after: $0) } ?? .never
        }
        // Where nothing is kept, the bucket being small, those above it come first all the same.
        let above = queues[..<priority.rawValue].reduce(0) { $0 + $1.count(at: now) }
        let ahead = above + queues[priority.rawValue].ahead(of: asker, ticket, at: now)
        let wait = wait(at: now, leaving: kept(from: priority) + ahead)
        guard wait > .zero else {
            _ = take(at: now, patience: .zero)
            if let ticket { queues[priority.rawValue].leave(ticket, isServed: true) }
            return .taken(after: .zero)
        }
        guard wait <= patience else { return .never }
        if let ticket {
            queues[priority.rawValue].postpone(ticket, until: now + wait)
            return .later(wait, ticket)
        }
        return queues[priority.rawValue].join(asker, due: now + wait).map { .later(wait, $0) } ?? .crowded
    }

    /// Gives up a place in the queue; nothing happens where it is not held any more.
    mutating func leave(_ ticket: CallTicket, priority: Priority) {
        queues[priority.rawValue].leave(ticket, isServed: false)
    }

    /// Whether less than half is left of what a priority may take at once.
    func isScarce(for priority: Priority, at now: Duration) -> Bool {
        let kept = kept(from: priority)
        return wait(at: now, leaving: kept + (burst - kept) / 2) > .zero
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
