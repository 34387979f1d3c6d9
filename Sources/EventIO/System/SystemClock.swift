import CLinux
package import Primitives

/// Tells a loop both times; tests give it one that they set.
package protocol LoopClock: WallClock, MonotonicClock {
    /// Whether time passes by itself, so that the loop wakes up for its timers.
    ///
    /// A clock that is set by hand says false; whoever moves it then wakes the loop.
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
