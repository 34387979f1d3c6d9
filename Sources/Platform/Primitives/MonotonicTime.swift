/// A point on the clock that only goes forward.
package struct MonotonicTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since the machine started.
    package let nanoseconds: UInt64

    /// The given point.
    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Microseconds since the machine started, as limits and caches count.
    package var microseconds: Int64 { Int64(nanoseconds / 1000) }

    /// The point a duration later, held at the ends of the range.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let distance = duration.wholeNanoseconds
        let (sum, overflow) =
            distance < 0
            ? time.nanoseconds.subtractingReportingOverflow(distance.magnitude)
            : time.nanoseconds.addingReportingOverflow(distance.magnitude)
        guard overflow else { return MonotonicTime(nanoseconds: sum) }
        return MonotonicTime(nanoseconds: distance < 0 ? 0 : .max)
    }

    /// How much later the first point is.
    ///
    /// - Returns: Negative when the order is the other way round.
    package static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
        let distance = Int64(clamping: left.nanoseconds.subtractingReportingOverflow(right.nanoseconds).partialValue)
        guard left < right else { return .nanoseconds(distance) }
        return .nanoseconds(-Int64(clamping: right.nanoseconds - left.nanoseconds))
    }
}

/// A source of the monotonic time: a parameter of every limit, cache and wait.
package protocol MonotonicClock: Sendable {
    /// The present on the clock that only goes forward.
    func monotonicNow() -> MonotonicTime
}

extension Duration {
    /// The duration in nanoseconds, held at the ends of the range of `Int64` (292 years).
    package var wholeNanoseconds: Int64 {
        let parts = components
        let (product, overflow) = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(parts.attoseconds / 1_000_000_000)
        guard overflow || carry else { return sum }
        return parts.seconds < 0 ? .min : .max
    }
}
