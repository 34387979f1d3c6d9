import Accounts
import Checkout
import MerchantAPI
package import ServerCore
import ServiceAPI
import StrictJSON
import Webhooks

extension MerchantFeature {
    package static let card = FeatureCard(
        "merchant",
        needs: [ServiceFeature.self, AccountsFeature.self, CheckoutFeature.self, WebhookDelivery.self],
        commands: [
            PaymentsCommand.command, ReconcileCommand.command, AdoptCommand.command,
            PostageKeyCommand.command,
        ],
        statements: .own(
            PostgresSessionCreation.statements + PostgresOrderStore.statements + PostgresPollStore.statements
                + PostgresReconciliationStore.statements + OrderAccountStatement.all
        ),
        demo: FeatureDemo { _ in
            [
                "merchant.api": true,
                "merchant.return_origins": "https://shop.example.com",
                "merchant.postage_origins": "http://127.0.0.1:8098",
                "merchant.app_links": "https://shop.example.com",
            ]
        },
        slots: Scope.ofMerchants + [AccountData.merchant]
    )
}
