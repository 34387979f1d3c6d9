import MerchantOrders
import Telemetry

/// Gauges of what has no outcome yet, as the database holds it; made at the first reading, so that a missing series means not
/// read.
final class UnsettledGauges {
    private let counts: [Series: Gauge]
    private let ages: [Series: Gauge]

    private struct Series: Hashable {
        let kind: UnsettledKind
        let isStuck: Bool
    }

    /// Gauges, all zero.
    init(_ metrics: MetricsRegistry) {
        var counts: [Series: Gauge] = [:]
        var ages: [Series: Gauge] = [:]
        func add(_ kind: UnsettledKind, isStuck: Bool, _ name: String, _ state: String?, _ help: String) {
            let series = Series(kind: kind, isStuck: isStuck)
            let labels = state.map { [("state", $0)] } ?? []
            counts[series] = metrics.gauge(name, help: help, labels: labels)
            ages[series] = metrics.gauge(
                name + "_oldest_seconds",
                help: "Age in seconds of the oldest of `\(name)`.",
                labels: labels
            )
        }
        let purchases = "Purchases without an outcome: under way, or given up until a person decides."
        add(.purchase, isStuck: false, "sallyport_purchases", "paying", purchases)
        add(.purchase, isStuck: true, "sallyport_purchases", "stuck", purchases)
        let payments = "Operations on payments without an outcome: open, or given up until a person decides."
        add(.payment, isStuck: false, "sallyport_payments", "open", payments)
        add(.payment, isStuck: true, "sallyport_payments", "stuck", payments)
        add(
            .charge,
            isStuck: true,
            "sallyport_unmatched_charges",
            nil,
            "Sessions that are unpaid here and have a charge at the provider."
        )
        self.counts = counts
        self.ages = ages
    }

    /// Shows a reading.
    func show(_ reading: [UnsettledCount]) {
        for (series, gauge) in counts {
            let found = reading.first { $0.kind == series.kind && $0.isStuck == series.isStuck }
            gauge.set(found?.count ?? 0)
            ages[series]?.set(Int(found?.oldest.components.seconds ?? 0))
        }
    }
}
