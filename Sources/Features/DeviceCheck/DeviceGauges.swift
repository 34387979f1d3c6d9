import DeviceAttestation
import Primitives
import Telemetry

/// What stands at present, as one loop of the process shows it.
///
/// Not `Sendable`.
final class DeviceGauges {
    private let registry: MetricsRegistry
    private let held: [DeviceEnvironment: Gauge]
    private let made: Gauge
    private let clock: Gauge
    private var marks: [DeviceState: MarkGauges]?

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        held = Dictionary(
            uniqueKeysWithValues: DeviceEnvironment.allCases.map { environment in
                (
                    environment,
                    registry.gauge(
                        "sallyport_device_check_held",
                        help: "1 where calls of Apple's DeviceCheck service are kept back.",
                        labels: [("environment", environment.rawValue)]
                    )
                )
            }
        )
        made = registry.gauge(
            "sallyport_device_check_token_made_timestamp_seconds",
            help: "When the bearer token for Apple's DeviceCheck service was made; 0 while there is none."
        )
        clock = registry.gauge(
            "sallyport_device_check_clock_difference_seconds",
            help: "How far the clock of Apple's DeviceCheck service was before ours at its last answer."
        )
    }

    /// Shows what the process has of Apple's service.
    func show(_ access: AppleDeviceAccess) {
        for (environment, gauge) in held { gauge.set(access.isHeld(environment) ? 1 : 0) }
        made.set(Int(access.tokens.made?.seconds ?? 0))
        clock.set(Int(clamping: access.clockDifference ?? 0))
    }

    /// Shows a reading of the marks that wait.
    func show(_ waiting: [WaitingMarks]) {
        for (state, gauges) in gaugesOfMarks() {
            let found = waiting.first { $0.state == state }
            gauges.count.set(found?.count ?? 0)
            gauges.age.set(Int(found?.age.components.seconds ?? 0))
        }
    }

    /// Made at the first reading, so that a missing series means not read; each gauge once, as those of one name add up.
    private func gaugesOfMarks() -> [DeviceState: MarkGauges] {
        if let marks { return marks }
        let states = DeviceState.allCases.filter { $0 > .new }
        let made = Dictionary(uniqueKeysWithValues: states.map { ($0, MarkGauges(registry, $0)) })
        marks = made
        return made
    }
}

/// The gauges of the marks of one state.
private struct MarkGauges {
    let count: Gauge
    let age: Gauge

    init(_ registry: MetricsRegistry, _ state: DeviceState) {
        let labels = [("state", state.rawValue)]
        count = registry.gauge(
            "sallyport_device_check_waiting_marks",
            help: "Marks that wait for the next visit of their account, by state; no more than 10,000 are counted.",
            labels: labels
        )
        age = registry.gauge(
            "sallyport_device_check_waiting_marks_oldest_seconds",
            help: "Age in seconds of the oldest of `sallyport_device_check_waiting_marks`.",
            labels: labels
        )
    }
}
