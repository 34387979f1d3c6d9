package import EventIO
import Telemetry

/// Runs the body of a command that serves nothing on a loop of its own, and ends the loop.
///
/// - Parameter body: What it makes stays on the loop.
/// - Throws: What the body throws, or `IOError` when there is no loop to be had.
package func withEventLoop<Value: Sendable>(
    _ body: @escaping @Sendable (Reactor) async throws -> Value
) async throws -> Value {
    let loop = try EventLoop(name: "command", logger: .silent)
    try loop.start()
    defer {
        loop.stop()
        loop.join()
    }
    return try await loop.run(body)
}
