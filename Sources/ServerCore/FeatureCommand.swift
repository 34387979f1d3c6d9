package import EventIO
package import Operations
package import Postgres
package import Settings

/// A command of a feature, which is given the feature as the settings make it.
package struct FeatureCommand: Sendable {
    /// As it is typed.
    package let name: String
    private let make: @Sendable (any CommandHost) -> Command

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
        run: @escaping @Sendable (F, CommandInput, any CommandDatabase) async throws -> Int32
    ) {
        self.name = name
        make = { host in
            Command(name: name, operands: operands, summary: summary, details: details, options: options) { input in
                await host.run(input, for: scope) { features, database in
                    guard let own = features.first(F.self) else {
                        throw ConfigurationError(problems: ["\(name): the settings switch \(F.card.name) off"])
                    }
                    return try await run(own, input, database)
                }
            }
        }
    }

    /// The command for a program's list.
    package func command(_ host: any CommandHost) -> Command { make(host) }
}

/// What reads the settings for commands of features, and says what is wrong with them.
package protocol CommandHost: Sendable {
    /// Reads the settings of a scope, runs a body, and tells an operator what it throws.
    ///
    /// - Returns: The exit status.
    func run(
        _ input: CommandInput,
        for scope: SettingScope,
        _ body: @Sendable (ConfiguredFeatures, any CommandDatabase) async throws -> Int32
    ) async -> Int32
}

/// The way of a command to the database.
package protocol CommandDatabase: Sendable {
    /// Runs a body with a connection, on a loop of its own.
    ///
    /// - Throws: What the body throws; `ConfigurationError` where there is no database, or its schema is another.
    func connected<Value: Sendable>(
        _ body: @escaping @Sendable (Reactor, PostgresClient) async throws -> Value
    ) async throws -> Value
}
