/// So many events per minute and key, with a burst of as many.
///
/// One number per key, the time at which its bucket is full again, so the memory is bounded by the cache below and each step is
/// O(1). A key that was quiet for a minute has a full bucket and needs no entry: forgetting it changes nothing. When more keys
/// come within a minute than there is room for, the quietest are forgotten early, which lets them pass too soon, not too late.
package struct RateLimiter: Sendable {
    private var fullAt: GenerationCache<UInt64, Int64>
    /// Microseconds from one event to the next.
    private let interval: Int64
    /// Microseconds that the bucket may be behind.
    private let depth: Int64

    /// How many keys are remembered now.
    package var count: Int { fullAt.count }

    private static let minute: Int64 = 60_000_000

    /// A limiter with full buckets.
    ///
    /// - Parameters:
    ///   - perMinute: How many events, one at least.
    ///   - capacity: How many keys are held in a generation.
    package init(perMinute: Int, capacity: Int) {
        let rate = Int64(max(1, min(perMinute, 1_000_000)))
        interval = RateLimiter.minute / rate
        depth = interval * (rate - 1)
        fullAt = GenerationCache(capacity: capacity, life: RateLimiter.minute)
    }

    /// How long a key has to wait, without counting an event.
    ///
    /// - Parameters:
    ///   - key: Whose bucket.
    ///   - now: Microseconds.
    /// - Returns: Whole seconds, one at least, or `nil` when it may go on.
    package mutating func wait(_ key: UInt64, at now: Int64) -> Int? {
        guard let full = fullAt.value(for: key, at: now) else { return nil }
        // A clock that was set back would make the wait longer than a bucket is deep.
        let excess = min(full - now, depth + interval) - depth
        return excess > 0 ? Int((excess + 999_999) / 1_000_000) : nil
    }

    /// Counts an event, whether or not there was room for it.
    ///
    /// - Parameters:
    ///   - key: Whose bucket.
    ///   - now: Microseconds.
    package mutating func count(_ key: UInt64, at now: Int64) {
        let full = fullAt.value(for: key, at: now) ?? now
        let start = min(max(full, now), now + depth + interval)
        fullAt.set(min(start + interval, now + depth + interval), for: key, at: now)
    }
}
