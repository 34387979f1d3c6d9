import Checkout
import MerchantAPI
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
        statements: .own(
            PostgresSessionCreation.statements + PostgresOrderStore.statements + PostgresPollStore.statements
                + PostgresReconciliationStore.statements + PostgresKeyStore.statements
        ),
        slots: Scope.ofMerchants
    )
}
