import Primitives

/// How long to wait before the next attempt to connect: doubling, bounded, half of it chance.
///
/// Chance keeps the loops of many machines from knocking at the same instant when a server comes back.
struct BackOff {
    private let first: Duration
    private let maximum: Duration
    private var failures = 0

    init(first: Duration, maximum: Duration) {
        self.first = first
        self.maximum = maximum
    }

    /// The wait after one more failure.
    mutating func next(_ random: any RandomSource) -> Duration {
        let base = min(maximum, first * (1 << min(failures, 16)))
        failures += 1
        let chance = random.bytes(2).reduce(0) { $0 << 8 | Int($1) }
        return base / 2 + base * chance / 131_070
    }

    /// A connection was made.
    mutating func reset() {
        failures = 0
    }
}
