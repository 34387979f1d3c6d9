package import Postgres
package import Web

/// What is known of a feature without settings.
package struct FeatureCard: Sendable {
    /// One word in lower case: the folder of its migrations, and the first word of the names of its settings where no older
    /// names are kept.
    package let name: String
    /// The features below that its parts ask for.
    package let needs: [any Feature.Type]
    /// What it adds to the command line.
    package let commands: [FeatureCommand]
    /// Every statement that it sends to the database, and whether migrations of its own make tables.
    package let statements: FeatureStatements
    /// The codes that it refuses requests with, beside those of every router.
    package let failures: [FailureCode]
    /// The names of its cookies.
    package let cookies: [String]
    /// What it needs in a demo.
    package let demo: FeatureDemo
    /// What it offers to features that collect.
    package let slots: [any FeatureSlot]

    /// A card.
    package init(
        _ name: String,
        needs: [any Feature.Type] = [],
        commands: [FeatureCommand] = [],
        statements: FeatureStatements = .none,
        failures: [FailureCode] = [],
        cookies: [String] = [],
        demo: FeatureDemo = FeatureDemo(),
        slots: [any FeatureSlot] = []
    ) {
        self.name = name
        self.needs = needs
        self.commands = commands
        self.statements = statements
        self.failures = failures
        self.cookies = cookies
        self.demo = demo
        self.slots = slots
    }
}

/// The statements of a feature.
package struct FeatureStatements: Sendable {
    /// All of them.
    package let all: [Statement]
    /// Columns whose values are sealed under the keyring, in the order in which they are sealed anew.
    package let sealed: [SealedColumn]
    /// Whether a folder of migrations is the feature's, and makes its tables.
    package let haveMigrations: Bool
    /// The tables of these whose rows are only added to.
    let trails: [String]
    /// The functions of these that run with the rights of their owner and that the program's role may call, with the types of
    /// their arguments.
    let trustedFunctions: [String]

    /// Of a feature without tables.
    package static let none = FeatureStatements(
        all: [],
        sealed: [],
        haveMigrations: false,
        trails: [],
        trustedFunctions: []
    )

    /// On tables that migrations of the feature make, beside those of features below and the shared ones.
    ///
    /// - Parameter sealed: Columns of these tables that `reseal` walks; one whose values move into another stands before that.
    package static func own(
        _ all: [Statement],
        sealed: [SealedColumn] = [],
        trails: [String] = [],
        trustedFunctions: [String] = []
    ) -> FeatureStatements {
        FeatureStatements(
            all: all + sealed.flatMap(\.statements),
            sealed: sealed,
            haveMigrations: true,
            trails: trails,
            trustedFunctions: trustedFunctions
        )
    }
}

/// On the card of a feature whose links open apps: nobody needs the link host where none is on.
package struct LinkHostUse: FeatureSlot {
    /// The feature uses the link host.
    package init() {}
}

/// Something that features offer to whichever feature collects it, found by its type; the set of types is open.
package protocol FeatureSlot: Sendable {}
