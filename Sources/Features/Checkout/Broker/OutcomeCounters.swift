import Primitives
import Telemetry

/// Counts outcomes by operation, as `sallyport_webview_session_outcomes_total{op,outcome}`.
final class OutcomeCounters {
    /// The operations that are counted; closed, so that the labels are.
    enum Operation: Int, CaseIterable {
        case issue
        case open
        case tab
        case review
        case quote
        case place
        case purchase
        case meet
        case arrive
        case lapse
        case check
        case release
        case settle
        case recover
        case giveUp
        case receipt
        case status
        case cancel
        case unplace
        case decline
        case observe
    }

    private struct Cell {
        let outcome: String
        let counter: Counter
    }

    private let registry: MetricsRegistry
    /// By raw value of the operation; each has seen a handful of outcomes, which are found faster by comparing than by hashing.
    private var cells: [[Cell]]

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        cells = Operation.allCases.map { _ in [] }
    }

    /// Counts one outcome; its word comes from the statement.
    func count(_ operation: Operation, _ outcome: String) {
        for cell in cells[operation.rawValue] where cell.outcome.octets == outcome.octets {
            return cell.counter.increment()
        }
        let counter = registry.counter(
            "sallyport_webview_session_outcomes_total",
            help: "Outcomes of the state machine.",
            labels: [("op", "\(operation)"), ("outcome", outcome)]
        )
        cells[operation.rawValue].append(Cell(outcome: outcome, counter: counter))
        counter.increment()
    }
}
