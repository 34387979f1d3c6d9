package import EventIO
import Telemetry

/// A loop for one task of a command that serves nothing.
package enum OneLoop {
    /// Runs a body on a loop of its own and ends the loop.
    ///
    /// - Parameter body: What it makes stays on the loop.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or `IOError` when there is no loop to be had.
    package static func run<Value: Sendable>(
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
}
