package import EventIO
package import Primitives

/// A clock that stands still until a test moves it; for a loop and for anything that takes a `WallClock`.
///
/// A loop whose clock was moved looks at its timers only when it is woken: `advance(by:waking:)` does both.
package final class ManualClock: LoopClock {
    private struct Times {
        var wall: WallTime
        var monotonic: MonotonicTime
    }

    private let times: Lock<Times>

    /// A clock that stands at a point in time.
    ///
    /// - Parameter wall: The calendar time; 2026-01-02T03:04:05Z unless given. The other clock starts at one hour.
    package init(at wall: WallTime = WallTime(seconds: 1_767_323_045)) {
        times = Lock(Times(wall: wall, monotonic: MonotonicTime(nanoseconds: 3_600_000_000_000)))
    }

    package func now() -> WallTime { times.withLock { $0.wall } }

    package func monotonicNow() -> MonotonicTime { times.withLock { $0.monotonic } }

    /// False: a test moves it.
    package var runsByItself: Bool { false }

    /// Moves both clocks forward.
    ///
    /// - Parameters:
    ///   - duration: Zero or more.
    ///   - executor: Of the loop that works with this clock; its timers run in its next turn.
    package func advance(by duration: Duration, waking executor: LoopExecutor? = nil) {
        times.withLock { times in
            times.wall = times.wall + duration
            times.monotonic = times.monotonic + duration
        }
        executor?.wake()
    }

    /// Sets the calendar time alone, as an operator would, also backwards.
    package func set(_ wall: WallTime) {
        times.withLock { $0.wall = wall }
    }
}
