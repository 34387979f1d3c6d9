import Synchronization

/// The memory behind a counter or a gauge.
///
/// Each cell has one usual writer and a cache line of its own, so that loops do not disturb each other.
final class NumberCell: Sendable {
    let value = Atomic<Int>(0)
    private let padding = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
}

/// The memory behind a histogram.
final class BucketCells: Sendable {
    let bounds: [Double]
    let counts: [NumberCell]
    let sumMicros = Atomic<Int>(0)

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = (0...bounds.count).map { _ in NumberCell() }
    }
}

/// Counts what happened; only grows.
package struct Counter: Sendable {
    let cell: NumberCell

    /// Adds to the count.
    ///
    /// - Parameter amount: Zero or more; a negative amount is ignored.
    package func increment(by amount: Int = 1) {
        guard amount >= 0 else { return }
        cell.value.wrappingAdd(amount, ordering: .relaxed)
    }

    /// What this counter itself has counted.
    package var value: Int { cell.value.load(ordering: .relaxed) }
}

/// A number that goes up and down.
package struct Gauge: Sendable {
    let cell: NumberCell

    /// Changes the number.
    package func add(_ amount: Int) {
        cell.value.wrappingAdd(amount, ordering: .relaxed)
    }

    /// Replaces the number.
    package func set(_ value: Int) {
        cell.value.store(value, ordering: .relaxed)
    }

    /// The number as this gauge holds it.
    package var value: Int { cell.value.load(ordering: .relaxed) }
}

/// Sorts observations into buckets.
package struct Histogram: Sendable {
    let cells: BucketCells

    /// Counts one observation.
    ///
    /// - Parameter value: In the unit of the bounds, kept to a millionth; a value that is no number is ignored.
    package func observe(_ value: Double) {
        guard value.isFinite, let micros = Int(exactly: (value * 1_000_000).rounded()) else { return }
        var index = 0
        while index < cells.bounds.count, value > cells.bounds[index] { index += 1 }
        cells.counts[index].value.wrappingAdd(1, ordering: .relaxed)
        cells.sumMicros.wrappingAdd(micros, ordering: .relaxed)
    }
}
