import AppStoreTransactions
import EventIO
import Postgres
import Primitives
import ServerCore
import StrictJSON
import Telemetry
import Webhooks

// What an account is given for a gift that its device may have once, as DeviceCheck has decided.

extension EventSubscription {
    /// Of another feature, which this one knows by its events alone.
    static let giftsGranted = EventSubscription("app_store.gifts", to: [WebhookEventType("device_check.claim.granted")])
}

extension AppStorePart {
    /// Adds the units of a gift to the ledger of its account, once for each purpose, whatever the event is told again.
    func give(_ event: WebhookEvent) async throws {
        guard let account = event.data["accountId"]?.text.flatMap({ UUIDBytes($0) }),
            let purpose = event.data["purpose"]?.text, let units = process.settings.gifts.units(for: purpose),
            let environment = process.settings.environments.first
        else { return }
        let statement = GiftStatement.give(account, environment.rawValue, purpose, units, event.id)
        let outcome = try await loop.database.work(statement).first()
        guard outcome.octets != "given", outcome.octets != "known" else { return }
        let fields = [LogField("account", account.description), LogField("outcome", outcome)]
        loop.logger.warning("app_store.not_given", fields)
    }
}
