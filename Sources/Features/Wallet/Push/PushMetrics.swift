import Primitives
import Telemetry

/// What the sending of pushes counts; one for a process, since gauges of one name add up.
///
/// Not `Sendable`.
final class PushMetrics {
    private let registry: MetricsRegistry
    private let accepted: Counter
    private let others: Counter
    private let reasons: [PushReason: Counter]
    private let unanswered: Counter
    private let seconds: Histogram
    private var gauges: [OctetText: PushGauges] = [:]
    let dropped: Counter
    let expired: Counter

    private static let buckets: [Double] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400]

    init(_ registry: MetricsRegistry) {
        func answers(_ outcome: String) -> Counter {
            registry.counter(
                "sallyport_wallet_pushes_total",
                help: "Pushes by what the push service has answered; accepted does not say delivered.",
                labels: [("outcome", outcome)]
            )
        }
        self.registry = registry
        accepted = answers("accepted")
        others = answers("other")
        unanswered = answers("unanswered")
        reasons = Dictionary(uniqueKeysWithValues: PushReason.allCases.map { ($0, answers($0.rawValue)) })
        seconds = registry.histogram(
            "sallyport_wallet_push_delay_seconds",
            help: "From a change of a pass to the answer that accepts its push.",
            buckets: PushMetrics.buckets
        )
        dropped = registry.counter(
            "sallyport_wallet_dead_tokens_total",
            help: "Phones whose registrations ended because the push service calls their token dead."
        )
        expired = registry.counter(
            "sallyport_wallet_pushes_given_up_total",
            help: "Pushes that were not accepted and are not tried again; the phone asks by itself within a day."
        )
    }

    func count(_ answer: PushAnswer) {
        if answer.status == 200 { return accepted.increment() }
        (answer.reason.flatMap { PushReason(word: $0.octets) }.flatMap { reasons[$0] } ?? others).increment()
    }

    func countUnanswered() { unanswered.increment() }

    func observeDelay(_ delay: Duration) { seconds.observe(max(0, delay / .seconds(1))) }

    /// Gauges of a pass type; the settings say which there are.
    func gauges(_ passType: String) -> PushGauges {
        if let known = gauges[passType.octets] { return known }
        let labels = [("pass_type", passType)]
        let made = PushGauges(
            waiting: registry.gauge(
                "sallyport_wallet_push_queue_length",
                help: "Phones that are to be woken; no more than 10,000 are counted.",
                labels: labels
            ),
            lag: registry.gauge(
                "sallyport_wallet_push_lag_seconds",
                help: "For how long the oldest push has been due.",
                labels: labels
            ),
            isHalted: registry.gauge(
                "sallyport_wallet_push_halted",
                help: "1 where nothing is sent until an operator acts.",
                labels: labels
            )
        )
        gauges[passType.octets] = made
        return made
    }
}

/// The gauges of one pass type.
struct PushGauges {
    let waiting: Gauge
    let lag: Gauge
    let isHalted: Gauge
}
