import AppStoreTransactions
import Primitives
import Telemetry

/// What purchases count.
///
/// Not `Sendable`.
final class PurchaseMetrics {
    private let registry: MetricsRegistry
    private let verified: Counter
    private let outcomes: [PurchaseOutcome: Counter]
    private let notifications: Counter
    private let lag: Histogram
    private var refused: [SignedTextRefusal: Counter] = [:]

    private static let buckets: [Double] = [1, 5, 30, 60, 300, 3_600, 43_200, 86_400, 259_200, 604_800]

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        verified = PurchaseMetrics.texts(registry, "good", "")
        notifications = registry.counter(
            "sallyport_app_store_notifications_total",
            help: "Notifications of the App Store that are kept, repeats included."
        )
        lag = registry.histogram(
            "sallyport_app_store_notification_lag_seconds",
            help: "From the signature of a notification to its arrival.",
            buckets: PurchaseMetrics.buckets
        )
        outcomes = Dictionary(
            uniqueKeysWithValues: PurchaseOutcome.allCases.map { outcome in
                (
                    outcome,
                    registry.counter(
                        "sallyport_app_store_purchases_total",
                        help: "Verified texts of purchases by what became of the purchase.",
                        labels: [("outcome", outcome.rawValue)]
                    )
                )
            }
        )
        for word in OfferOrder.words { _ = offers(word) }
        // What alerts go by is there before it happens.
        for outcome in ["good", "revoked"] { _ = revocations(outcome) }
        for outcome in ["delivered", "given_up"] { _ = forwards(outcome) }
    }

    private static func texts(_ registry: MetricsRegistry, _ verdict: String, _ reason: String) -> Counter {
        registry.counter(
            "sallyport_app_store_signed_texts_total",
            help: "Signed texts by verdict and reason.",
            labels: [("verdict", verdict), ("reason", reason)]
        )
    }

    func countVerified() { verified.increment() }

    /// Counts an offer that was signed.
    func count(_ kind: OfferOrder.Kind) { offers(kind.word).increment() }

    private func offers(_ word: String) -> Counter {
        registry.counter(
            "sallyport_app_store_offers_total",
            help: "Offers that were signed, by kind.",
            labels: [("kind", word)]
        )
    }

    func count(_ refusal: SignedTextRefusal) {
        if let counter = refused[refusal] { return counter.increment() }
        let counter = PurchaseMetrics.texts(registry, refusal.code, refusal.reason.rawValue)
        refused[refusal] = counter
        counter.increment()
    }

    /// Counts a try to send a notification on.
    func countForward(_ outcome: String) { forwards(outcome).increment() }

    private func forwards(_ outcome: String) -> Counter {
        registry.counter(
            "sallyport_app_store_forwards_total",
            help: "Tries to send a notification on to another server, by outcome.",
            labels: [("outcome", outcome)]
        )
    }

    /// Counts what a responder has said of a certificate.
    func countRevocation(_ outcome: String) { revocations(outcome).increment() }

    private func revocations(_ outcome: String) -> Counter {
        registry.counter(
            "sallyport_app_store_revocation_answers_total",
            help: "Questions whether a certificate of signed texts is revoked, by what the authority answered.",
            labels: [("outcome", outcome)]
        )
    }

    /// Counts a text that is taken although nobody says whether its certificates are revoked.
    func countUnchecked(_ reason: SignedTextRefusal.Reason) {
        registry.counter(
            "sallyport_app_store_unchecked_texts_total",
            help: "Signed texts taken although nobody says whether their certificates are revoked, by reason.",
            labels: [("reason", reason.rawValue)]
        )
        .increment()
    }

    func count(_ outcome: PurchaseOutcome) { outcomes[outcome]?.increment() }

    /// Counts an answer to a request of Apple.
    func countConsumption(_ state: ConsumptionState) {
        registry.counter(
            "sallyport_app_store_consumption_answers_total",
            help: "Answers to Apple's questions what was used, by what became of them; open for another try.",
            labels: [("state", state.rawValue)]
        )
        .increment()
    }

    /// Counts a reading of what Apple has of a customer.
    func countReconciliation(_ result: String) {
        registry.counter(
            "sallyport_app_store_reconciliations_total",
            help: "Customers that Apple was asked about, by whether anything was changed.",
            labels: [("result", result)]
        )
        .increment()
    }

    /// Counts a notification that is kept, and how late it is.
    func count(_ notification: ServerNotification, _ outcome: PurchaseOutcome?, at now: WallTime) {
        notifications.increment()
        lag.observe(max(0, Double(now.microseconds - notification.signed.microseconds) / 1_000_000))
        if let outcome { count(outcome) }
    }
}
