import DeviceAttestation
import Primitives
import StrictJSON
import Webhooks

// What other features tell of an account marks its device at the next visit.

extension EventSubscription {
    /// Of other features, which this one knows by their events alone.
    static let marksOfEvents = EventSubscription(
        "device_check.marks",
        to: [
            WebhookEventType("app_store.purchase.granted"), WebhookEventType("app_store.purchase.refunded"),
            WebhookEventType("session.paid"),
        ]
    )
}

extension DeviceCheckPart {
    /// Has the mark wait that the policies have for what happened; the same event again changes nothing.
    func markLater(_ event: WebhookEvent) async throws {
        guard let account = event.data["accountId"]?.text.flatMap({ UUIDBytes($0) }), isOfRealMoney(event),
            let name = DeviceCheckPart.name(of: event), process.policies.mark(of: name) != nil
        else { return }
        try await queue(name, of: account, from: event.type)
    }

    /// What the policies call it; `nil` for what marks nothing.
    private static func name(of event: WebhookEvent) -> String? {
        switch event.type.octets {
        case "app_store.purchase.granted".octets, "session.paid".octets: return "purchased"
        case "app_store.purchase.refunded".octets:
            // Less than nothing is left: what was given back had been spent.
            guard let balance = event.data["balance"]?.integer, balance < 0 else { return nil }
            return "refund-abuse"
        default: return nil
        }
    }

    /// Whether it says something of devices whose bits count here: a tester's purchase is none of a customer.
    private func isOfRealMoney(_ event: WebhookEvent) -> Bool {
        guard let store = event.data["environment"]?.text else { return true }
        return (store.octets == "Production".octets) == (process.settings.environment == .production)
    }
}
