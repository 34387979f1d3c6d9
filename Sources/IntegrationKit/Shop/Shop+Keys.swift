import EventIO
import Primitives

extension Shop {
    /// Makes a key for a merchant's program, as an operator does.
    ///
    /// - Parameter scopes: What it opens, with commas.
    /// - Returns: The whole key.
    /// - Throws: `IOError`, `DeadlineExceeded`, or `KeyRefused` with what the command said.
    package func makeKey(
        _ scopes: String = "sessions:read,sessions:write,buyers:read,payments:write,refunds:write"
    ) async throws
        -> String
    {
        let (exit, output) = try await runCommand(["keys", "create", "--name", "test", "--scopes", scopes])
        guard exit == .code(0) else { throw KeyRefused(output: output) }
        return output.filter { $0 != "\n" }
    }
}

/// The command made no key.
package struct KeyRefused: Error, Sendable {
    /// What it wrote.
    package let output: String
}
