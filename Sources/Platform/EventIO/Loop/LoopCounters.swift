import Primitives
import Telemetry

/// What a loop counts about itself.
struct LoopCounters: Sendable {
    /// In nanoseconds; a turn that takes longer makes every connection of the loop wait.
    static let slowTurn: UInt64 = 5_000_000

    /// In nanoseconds; a turn that takes longer is written down, too.
    ///
    /// A loaded machine alone makes shorter ones now and then.
    static let notedTurn: UInt64 = 50_000_000

    private let turns: Counter
    private let slowTurns: Counter

    init(_ metrics: MetricsRegistry, loop: String) {
        turns = metrics.counter("sallyport_loop_turns_total", help: "Turns of an event loop.", labels: [("loop", loop)])
        slowTurns = metrics.counter(
            "sallyport_loop_slow_turns_total",
            help: "Turns of an event loop that took longer than 5 ms.",
            labels: [("loop", loop)]
        )
    }

    /// Counts a turn.
    ///
    /// - Returns: Whether it is to be written down.
    func countTurn(from start: MonotonicTime, to end: MonotonicTime) -> Bool {
        turns.increment()
        guard end.nanoseconds > start.nanoseconds &+ LoopCounters.slowTurn else { return false }
        slowTurns.increment()
        return end.nanoseconds > start.nanoseconds &+ LoopCounters.notedTurn
    }
}
