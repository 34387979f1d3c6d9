import Primitives

/// Holds every metric and writes them out in the Prometheus text format, version 0.0.4.
///
/// Asking twice for the same name and labels yields two cells of one series: each loop asks once for its own, counts without
/// touching the others' memory, and the text shows the sum.
package final class MetricsRegistry: Sendable {
    private let families = Lock<[MetricFamily]>([])

    /// A registry without metrics.
    package init() {}

    /// A new cell of a counter.
    ///
    /// - Parameters:
    ///   - name: Matches `[a-zA-Z_:][a-zA-Z0-9_:]*` and ends in `_total`; other characters become underscores.
    ///   - help: One sentence; the first registration of a name decides.
    ///   - labels: Names and values; values come from a closed list, never from a request.
    /// - Returns: A counter at zero.
    package func counter(_ name: String, help: String, labels: [(String, String)] = []) -> Counter {
        let cell = NumberCell()
        register(name, help, labels, .counter, .number(cell))
        return Counter(cell: cell)
    }

    /// A new cell of a gauge.
    ///
    /// - Parameters:
    ///   - name: Matches `[a-zA-Z_:][a-zA-Z0-9_:]*`; other characters become underscores.
    ///   - help: One sentence; the first registration of a name decides.
    ///   - labels: Names and values from a closed list.
    /// - Returns: A gauge at zero.
    package func gauge(_ name: String, help: String, labels: [(String, String)] = []) -> Gauge {
        let cell = NumberCell()
        register(name, help, labels, .gauge, .number(cell))
        return Gauge(cell: cell)
    }

    /// A new cell of a histogram.
    ///
    /// - Parameters:
    ///   - name: Matches `[a-zA-Z_:][a-zA-Z0-9_:]*` and ends in the unit; other characters become underscores.
    ///   - help: One sentence; the first registration of a name decides.
    ///   - labels: Names and values from a closed list.
    ///   - buckets: Upper bounds; they are sorted, and `+Inf` is added. All cells of a series use the same.
    /// - Returns: A histogram without observations.
    package func histogram(
        _ name: String,
        help: String,
        labels: [(String, String)] = [],
        buckets: [Double] = MetricsRegistry.latencyBuckets
    ) -> Histogram {
        let cells = BucketCells(bounds: buckets.sorted())
        register(name, help, labels, .histogram, .buckets(cells))
        return Histogram(cells: cells)
    }

    /// Bounds in seconds from half a millisecond to ten seconds.
    package static let latencyBuckets = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// Every metric in the Prometheus text format, in the order of registration.
    ///
    /// Any thread may ask; the numbers of one answer need not belong to one instant.
    ///
    /// - Returns: Lines that end in a line feed; empty without metrics.
    package func prometheusText() -> String {
        let snapshot = families.withLock { $0 }
        var output = ""
        for family in snapshot { family.write(to: &output) }
        return output
    }

    private func register(
        _ name: String,
        _ help: String,
        _ labels: [(String, String)],
        _ kind: MetricFamily.Kind,
        _ cell: MetricFamily.Cell
    ) {
        let name = MetricFamily.validName(name)
        let labels = MetricFamily.labelText(labels)
        families.withLock { families in
            if let index = families.firstIndex(where: { $0.name == name && $0.kind == kind }) {
                families[index].add(cell, labels: labels)
            } else {
                var family = MetricFamily(name: name, help: help, kind: kind)
                family.add(cell, labels: labels)
                families.append(family)
            }
        }
    }
}
