import DeviceAttestation
import Telemetry

/// What decisions on devices count.
///
/// Not `Sendable`.
final class DeviceMetrics {
    private let registry: MetricsRegistry
    private let replays: Counter
    private let monthsAhead: Counter
    private let unwritten: Counter

    init(_ registry: MetricsRegistry, _ policies: DevicePolicies) {
        self.registry = registry
        replays = registry.counter(
            "sallyport_device_check_replays_total",
            help: "Device tokens that were shown before."
        )
        monthsAhead = registry.counter(
            "sallyport_device_check_months_ahead_total",
            help: "Devices whose last change lies in a month to come: a clock is wrong, here or at Apple."
        )
        unwritten = registry.counter(
            "sallyport_device_check_unwritten_marks_total",
            help:
                "Marks that could not be written although their device was there; they wait for its account's next visit."
        )
        for policy in policies.policies where policy.decides {
            for verdict in DeviceDecision.Verdict.allCases { _ = decisions(policy.purpose, verdict) }
        }
        for state in DeviceState.allCases { _ = states(state.rawValue) }
        for outcome in ["granted", "uncertain", "failed", "reviewed"] { _ = claims(outcome) }
        for outcome in ["marked", "unchanged", "refused", "failed"] { _ = posts(outcome) }
    }

    /// Counts a decision, and the device's state.
    func count(_ decision: DeviceDecision, on purpose: String, of record: DeviceState?) {
        decisions(purpose, decision.verdict).increment()
        states(record?.rawValue ?? "unknown").increment()
        if decision.isMonthAhead { monthsAhead.increment() }
    }

    func countReplay() { replays.increment() }

    /// Counts a mark that waits although its device was there.
    func countUnwritten() { unwritten.increment() }

    /// Counts what became of a claim that was allowed.
    func countClaim(_ outcome: String) { claims(outcome).increment() }

    /// Counts what became of a post that shows no account.
    func countPost(_ outcome: String) { posts(outcome).increment() }

    private func posts(_ outcome: String) -> Counter {
        registry.counter(
            "sallyport_device_check_posts_total",
            help: "Posts to device_check.form_path that were asked about, by what became of them.",
            labels: [("outcome", outcome)]
        )
    }

    private func decisions(_ purpose: String, _ verdict: DeviceDecision.Verdict) -> Counter {
        registry.counter(
            "sallyport_device_check_decisions_total",
            help: "Decisions on devices by purpose and verdict.",
            labels: [("purpose", purpose), ("decision", verdict.rawValue)]
        )
    }

    private func states(_ state: String) -> Counter {
        registry.counter(
            "sallyport_device_check_states_total",
            help: "Devices that were decided on, by the state that Apple has said; unknown where it has said none.",
            labels: [("state", state)]
        )
    }

    private func claims(_ outcome: String) -> Counter {
        registry.counter(
            "sallyport_device_check_claims_total",
            help: "Claims that were allowed, by what became of them; reviewed: given, and somebody is to look at them.",
            labels: [("outcome", outcome)]
        )
    }
}
