import Checkout
import Operations
import Persistence
import SecurityText
package import ServerCore
import SessionBroker
import Web

/// The features of this program beside the checkout: a new system is one more here.
package enum FeatureList {
    /// In the order in which they are opened; what another one needs stands before it.
    package static let all = FeatureSet([SecurityText.self])

    /// What is wrong with the list; empty in every program that is handed out.
    static var faults: [String] {
        all.faults(
            beside: FeatureSet.Names(
                commands: CommandTable.own.map(\.name),
                statements: StatementCatalog.all,
                failures: FailureCode.ofCheckout,
                cookies: CookieNames.allCases.flatMap { CookieTable($0).all }
            )
        )
    }
}
