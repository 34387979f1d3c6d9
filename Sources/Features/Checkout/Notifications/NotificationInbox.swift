import EventIO
import HTTPCore
import Notifications
import Primitives
import SessionBroker
import Telemetry

/// Takes in messages of the provider: verifies and stores them, and has the object read; one per loop.
///
/// A message is answered once it is on disk. It never says what an object is like: the object is read for that.
final class NotificationInbox {
    private let verifier: NotificationVerifier
    private let store: PostgresNotificationStore
    private let exchange: any HTTPExchange
    private let counters: NotificationCounters
    private let logger: Logger
    private let confirmsSubscriptions: Bool
    private let wake: () -> Void
    private let budget: (String) -> Int?
    /// Fetches of certificates that an address, or a network, may cause.
    ///
    /// What needs none is judged as ever: the address may be the provider's own.
    private var fetches = AddressLimiter(
        address: RateLimiter.Rate(perMinute: 5),
        network: RateLimiter.Rate(perMinute: 20),
        capacity: 1_024
    )

    private static let chargeback = "CHARGEBACK"

    /// An inbox.
    ///
    /// - Parameters:
    ///   - exchange: Confirms subscriptions; follows no redirect.
    ///   - confirmsSubscriptions: Whether a subscription to our topic is confirmed without a person.
    ///   - budget: Asked with an outcome before a line that any sender can provoke: how many were not written, or `nil` for none
    ///     now.
    ///   - wake: Called when an object is to be read.
    init(
        _ verifier: NotificationVerifier,
        store: PostgresNotificationStore,
        over exchange: any HTTPExchange,
        counters: NotificationCounters,
        logger: Logger,
        confirmsSubscriptions: Bool,
        budget: @escaping (String) -> Int?,
        wake: @escaping () -> Void
    ) {
        self.verifier = verifier
        self.store = store
        self.exchange = exchange
        self.counters = counters
        self.logger = logger
        self.confirmsSubscriptions = confirmsSubscriptions
        self.budget = budget
        self.wake = wake
    }

    /// Takes a message in.
    ///
    /// - Returns: The status to answer: 200, 400 and 403 are final, 503 asks for another delivery.
    func receive(_ body: [UInt8], from sender: ClientKeys, at now: WallTime) async -> Int {
        do throws(NotificationRefusal) {
            let notification = try await verifier.verify(body, now: now) {
                fetches.take(sender, at: SystemClock().monotonicNow().microseconds) == nil
            }
            return await take(notification)
        } catch {
            counters.count(error.outcome)
            if let unwritten = budget(error.outcome) {
                logger.info(
                    "notification.refused",
                    [LogField("outcome", error.outcome), LogField("unwritten", unwritten)]
                )
            }
            return error.status
        }
    }

    private func take(_ notification: VerifiedNotification) async -> Int {
        switch notification {
        case .change(let change):
            let message = PostgresNotificationStore.Message(
                id: change.messageID,
                kind: change.kind.rawValue,
                object: change.objectID,
                permission: change.permission ?? NotificationInbox.permission(in: change.objectID)
            )
            return await write(message)
        case .unknownObject(let messageID, let kind):
            return await write(
                PostgresNotificationStore.Message(id: messageID, kind: kind, object: "", permission: nil)
            )
        case .subscription(let url):
            return await confirm(url)
        case .unsubscription:
            counters.count("unsubscription")
            logger.error("notification.unsubscribed")
            return 200
        }
    }

    private func write(_ message: PostgresNotificationStore.Message) async -> Int {
        let fields = [
            LogField("message", message.id), LogField("kind", message.kind), LogField("object", message.object),
        ]
        do throws(StoreError) {
            let receipt = try await store.receive(message)
            counters.count(receipt.rawValue)
            switch receipt {
            case .taken: wake()
            case .duplicate: break
            // Nothing else will ever report it, and the answer to a chargeback is due within days.
            case .unknown where message.kind.octets == NotificationInbox.chargeback.octets:
                logger.error("notification.chargeback_unknown", fields)
            case .unknown: logger.info("notification.unknown", fields)
            }
            return 200
        } catch {
            // Not answered is not lost: the service delivers it again.
            counters.count("store_unavailable")
            logger.warning("notification.not_written", fields + [LogField("detail", error.debugDescription)])
            return 503
        }
    }

    private func confirm(_ url: String) async -> Int {
        counters.count("subscription")
        guard confirmsSubscriptions else {
            // The address holds a token, so an operator finds it in the service's own console.
            logger.warning(
                "notification.subscription_waits",
                [LogField("setting", "notifications.confirm_subscriptions")]
            )
            return 200
        }
        return await SubscriptionConfirmation(exchange: exchange, logger: logger).confirm(url)
    }

    /// The permission that the id of a charge or a refund begins with.
    private static func permission(in object: String) -> String? {
        object.utf8.count == 27 ? String(decoding: object.utf8.prefix(19), as: UTF8.self) : nil
    }
}

/// Counts messages by what became of them, as `sallyport_notifications_total{outcome}`.
struct NotificationCounters: Sendable {
    private let counters: [String: Counter]

    init(_ metrics: MetricsRegistry) {
        let others = ["subscription", "unsubscription", "store_unavailable"]
        let refusals =
            ["malformed", "stale", "certificate_unavailable"] + NotificationRefusal.Why.allCases.map(\.rawValue)
        let outcomes = PostgresNotificationStore.Receipt.allCases.map(\.rawValue) + others + refusals
        counters = Dictionary(
            uniqueKeysWithValues: outcomes.map { outcome in
                let help = "Messages to the address for notifications of the provider, by outcome."
                return (
                    outcome,
                    metrics.counter("sallyport_notifications_total", help: help, labels: [("outcome", outcome)])
                )
            }
        )
    }

    /// Counts one message.
    func count(_ outcome: String) {
        counters[outcome]?.increment()
    }
}
