import CheckoutCodes
import Pages
package import ServerCore
import SessionBroker
import Web

extension CheckoutFeature {
    package static let card = FeatureCard(
        "checkout",
        commands: [
            AssociationCommand.command, LinkCommand.command, AuditCommand.command, RevokeCommand.command,
            StuckCommand.command,
        ],
        statements: .own(
            PostgresSessionStore.statements + PostgresNotificationStore.statements
                + PostgresLedgerStore.statements + PostgresUnsettledStore.statements
        ),
        failures: FailureCode.ofCheckout,
        cookies: CookieNames.allCases.flatMap { CookieTable($0).all },
        slots: StaticAsset.ofCheckout
    )
}
