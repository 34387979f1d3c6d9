package import MerchantOrders
import Telemetry

/// Counts what became of questions to the provider that nobody waits for, as `sallyport_polls_total{object,outcome}`.
///
/// All counters are there from the start.
package struct PollCounters: Sendable {
    private let counters: [ObjectKind: [PollOutcome.Word: Counter]]

    init(_ metrics: MetricsRegistry) {
        var counters: [ObjectKind: [PollOutcome.Word: Counter]] = [:]
        for kind in ObjectKind.allCases {
            for outcome in PollOutcome.Word.allCases {
                counters[kind, default: [:]][outcome] = metrics.counter(
                    "sallyport_polls_total",
                    help: "Polls of objects at the provider, by kind of object and outcome.",
                    labels: [("object", kind.rawValue), ("outcome", outcome.rawValue)]
                )
            }
        }
        self.counters = counters
    }

    /// Counts one question.
    package func count(_ kind: ObjectKind, _ outcome: PollOutcome.Word) {
        counters[kind]?[outcome]?.increment()
    }
}
