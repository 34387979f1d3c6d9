package import Postgres
package import Web

/// What is known of a feature without settings.
package struct FeatureCard: Sendable {
    /// One word in lower case: begins the names of its settings, and is the folder of its migrations.
    package let name: String
    /// The features below that its parts ask for.
    package let needs: [any Feature.Type]
    /// What it adds to the command line.
    package let commands: [FeatureCommand]
    /// Every statement that it sends to the database.
    package let statements: [Statement]
    /// The codes that it refuses requests with, beside those of every router.
    package let failures: [FailureCode]
    /// The names of its cookies.
    package let cookies: [String]
    /// What `demo` fills in for its settings where nothing is set.
    package let demoSettings: [String: String]
    /// What it offers to features that collect.
    package let slots: [any FeatureSlot]

    /// A card.
    package init(
        _ name: String,
        needs: [any Feature.Type] = [],
        commands: [FeatureCommand] = [],
        statements: [Statement] = [],
        failures: [FailureCode] = [],
        cookies: [String] = [],
        demoSettings: [String: String] = [:],
        slots: [any FeatureSlot] = []
    ) {
        self.name = name
        self.needs = needs
        self.commands = commands
        self.statements = statements
        self.failures = failures
        self.cookies = cookies
        self.demoSettings = demoSettings
        self.slots = slots
    }
}

/// Something that features offer to whichever feature collects it, found by its type; the set of types is open.
package protocol FeatureSlot: Sendable {}
