package import EventIO
import TestKit

extension TestShop {
    /// Runs a command of the built program on the shop's database, as an operator does, to its end.
    ///
    /// - Returns: How it ended, and everything it wrote to standard output and standard error.
    package func runCommand(
        _ words: [String],
        environment: [String: String] = [:]
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        try await withCommand(words, environment: environment) { program, reactor in
            (try await program.process.exit(on: reactor), program.log)
        }
    }

    /// Starts a command of the built program on the shop's database, as an operator does, and does something with it on a loop
    /// of its own; what is left of the command ends with that.
    package func withCommand<Value: Sendable>(
        _ words: [String],
        environment: [String: String] = [:],
        _ body: @escaping @Sendable (RunningProgram, Reactor) async throws -> Value
    ) async throws -> Value {
        let own = self.environment.merging(environment) { $1 }
        return try await withTemporaryFolder { folder in
            let variables = ["SALLYPORT_DATA_DIR": folder].merging(own) { $1 }
            return try await withLoop { reactor in
                let log = folder + "/output"
                let program = try RunningProgram(words, environment: variables, logPath: log, on: reactor)
                defer { program.destroy() }
                return try await body(program, reactor)
            }
        }
    }
}

/// The command made no key.
package struct KeyRefused: Error, Sendable {
    /// What it wrote.
    package let output: String
}

extension TestShop {
    /// Makes a key for a merchant's program that opens some scopes, as an operator does, and returns the whole key.
    package func makeKey(_ scopes: String = allScopes) async throws -> String {
        let (exit, output) = try await runCommand(["keys", "create", "--name", "test", "--scopes", scopes])
        guard exit == .code(0) else { throw KeyRefused(output: output) }
        return output.filter { $0 != "\n" }
    }
}

/// What a key may open.
package let allScopes = "sessions:read,sessions:write,buyers:read,payments:write,refunds:write"
