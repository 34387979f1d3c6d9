import EventIO
import Operations
import Postgres
import ServerCore
import Settings

/// Reads the settings for commands of features, as for every other command.
struct FeatureCommandHost: CommandHost {
    func run(
        _ input: CommandInput,
        for scope: SettingScope,
        _ body: @Sendable (ConfiguredFeatures, any CommandDatabase) async throws -> Int32
    ) async -> Int32 {
        await input.withConfiguration(for: scope) { configuration in
            let database = Database(configuration: configuration, command: input.arguments.command ?? "")
            return try await body(configuration.features, database)
        }
    }

    private struct Database: CommandDatabase {
        let configuration: Configuration
        let command: String

        func connected<Value: Sendable>(
            _ body: @escaping @Sendable (Reactor, PostgresClient) async throws -> Value
        ) async throws -> Value {
            try await configuration.onDatabase(for: command, body)
        }
    }
}
