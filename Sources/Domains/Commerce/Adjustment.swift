/// What comes on top of an order's lines or is taken off: a discount, points, a coupon, a fee.
package struct Adjustment: Sendable, Hashable {
    /// What the buyer reads.
    package var name: String
    /// Minor units of the order's currency; below zero is taken off.
    package let units: Int64
    /// The rate of what it belongs to, where the prices of its order include tax; `nil` leaves it to the rules of `TaxBases`.
    package let taxRate: TaxRate?

    /// An adjustment, or `nil` where it is more than `Money.limit` either way.
    ///
    /// - Parameters:
    ///   - units: Minor units of the order's currency; below zero is taken off.
    ///   - taxRate: The rate of what it belongs to.
    package init?(name: String, units: Int64, taxRate: TaxRate? = nil) {
        guard units >= -Money.limit, units <= Money.limit else { return nil }
        self.name = name
        self.units = units
        self.taxRate = taxRate
    }
}

extension [Adjustment] {
    /// All of them together; no number that fits into memory overflows.
    package var units: Int64 { reduce(0) { $0 + $1.units } }
}
