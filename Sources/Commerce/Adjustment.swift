/// What comes on top of an order's lines or is taken off: a discount, points, a coupon, a fee.
package struct Adjustment: Sendable, Hashable {
    /// What the buyer reads.
    package let name: String
    /// Minor units of the order's currency; below zero is taken off.
    package let units: Int64

    /// An adjustment, or `nil` where it is more than `Money.limit` either way.
    ///
    /// - Parameters:
    ///   - name: What the buyer reads.
    ///   - units: Minor units of the order's currency; below zero is taken off.
    package init?(name: String, units: Int64) {
        guard units >= -Money.limit, units <= Money.limit else { return nil }
        self.name = name
        self.units = units
    }
}

extension [Adjustment] {
    /// All of them together; no number that fits into memory overflows.
    package var units: Int64 { reduce(0) { $0 + $1.units } }
}
