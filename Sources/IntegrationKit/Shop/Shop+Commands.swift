package import EventIO
import PostgresTestKit
import Primitives
import TestKit

extension Shop {
    /// Runs a command of the built program on the shop's database, as an operator does, to its end.
    ///
    /// - Parameters:
    ///   - words: The command and its arguments.
    ///   - environment: Further variables.
    /// - Returns: How it ended, and everything it wrote to standard output and standard error.
    /// - Throws: `IOError`, `BuiltProgram.Missing`, `DeadlineExceeded`.
    package func runCommand(
        _ words: [String],
        environment: [String: String] = [:]
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        try await withCommand(words, environment: environment) { program, reactor in
            (try await program.process.exit(on: reactor), program.log)
        }
    }

    /// Starts a command of the built program on the shop's database, as an operator does, and does something with it.
    ///
    /// - Parameters:
    ///   - words: The command and its arguments.
    ///   - environment: Further variables.
    ///   - body: Runs on a loop of its own; what is left of the command ends with it.
    /// - Returns: What the body returns.
    /// - Throws: `IOError`, `BuiltProgram.Missing`, or what the body throws.
    package func withCommand<Value: Sendable>(
        _ words: [String],
        environment: [String: String] = [:],
        _ body: @escaping @Sendable (RunningProgram, Reactor) async throws -> Value
    ) async throws -> Value {
        let url = database.serviceURL.reveal()
        return try await withTemporaryFolder { folder in
            let own = ["SALLYPORT_DATABASE_URL": url, "SALLYPORT_DATA_DIR": folder]
            let environment = self.environment.merging(own) { _, own in own }.merging(environment) { _, given in given }
            return try await withLoop { reactor in
                let log = folder + "/output"
                let program = try RunningProgram(words, environment: environment, logPath: log, on: reactor)
                defer { program.destroy() }
                return try await body(program, reactor)
            }
        }
    }
}
