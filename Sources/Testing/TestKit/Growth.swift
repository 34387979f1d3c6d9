import EventIO
import Foundation

/// Text from outside that costs nobody more than its octets, unless it is treated as text.
package enum HostileText {
    /// Combining marks in the order that is dearest to sort: all of one class in front of all of a lower one.
    ///
    /// To compare or hash them as text, each of the latter is moved past all of the former: time by the square of the length.
    ///
    /// - Parameter octets: How long; four or more.
    /// - Returns: So many octets, or up to three fewer.
    package static func marks(_ octets: Int) -> String {
        let half = octets / 4
        return String(repeating: "\u{0300}", count: half) + String(repeating: "\u{0316}", count: half)
    }
}

/// How the cost of work grows with the size of what it gets: proof without a clock on the wall.
///
/// The cost is the processor time of the thread, the least of several tries, since a machine that is busy can only add to it. Work
/// that is linear doubles with its size; work by the square of it has four times the cost.
///
/// The thread sanitizer adds costs of its own to every access. There the work is done once, for the sanitizer to watch, and nothing
/// is measured.
package struct Growth: Sendable, CustomStringConvertible {
    /// What was done.
    package let name: String
    /// The least cost of the small size, in nanoseconds.
    package private(set) var small = UInt64.max
    /// The least cost of twice the size.
    package private(set) var large = UInt64.max

    /// Whether the cost at most doubles, with room for the noise of a machine, and short of the square.
    ///
    /// Where other programs use up the caches of the processor, twice the octets were seen to cost 3.15 times as much in each try.
    package var isLinear: Bool { !Self.isMeasured || large <= small / 10 * 33 }

    /// For a report.
    package var description: String { "\(name): \(small / 1_000) us, and \(large / 1_000) us for twice as much" }

    private static let tries = 40
    /// The options are set for this sanitizer alone (scripts/run-tests).
    private static let isMeasured = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil

    private init(_ name: String) {
        self.name = name
    }

    /// Measures work that does not wait.
    ///
    /// - Parameters:
    ///   - size: In octets; the work is also done with twice as many.
    ///   - work: Done with either size several times, until the outcome is good or no better outcome is to be expected.
    /// - Throws: What the work throws.
    package static func of<Failure>(
        _ name: String,
        size: Int,
        _ work: (Int) throws(Failure) -> Void
    ) throws(Failure) -> Growth {
        var growth = Growth(name)
        for _ in 0..<tries {
            // Twice: one that something else has made dearer would let the square pass for twice as much.
            for _ in 0..<2 { growth.small = min(growth.small, try cost { () throws(Failure) in try work(size) }) }
            growth.large = min(growth.large, try cost { () throws(Failure) in try work(2 * size) })
            if growth.isLinear { break }
        }
        return growth
    }

    /// Measures work on a loop, whose thread does nothing else.
    ///
    /// - Parameters:
    ///   - size: In octets; the work is also done with twice as many.
    ///   - work: Done with either size several times, until the outcome is good or no better outcome is to be expected.
    /// - Throws: What the work throws.
    package static func of(
        onLoop name: String,
        size: Int,
        _ work: (Int) async throws -> Void
    ) async throws -> Growth {
        var growth = Growth(name)
        for _ in 0..<tries {
            for _ in 0..<2 {
                let start = ThreadTime.nanoseconds
                try await work(size)
                growth.small = min(growth.small, ThreadTime.nanoseconds - start)
            }
            let start = ThreadTime.nanoseconds
            try await work(2 * size)
            growth.large = min(growth.large, ThreadTime.nanoseconds - start)
            if growth.isLinear { break }
        }
        return growth
    }

    private static func cost<Failure>(_ work: () throws(Failure) -> Void) throws(Failure) -> UInt64 {
        let start = ThreadTime.nanoseconds
        try work()
        return ThreadTime.nanoseconds - start
    }
}
