import DeviceAttestation
import Primitives
import Telemetry

/// What calls of Apple's DeviceCheck service count.
///
/// Not `Sendable`.
final class AppleDeviceMetrics {
    private let registry: MetricsRegistry
    private let clocks: Counter
    private let latencies: [DeviceEnvironment: Histogram]
    private var counters: [Outcome: Counter] = [:]

    private struct Outcome: Hashable {
        let environment: DeviceEnvironment
        let call: DeviceCheckCall
        let word: String
    }

    /// The outcome of a call that is kept back.
    static let held = "held"

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        clocks = registry.counter(
            "sallyport_device_check_clock_differences_total",
            help: "Answers of Apple's DeviceCheck service whose time is over a minute from ours."
        )
        latencies = Dictionary(
            uniqueKeysWithValues: DeviceEnvironment.allCases.map { environment in
                (
                    environment,
                    registry.histogram(
                        "sallyport_device_check_call_seconds",
                        help: "Calls of Apple's DeviceCheck service with all their tries.",
                        labels: [("environment", environment.rawValue)]
                    )
                )
            }
        )
        // What alerts go by is there before it happens.
        for environment in DeviceEnvironment.allCases {
            for call in DeviceCheckCall.allCases {
                for word in DeviceCheckAnswer.outcomes { _ = counter(environment, call, word) }
            }
        }
    }

    /// Counts a try, or a call that is kept back.
    func count(_ environment: DeviceEnvironment, _ call: DeviceCheckCall, _ word: String) {
        counter(environment, call, word).increment()
    }

    func observe(_ environment: DeviceEnvironment, _ latency: Duration) {
        latencies[environment]?.observe(Double(latency.microseconds) / 1_000_000)
    }

    func countClock() { clocks.increment() }

    /// Counts that calls of an environment are kept back from now on.
    func countOpening(_ environment: DeviceEnvironment) {
        registry.counter(
            "sallyport_device_check_breaker_openings_total",
            help: "How often calls of Apple's DeviceCheck service began to be kept back.",
            labels: [("environment", environment.rawValue)]
        )
        .increment()
    }

    private func counter(_ environment: DeviceEnvironment, _ call: DeviceCheckCall, _ word: String) -> Counter {
        let outcome = Outcome(environment: environment, call: call, word: word)
        if let counter = counters[outcome] { return counter }
        let counter = registry.counter(
            "sallyport_device_check_calls_total",
            help: "Tries of calls of Apple's DeviceCheck service by what came of them; held: not made, for a pause.",
            labels: [("environment", environment.rawValue), ("call", call.rawValue), ("outcome", word)]
        )
        counters[outcome] = counter
        return counter
    }
}
