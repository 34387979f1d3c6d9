import MerchantOrders
import Telemetry

/// Counts what became of questions to the provider that nobody waits for, as `sallyport_polls_total{object,outcome}`.
///
/// All counters are there from the start.
struct PollCounters: Sendable {
    /// What became of a question.
    enum Outcome: String, Sendable, CaseIterable {
        /// The object has another state than before.
        case changed
        /// Nothing is new.
        case same
        /// No answer; asked again later.
        case failed
        /// The provider does not know the object; never asked again.
        case gone
        /// The end of the schedule came before the end of the object: a person has to look.
        case ended
    }

    private let counters: [ObjectKind: [Outcome: Counter]]

    init(_ metrics: MetricsRegistry) {
        var counters: [ObjectKind: [Outcome: Counter]] = [:]
        for kind in ObjectKind.allCases {
            for outcome in Outcome.allCases {
                counters[kind, default: [:]][outcome] = metrics.counter(
                    "sallyport_polls_total",
                    help: "Questions to the provider that nobody waits for, by object and what became of them.",
                    labels: [("object", kind.rawValue), ("outcome", outcome.rawValue)]
                )
            }
        }
        self.counters = counters
    }

    /// Counts one question.
    func count(_ kind: ObjectKind, _ outcome: Outcome) {
        counters[kind]?[outcome]?.increment()
    }
}
