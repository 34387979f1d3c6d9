package import Operations
package import Postgres
package import Settings
package import StrictJSON
package import Web

/// The features of a program: those that others need stand before them.
package struct FeatureSet: Sendable {
    private let types: [any Feature.Type]
    private let sharedFolders: [String]

    /// A list.
    ///
    /// - Parameters:
    ///   - types: Those that others need stand before them.
    ///   - sharedFolders: Of the migrations that all features may build on, lowest first.
    package init(_ types: [any Feature.Type], sharedFolders: [String] = []) {
        self.types = types
        self.sharedFolders = sharedFolders
    }

    /// The cards, in list order.
    package var cards: [FeatureCard] { types.map { $0.card } }

    /// The folders of migrations, lowest first: the shared ones, then those of features in list order.
    package var migrationFolders: [String] { sharedFolders + cards.filter(\.statements.haveMigrations).map(\.name) }

    /// Every row that may be served.
    package var routes: [RouteCard] { types.flatMap { $0.routeCards } }

    /// The types of their parts, for what is known of them without settings.
    package var parts: [any FeaturePart.Type] { types.map { $0.part } }

    /// Every statement that is sent to the database.
    package var statements: [Statement] { cards.flatMap(\.statements.all) }

    /// Every column whose values are sealed under the keyring.
    package var sealed: [SealedColumn] { cards.flatMap(\.statements.sealed) }

    /// Every code that requests are refused with.
    package var failures: [FailureCode] { cards.flatMap(\.failures) }

    /// What `demo` fills in.
    package func demoSettings(_ demo: DemoSource) -> [String: JSONValue] {
        cards.reduce(into: [:]) { all, card in all.merge(card.demo.settings(demo)) { first, _ in first } }
    }

    /// The files with secrets that `demo` makes, without `.secret`.
    package var demoSecrets: Set<String> { Set(cards.flatMap(\.demo.secrets.values)) }

    /// The other files with secrets that `demo` makes.
    package var demoFiles: [DemoFile] { cards.flatMap(\.demo.files) }

    /// Everything of a type that features offer, in list order.
    package func slots<Slot: FeatureSlot>(_ type: Slot.Type) -> [Slot] {
        cards.flatMap { card in card.slots.compactMap { $0 as? Slot } }
    }

    /// The commands, for a program's list.
    package func commands(_ host: any CommandHost) -> [Command] {
        cards.flatMap { card in card.commands.map { $0.command(host) } }
    }

    /// Reads the settings of all.
    package func configured(_ settings: inout SettingReader) -> ConfiguredFeatures {
        let keyring = KeyringFile(&settings)
        let unknownPerMinute = settings.number(
            "limits.unknown_per_minute",
            1...10_000_000,
            20,
            "unknown tokens and keys a minute per client address"
        )
        return ConfiguredFeatures(types.map { $0.init(&settings) }, keyring, unknownPerMinute: unknownPerMinute)
    }

    /// What is wrong with the list itself, beside names that the program has already.
    ///
    /// Only a change of the program mends it, so a test asks, and the start refuses it.
    package func faults(beside program: Names = Names()) -> [String] {
        var taken = program
        var faults: [String] = []
        var tables: [String: String] = [:]
        for folder in sharedFolders {
            if !FeatureSet.isWord(folder) { faults.append("\(folder): not a word in lower case") }
            taken.all.insert(Names.Name(kind: "feature", text: folder))
        }
        for (index, card) in cards.enumerated() {
            if !FeatureSet.isWord(card.name) { faults.append("\(card.name): not a word in lower case") }
            for need in card.needs where !types[..<index].contains(where: { $0 == need }) {
                faults.append("\(card.name) needs \(need.card.name), which does not stand before it")
            }
            for name in card.names where !taken.all.insert(name).inserted {
                faults.append("\(card.name): \(name.kind) \(name.text) is another's already")
            }
            for column in card.statements.sealed
            where tables.updateValue(column.table, forKey: column.purpose) ?? column.table != column.table {
                faults.append("\(card.name): \(column.name) has a purpose of another table, \(column.purpose)")
            }
        }
        return faults
    }

    private static func isWord(_ text: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return !text.isEmpty && text.utf8.allSatisfy(letters.contains)
    }
}

extension FeatureSet {
    /// Names of which a program has each once.
    package struct Names: Sendable {
        struct Name: Hashable {
            let kind: String
            let text: String
        }

        fileprivate var all: Set<Name> = []

        /// The given names.
        package init(
            commands: [String] = [],
            statements: [Statement] = [],
            failures: [FailureCode] = [],
            cookies: [String] = []
        ) {
            all.formUnion(FeatureSet.names(commands, statements, failures, cookies))
        }
    }

    fileprivate static func names(
        _ commands: [String],
        _ statements: [Statement],
        _ failures: [FailureCode],
        _ cookies: [String]
    ) -> [Names.Name] {
        commands.map { Names.Name(kind: "command", text: $0) }
            + statements.map { Names.Name(kind: "statement", text: $0.name) }
            + failures.map { Names.Name(kind: "code", text: $0.name) }
            + cookies.map { Names.Name(kind: "cookie", text: $0) }
    }
}

extension FeatureCard {
    /// Its name among the features', and every name that only one of them can have.
    fileprivate var names: [FeatureSet.Names.Name] {
        [FeatureSet.Names.Name(kind: "feature", text: name)]
            + FeatureSet.names(commands.map(\.name), statements.all, failures, cookies)
    }
}
