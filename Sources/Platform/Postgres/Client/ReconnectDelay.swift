import Primitives

/// The wait before the next attempt to connect, since the last connection that was made.
struct ReconnectDelay {
    private let backoff: Backoff
    private var failures = 0

    /// Doubles from the first to the maximum; half of each is random.
    init(first: Duration, maximum: Duration) {
        backoff = Backoff(base: first, cap: maximum, least: 0.5)
    }

    /// The wait after one more failure.
    mutating func next(_ random: any RandomSource) -> Duration {
        failures += 1
        return backoff.pause(after: failures, random: random)
    }

    /// A connection was made.
    mutating func reset() {
        failures = 0
    }
}
