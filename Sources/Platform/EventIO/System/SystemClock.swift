import CLinux
package import Primitives

/// The clocks of a loop, calendar and monotonic; tests use one that they set.
package protocol LoopClock: WallClock, MonotonicClock {
    /// Whether time passes by itself, so that the loop wakes up for its timers.
    ///
    /// False for a clock that is set by hand: the test that moves it wakes the loop.
    var runsByItself: Bool { get }
}

/// The clocks of the machine.
package struct SystemClock: LoopClock {
    /// The clocks of the machine.
    package init() {}

    package func now() -> WallTime {
        WallTime(microseconds: clinux_wall_microseconds())
    }

    /// The present of CLOCK_MONOTONIC.
    package func monotonicNow() -> MonotonicTime {
        MonotonicTime(nanoseconds: clinux_monotonic_nanoseconds())
    }

    /// True: time passes.
    package var runsByItself: Bool { true }
}
