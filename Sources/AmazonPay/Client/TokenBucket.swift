/// A limit on how often something may happen: a burst at once, then a steady rate.
///
/// Kept as one number, the time at which the bucket is full again. A caller may take a token that is not there yet when
/// it is willing to wait for it; so waiters are served in the order in which they came.
struct TokenBucket: Sendable {
    /// The time between two tokens.
    private let interval: Duration
    /// How far ahead of the clock the bucket may be.
    private let tolerance: Duration
    /// How much of it is kept for those who are waited for: a quarter of the burst, but never all of it.
    private let kept: Duration
    private var full: Duration?

    /// A full bucket.
    init(burst: Int, perSecond rate: Double) {
        interval = .seconds(1) / rate
        tolerance = interval * max(0, burst - 1)
        kept = interval * max(0, min((burst + 3) / 4, burst - 1))
    }

    /// How long to wait before the next event; `nil`, with nothing taken, when that is longer than the patience.
    mutating func take(at now: Duration, patience: Duration) -> Duration? {
        let start = max(full ?? now, now)
        let wait = max(.zero, start - tolerance - now)
        guard wait <= patience else { return nil }
        full = start + interval
        return wait
    }

    /// How long until a token is there that nobody will miss; zero or less where one is.
    func waitForSpare(at now: Duration) -> Duration {
        max(full ?? now, now) - (tolerance - kept) - now
    }
}
