import Telemetry

/// What a loop counts about itself.
struct LoopCounters: Sendable {
    /// A turn that takes longer makes every connection of the loop wait.
    static let slowTurn = Duration.milliseconds(5)

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

    func countTurn(took duration: Duration) {
        turns.increment()
        if duration > LoopCounters.slowTurn { slowTurns.increment() }
    }
}
