package import Primitives

/// A calendar clock that runs with the real one, at a distance that a tester sets.
package struct SimulatedClock: Sendable, Equatable, Codable {
    /// How far the simulated time is ahead of the real one, in microseconds.
    private var lead: Int64 = 0

    /// A clock that shows the real time.
    package init() {}

    /// The simulated time at a real one.
    ///
    /// - Returns: The real time plus the lead.
    package func time(at real: WallTime) -> WallTime {
        WallTime(microseconds: real.microseconds &+ lead)
    }

    /// Moves the clock ahead.
    ///
    /// - Parameter duration: Zero or more.
    package mutating func advance(by duration: Duration) {
        let parts = duration.components
        lead &+= parts.seconds &* 1_000_000 &+ parts.attoseconds / 1_000_000_000_000
    }

    /// Makes the clock show a given time from now on.
    ///
    /// - Parameters:
    ///   - real: What the real clock shows at this moment.
    package mutating func set(to time: WallTime, at real: WallTime) {
        lead = time.microseconds &- real.microseconds
    }
}
