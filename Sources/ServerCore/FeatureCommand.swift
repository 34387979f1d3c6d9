package import EventIO
package import Operations
package import Postgres
package import Settings

/// A command of a feature, which is given the feature as the settings make it.
package struct FeatureCommand: Sendable {
    /// As it is typed.
    package let name: String
    private var examples: [String] = []
    private let make: @Sendable (any CommandHost, [String]) -> Command

    /// A command; operands, options and details as `Command` has them.
    ///
    /// - Parameters:
    ///   - scope: The settings that it goes by.
    ///   - run: Gives the exit status: 0 done, 1 failed, 2 wrong use.
    package init<F: Feature>(
        of feature: F.Type,
        _ name: String,
        operands: String = "",
        _ summary: String,
        details: String = "",
        options: [CommandOption] = [],
        scope: SettingScope = .everything,
        run: @escaping @Sendable (F, CommandInput, any CommandContext) async throws -> Int32
    ) {
        self.name = name
        make = { host, examples in
            Command(
                name: name,
                operands: operands,
                summary: summary,
                details: details,
                options: options,
                examples: examples
            ) { input in
                await host.run(input, for: scope) { features, context in
                    guard let own = features.first(F.self) else {
                        throw ConfigurationError(problems: ["\(name): the settings switch \(F.card.name) off"])
                    }
                    return try await run(own, input, context)
                }
            }
        }
    }

    /// The same, with whole command lines to copy at the end of its help.
    package func with(examples: [String]) -> FeatureCommand {
        var copy = self
        copy.examples = examples
        return copy
    }

    /// The command for a program's list.
    package func command(_ host: any CommandHost) -> Command { make(host, examples) }
}

/// What reads the settings for commands of features, and says what is wrong with them.
package protocol CommandHost: Sendable {
    /// Reads the settings of a scope, runs a body, and tells an operator what it throws.
    ///
    /// - Returns: The exit status.
    func run(
        _ input: CommandInput,
        for scope: SettingScope,
        _ body: @Sendable (ConfiguredFeatures, any CommandContext) async throws -> Int32
    ) async -> Int32
}

/// What a command of a feature finds of the program.
package protocol CommandContext: Sendable {
    /// What requests to other servers are sent as: the value of `User-Agent`.
    var agent: String { get }

    /// Everything of a type that features offer, in list order; also of those that the settings switch off.
    func slots<Slot: FeatureSlot>(_ type: Slot.Type) -> [Slot]

    /// Runs a body with a connection, on a loop of its own.
    ///
    /// - Throws: What the body throws; `ConfigurationError` where there is no database, or its schema is another.
    func connected<Value: Sendable>(
        _ body: @escaping @Sendable (Reactor, PostgresClient) async throws -> Value
    ) async throws -> Value
}
