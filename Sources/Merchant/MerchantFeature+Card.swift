import Checkout
import MerchantAPI
import Persistence
package import ServerCore
import ServiceAPI
import Webhooks

extension MerchantFeature {
    package static let card = FeatureCard(
        "merchant",
        needs: [CheckoutFeature.self, WebhookDelivery.self],
        commands: [
            KeysCommand.command, PaymentsCommand.command, ReconcileCommand.command, AdoptCommand.command,
            PostageKeyCommand.command,
        ],
        statements: .onTablesOfProgram(StatementCatalog.ofMerchants + PostgresKeyStore.statements),
        slots: Scope.ofMerchants
    )
}
