import DeviceAttestation
import Telemetry

/// What the exchange of receipts counts.
///
/// Not `Sendable`.
final class ReceiptMetrics {
    private let registry: MetricsRegistry

    /// Outcomes beside those of the service: a receipt that is not believed, and a call that is kept back.
    private static let refused = "refused"
    private static let held = "held"

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        for word in AttestReceiptAnswer.outcomes + [ReceiptMetrics.refused, ReceiptMetrics.held] { _ = counter(word) }
    }

    /// Counts an answer, or a call that is kept back.
    func count(_ reply: AppleReceiptService.Reply) {
        counter(reply.isHeld ? ReceiptMetrics.held : reply.answer.outcome).increment()
    }

    /// Counts a receipt that is not believed, beside its answer.
    func countRefused() { counter(ReceiptMetrics.refused).increment() }

    private func counter(_ word: String) -> Counter {
        registry.counter(
            "sallyport_app_attest_receipts_total",
            help:
                "Receipts that Apple was asked to exchange, by what came of them; refused: not believed; held: not asked, for a pause.",
            labels: [("outcome", word)]
        )
    }
}
