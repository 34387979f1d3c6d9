package import EventIO
package import Operations
package import Postgres
package import Settings

/// A command of a feature, which is given the feature as the settings make it.
package struct FeatureCommand: Sendable {
    /// As it is typed.
    package let name: String
    private var examples: [String] = []
    private var answersSignals = false
    private var moreDetails: @Sendable (any CommandHost) -> String = { _ in "" }
    private let make: @Sendable (FeatureCommand, any CommandHost) -> Command

    /// A command; operands, options and details as `Command` has them.
    ///
    /// - Parameters:
    ///   - scope: The settings that a command line goes by.
    ///   - run: Gives the exit status: 0 done, 1 failed, 2 wrong use.
    package init<F: Feature>(
        of feature: F.Type,
        _ name: String,
        operands: String = "",
        _ summary: String,
        details: String = "",
        options: [CommandOption] = [],
        scope: @escaping @Sendable (CommandLineArguments) -> SettingScope = { _ in .everything },
        run: @escaping @Sendable (F, CommandInput, any CommandContext) async throws -> Int32
    ) {
        self.name = name
        make = { own, host in
            Command(
                name: name,
                operands: operands,
                summary: summary,
                details: details + own.moreDetails(host),
                options: options,
                examples: own.examples,
                answersSignals: own.answersSignals
            ) { input in
                await host.run(input, for: scope(input.arguments)) { features, context in
                    try await run(try features.read(F.self), input, context)
                }
            }
        }
    }

    /// The same, with whole command lines to copy at the end of its help.
    ///
    /// - Parameter answersSignals: Whether it ends by itself in its own order at a signal.
    package func with(examples: [String], answersSignals: Bool = false) -> FeatureCommand {
        var copy = self
        copy.examples = examples
        copy.answersSignals = answersSignals
        return copy
    }

    /// The same, with details that depend on what features offer.
    package func with(details: @escaping @Sendable (any CommandHost) -> String) -> FeatureCommand {
        var copy = self
        copy.moreDetails = details
        return copy
    }

    /// The command for a program's list.
    package func command(_ host: any CommandHost) -> Command { make(self, host) }
}

/// What reads the settings for commands of features, and says what is wrong with them.
package protocol CommandHost: Sendable {
    /// Everything of a type that features offer, in list order; also of those that the settings switch off.
    func slots<Slot: FeatureSlot>(_ type: Slot.Type) -> [Slot]

    /// Reads the settings of a scope, runs a body, and reports to the operator what it throws.
    func run(
        _ input: CommandInput,
        for scope: SettingScope,
        _ body: @Sendable (ConfiguredFeatures, any CommandContext) async throws -> Int32
    ) async -> Int32
}

/// What a command of a feature finds of the program.
package protocol CommandContext: Sendable {
    /// The features as the settings make them.
    var features: ConfiguredFeatures { get }

    /// What requests to other servers are sent as: the value of `User-Agent`.
    var agent: String { get }

    /// The web host.
    var web: WebOrigin { get }

    /// The link host.
    var link: WebOrigin { get }

    /// Everything of a type that features offer, in list order; also of those that the settings switch off.
    func slots<Slot: FeatureSlot>(_ type: Slot.Type) -> [Slot]

    /// Runs a body with a connection, on a loop of its own.
    ///
    /// - Throws: What the body throws; `ConfigurationError` where there is no database, or its schema is another.
    func connected<Value: Sendable>(
        _ body: @escaping @Sendable (Reactor, PostgresClient) async throws -> Value
    ) async throws -> Value
}
