/// A point on the calendar clock, in UTC.
package struct WallTime: Sendable, Hashable, Comparable, Codable {
    /// Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    package var microseconds: Int64

    /// The given point.
    ///
    /// - Parameter microseconds: Since 1970-01-01T00:00:00Z; negative before it.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The given point.
    ///
    /// - Parameter seconds: Since 1970-01-01T00:00:00Z; negative before it.
    package init(seconds: Int64) {
        microseconds = seconds * 1_000_000
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    package var seconds: Int64 {
        let quotient = microseconds / 1_000_000
        return microseconds % 1_000_000 < 0 ? quotient - 1 : quotient
    }

    package static func < (left: WallTime, right: WallTime) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The point a duration later.
    ///
    /// - Parameters:
    ///   - duration: Taken to the microsecond; negative goes back.
    package static func + (time: WallTime, duration: Duration) -> WallTime {
        let parts = duration.components
        return WallTime(
            microseconds: time.microseconds + parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000
        )
    }
}

/// A source of the calendar time; a parameter of everything that stores or prints one.
package protocol WallClock: Sendable {
    /// The present, in UTC.
    func now() -> WallTime
}
