package import Postgres
package import Primitives
import ServerCore
package import StrictJSON

/// A feature that keeps something of accounts; on its card.
///
/// Both work without the feature being on: what it kept while it was is in its tables.
package struct AccountData: FeatureSlot {
    /// As reports and exports name it: the feature's name.
    package let name: String
    /// Erases or unlinks all of it; may be called again at any time.
    package let erase: AccountEraser
    /// Gives all of it, for the person.
    package let export: AccountExporter
    /// Whether accounts are served wherever the feature is on.
    package let needsAccounts: Bool

    /// Data of a feature; declared once as a static member.
    ///
    /// - Parameter needsAccounts: `false` where the feature can be on without accounts: it has them served by `AccountsPart.serve`.
    package init(
        _ name: String,
        needsAccounts: Bool = true,
        erase: @escaping AccountEraser,
        export: @escaping AccountExporter
    ) {
        self.name = name
        self.needsAccounts = needsAccounts
        self.erase = erase
        self.export = export
    }
}

/// What a feature has erased of an account.
package struct AccountErasure: Sendable, Hashable {
    /// How many of each kind, for the report.
    package let counts: [String: Int]

    /// So many of each kind; of an account that was erased before, none.
    package init(_ counts: KeyValuePairs<String, Int>) {
        self.counts = Dictionary(counts.map { ($0.key, $0.value) }, uniquingKeysWith: +)
    }
}

/// Erases or unlinks all that a feature keeps of an account.
package typealias AccountEraser =
    @Sendable (_ database: PostgresClient, _ account: UUIDBytes) async throws -> AccountErasure

/// All that a feature keeps of an account; `null` where there is nothing.
package typealias AccountExporter =
    @Sendable (_ database: PostgresClient, _ account: UUIDBytes) async throws -> JSONValue

/// What an attempt to erase an account came to.
struct ErasureReport: Sendable {
    /// What became of the data of a feature.
    enum Outcome: Sendable, Hashable {
        case erased(AccountErasure)
        /// It could not; it is tried again.
        case failed
    }

    var features: [(name: String, outcome: Outcome)] = []

    /// Whether nothing is left to be tried again.
    var isComplete: Bool {
        features.allSatisfy { feature in
            if case .erased = feature.outcome { true } else { false }
        }
    }
}
