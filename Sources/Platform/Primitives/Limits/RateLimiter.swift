/// So many events per minute and key: a token bucket.
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

    /// How many events, and how many of them at once.
    package struct Rate: Sendable {
        /// One at least.
        let perMinute: Int
        /// One at least, and no more than `perMinute`.
        let burst: Int

        /// One in a microsecond, the unit that is counted in; more than a process answers.
        package static let greatest = 60_000_000

        /// A rate; by default as many at once as in a minute.
        package init(perMinute: Int, burst: Int? = nil) {
            self.perMinute = max(1, min(perMinute, Rate.greatest))
            self.burst = max(1, min(burst ?? perMinute, self.perMinute))
        }

        /// The rate of several such keys together.
        package func times(_ factor: Int) -> Rate { Rate(perMinute: perMinute * factor, burst: burst * factor) }
    }

    /// A limiter with full buckets.
    ///
    /// - Parameters:
    ///   - perMinute: How many events, one at least; as many at once.
    ///   - capacity: How many keys are held in a generation.
    package init(perMinute: Int, capacity: Int) {
        self.init(Rate(perMinute: perMinute), capacity: capacity)
    }

    /// A limiter with full buckets.
    package init(_ rate: Rate, capacity: Int) {
        interval = RateLimiter.minute / Int64(rate.perMinute)
        depth = interval * Int64(rate.burst - 1)
        fullAt = GenerationCache(capacity: capacity, life: RateLimiter.minute)
    }

    /// A limiter with full buckets of a size of their own.
    ///
    /// - Parameters:
    ///   - burst: How many events at once, one at least.
    ///   - interval: From one event to the next, later; all of them together at most a minute.
    ///   - capacity: How many keys are held in a generation.
    package init(burst: Int, every interval: Duration, capacity: Int) {
        self.interval = max(1, interval.microseconds)
        depth = self.interval * Int64(max(1, burst) - 1)
        fullAt = GenerationCache(capacity: capacity, life: RateLimiter.minute)
    }

    /// How long a key has to wait, without counting an event.
    ///
    /// - Parameters:
    ///   - now: Microseconds.
    /// - Returns: Whole seconds, one at least, or `nil` when it may go on.
    package mutating func wait(_ key: UInt64, at now: Int64) -> Int? {
        guard let full = fullAt.value(for: key, at: now) else { return nil }
        // A clock that was set back would make the wait longer than a bucket is deep.
        let excess = min(full - now, depth + interval) - depth
        return excess > 0 ? Int((excess + 999_999) / 1_000_000) : nil
    }

    /// Counts an event that has room.
    ///
    /// - Parameters:
    ///   - now: Microseconds.
    /// - Returns: The seconds to wait where it has none, or `nil`.
    package mutating func take(_ key: UInt64, at now: Int64) -> Int? {
        if let wait = wait(key, at: now) { return wait }
        count(key, at: now)
        return nil
    }

    /// How many events of a key there is room for at once, and how long it takes until there is room for all.
    ///
    /// - Parameters:
    ///   - now: Microseconds.
    /// - Returns: Events, and whole seconds.
    package mutating func room(_ key: UInt64, at now: Int64) -> (events: Int, seconds: Int) {
        let behind = min(max((fullAt.value(for: key, at: now) ?? now) - now, 0), depth + interval)
        let events = behind > depth ? 0 : (depth - behind) / interval + 1
        return (Int(events), Int((behind + 999_999) / 1_000_000))
    }

    /// Counts an event, whether or not there was room for it.
    ///
    /// - Parameters:
    ///   - now: Microseconds.
    package mutating func count(_ key: UInt64, at now: Int64) {
        let full = fullAt.value(for: key, at: now) ?? now
        let start = min(max(full, now), now + depth + interval)
        fullAt.set(min(start + interval, now + depth + interval), for: key, at: now)
    }
}
