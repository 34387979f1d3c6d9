/// Pauses between tries: each bound twice the last one, and a draw below it, so that many who failed together do not come back
/// together.
package struct Backoff: Sendable {
    /// The longest pause after the first failure; doubles with each.
    package var base: Duration
    /// The longest pause of all.
    package var cap: Duration
    /// The part of its bound that a pause has at least, 0 to 1.
    package var least: Double

    /// Pauses from nothing to their bound, or from a part of it.
    package init(base: Duration, cap: Duration, least: Double = 0) {
        self.base = base
        self.cap = cap
        self.least = least
    }

    /// The pause before the next try.
    ///
    /// - Parameters:
    ///   - failures: How many tries have failed, one or more.
    ///   - random: Supplies eight bytes.
    package func pause(after failures: Int, random: any RandomSource) -> Duration {
        let bound = min(cap, base * (1 << min(max(failures - 1, 0), 16)))
        // 53 bits, exactly what a Double holds.
        let draw = Double(random.number(byteCount: 8) >> 11) / Double(1 << 53)
        return bound * (least + (1 - least) * draw)
    }
}
