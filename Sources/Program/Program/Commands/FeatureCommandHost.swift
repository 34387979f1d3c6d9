import EventIO
import Operations
import Postgres
import ServerCore
import Settings

/// Reads the settings for commands of features, as for every other command.
struct FeatureCommandHost: CommandHost {
    func slots<Slot: FeatureSlot>(_ type: Slot.Type) -> [Slot] { FeatureList.all.slots(type) }

    func run(
        _ input: CommandInput,
        for scope: SettingScope,
        _ body: @Sendable (ConfiguredFeatures, any CommandContext) async throws -> Int32
    ) async -> Int32 {
        // Whoever may not open the settings of the service means its database, not that of a demo.
        let mayBeDemo = input.configurationFile?.isClosed != true
        let defaults = { mayBeDemo ? try DemoDefaults.fillWhereKept($0) : $0 }
        return await input.withConfiguration(defaults, for: scope) { configuration in
            let context = Context(configuration: configuration, command: input.arguments.command ?? "")
            return try await body(configuration.features, context)
        }
    }

    private struct Context: CommandContext {
        let configuration: Configuration
        let command: String
        let agent = ProgramVersion.agent
        var features: ConfiguredFeatures { configuration.features }
        var web: WebOrigin { configuration.listeners.web }
        var link: WebOrigin { configuration.listeners.link }

        func slots<Slot: FeatureSlot>(_ type: Slot.Type) -> [Slot] { FeatureList.all.slots(type) }

        func connected<Value: Sendable>(
            _ body: @escaping @Sendable (Reactor, PostgresClient) async throws -> Value
        ) async throws -> Value {
            try await configuration.onDatabase(for: command, body)
        }
    }
}
