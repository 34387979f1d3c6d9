package import Primitives

/// The clocks and timers of calls: a loop's, or a test's.
package struct CallTiming {
    /// Waits on the loop's timers.
    let sleep: (Duration) async -> Void
    /// Time since some fixed point, never going back, the same for every loop.
    let uptime: () -> Duration
    /// The calendar clock, for dates in requests.
    let clock: any WallClock
    /// Supplies the pauses between tries.
    let random: any RandomSource

    /// The timing of a loop.
    package init(
        sleep: @escaping (Duration) async -> Void,
        uptime: @escaping () -> Duration,
        clock: any WallClock,
        random: any RandomSource
    ) {
        self.sleep = sleep
        self.uptime = uptime
        self.clock = clock
        self.random = random
    }
}
