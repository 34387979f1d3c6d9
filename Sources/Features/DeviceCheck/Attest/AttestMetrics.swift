import DeviceAttestation
import Telemetry

/// What keys and assertions of apps count.
///
/// Not `Sendable`.
final class AttestMetrics {
    private let registry: MetricsRegistry

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        for outcome in AttestBinding.allCases { _ = attestations(outcome.rawValue) }
        for outcome in AttestUse.allCases { _ = assertions(outcome.rawValue) }
    }

    /// Counts an attestation, by what became of it.
    func countAttestation(_ outcome: String) { attestations(outcome).increment() }

    /// Counts a request that needed an assertion, by what became of it.
    func countAssertion(_ outcome: String) { assertions(outcome).increment() }

    private func attestations(_ outcome: String) -> Counter {
        registry.counter(
            "sallyport_app_attest_attestations_total",
            help: "Keys that apps have shown, by what became of them: bound, or the step that failed.",
            labels: [("outcome", outcome)]
        )
    }

    private func assertions(_ outcome: String) -> Counter {
        registry.counter(
            "sallyport_app_attest_assertions_total",
            help: "Requests that needed an assertion, by what became of them: passed, or what was wrong.",
            labels: [("outcome", outcome)]
        )
    }
}
