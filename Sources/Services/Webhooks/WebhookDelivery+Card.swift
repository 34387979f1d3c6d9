package import ServerCore
import StrictJSON

extension WebhookDelivery {
    package static let card = FeatureCard(
        "webhooks",
        commands: [WebhooksCommand.command],
        // Triggers of orders write the events.
        statements: .own(
            PostgresWebhookStore.statements + PostgresEventStore.statements,
            sealed: WebhookVault.columns
        ),
        demo: FeatureDemo(secrets: ["merchant.secret_file": "merchant"]) { _ in ["webhooks.allow_loopback": true] }
    )
}
