package import EventIO
package import Telemetry

/// Runs a body on a loop of its own, which ends with it.
///
/// - Parameters:
///   - clock: The loop's calendar and monotonic time; a `ManualClock` makes timers wait for the test.
///   - deadline: Generous; it is reached only by a fault.
///   - body: Runs on the loop's thread. What it leaves behind there ends with the loop.
/// - Throws: What the body throws, `DeadlineExceeded`, or `IOError` when the loop cannot start.
package func withLoop<Result: Sendable>(
    clock: any LoopClock = SystemClock(),
    metrics: MetricsRegistry = MetricsRegistry(),
    deadline: Duration = .seconds(300),
    _ body: @escaping @Sendable (Reactor) async throws -> Result
) async throws -> Result {
    let loop = try EventLoop(name: "test", logger: .silent, metrics: metrics, clock: clock)
    try loop.start()
    defer {
        loop.stop()
        loop.join()
    }
    return try await withDeadline(deadline) { try await loop.run(body) }
}

/// Lets turns of the loop pass until a condition holds.
///
/// - Parameters:
///   - condition: Asked once in each turn.
/// - Returns: Whether the condition holds; false only after a long time.
package func waitUntil(_ reactor: Reactor, _ condition: () -> Bool) async -> Bool {
    let patience = Patience()
    while patience.isLeft {
        if condition() { return true }
        await reactor.nextTurn()
    }
    return condition()
}
