import Telemetry

/// Counts verdicts by operation, as `sallyport_flow_verdicts_total{op,verdict}`.
final class VerdictCounters {
    /// The operations that are counted; closed, so that the labels are.
    enum Operation: String {
        case issue
        case open
        case tab
        case review
        case quote
        case place
        case purchase
        case meet
        case check
        case release
        case settle
        case recover
        case receipt
        case status
        case cancel
        case close
        case unplace
        case decline
        case observe
    }

    private let registry: MetricsRegistry
    private var cells: [Operation: [String: Counter]] = [:]

    init(_ registry: MetricsRegistry) {
        self.registry = registry
    }

    /// Counts one verdict; its word comes from an enumeration.
    func count(_ operation: Operation, _ verdict: String) {
        if let cell = cells[operation]?[verdict] { return cell.increment() }
        let cell = registry.counter(
            "sallyport_flow_verdicts_total",
            help: "Verdicts of the state machine.",
            labels: [("op", operation.rawValue), ("verdict", verdict)]
        )
        cells[operation, default: [:]][verdict] = cell
        cell.increment()
    }
}
