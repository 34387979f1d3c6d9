/// A rate of Japan's consumption tax.
package enum TaxRate: Int, Sendable, Hashable, CaseIterable {
    /// Ten per cent.
    case standard = 10
    /// Eight per cent: food and drink but for alcohol and restaurants, newspapers by subscription.
    case reduced = 8
    /// No tax: gift certificates, postage stamps.
    case untaxed = 0

    /// The highest first; kept, because orders are read for each page.
    package static let allCases: [TaxRate] = [.standard, .reduced, .untaxed]

    /// In per cent.
    package var percent: Int64 { Int64(rawValue) }
}

/// What is paid at each rate of the consumption tax, tax included.
///
/// The tax of a rate is computed once, from everything that is paid at it, and rounded down to a whole unit: a qualified invoice
/// allows one rounding for each rate, and none for a line.
package struct TaxBases: Sendable, Hashable {
    private var standard: Int64 = 0
    private var reduced: Int64 = 0
    private var untaxed: Int64 = 0

    /// What is paid at a rate: zero or more minor units, but for the rate of a postage that discounts pay a part of, until that
    /// is added.
    package private(set) subscript(rate: TaxRate) -> Int64 {
        get {
            switch rate {
            case .standard: standard
            case .reduced: reduced
            case .untaxed: untaxed
            }
        }
        set {
            switch rate {
            case .standard: standard = newValue
            case .reduced: reduced = newValue
            case .untaxed: untaxed = newValue
            }
        }
    }

    /// The sums of lines and adjustments, or `nil` where more is taken off at a rate than is paid at it, or a sum leaves the
    /// bounds of `Money`.
    ///
    /// An adjustment with a rate belongs to that rate. A fee without one is taxed at the standard rate. Discounts without one are
    /// taken off in proportion to what is paid at each rate then; the fractions of a unit are taken off at the lower rate. What
    /// they are more is taken off the postage.
    ///
    /// - Parameters:
    ///   - lines: The rate and the sum of each line, tax included.
    ///   - adjustments: What comes on top or is taken off, tax included.
    ///   - postage: Of which discounts may take off something, too; not added.
    package init?(
        of lines: some Sequence<(rate: TaxRate, sum: Int64)>,
        _ adjustments: [Adjustment] = [],
        sparing postage: (rate: TaxRate, sum: Int64) = (.standard, 0)
    ) {
        for line in lines {
            guard add(line.sum, at: line.rate) else { return nil }
        }
        var discount: Int64 = 0
        for adjustment in adjustments {
            if let rate = adjustment.taxRate ?? (adjustment.units < 0 ? nil : .standard) {
                guard add(adjustment.units, at: rate) else { return nil }
            } else {
                let (sum, overflow) = discount.subtractingReportingOverflow(adjustment.units)
                guard !overflow else { return nil }
                discount = sum
            }
        }
        let areSums = TaxRate.allCases.allSatisfy { rate in
            ((rate == postage.rate ? -postage.sum : 0)...Money.limit).contains(self[rate])
        }
        guard areSums, discount <= total + postage.sum else { return nil }
        if discount > 0 { takeOff(discount, orAt: postage.rate) }
    }

    private mutating func add(_ sum: Int64, at rate: TaxRate) -> Bool {
        let (whole, overflow) = self[rate].addingReportingOverflow(sum)
        self[rate] = whole
        return !overflow
    }

    /// Takes off at most what there is and the postage.
    ///
    /// The shares are differences of rounded sums, so they add up, and none exceeds its base.
    private mutating func takeOff(_ discount: Int64, orAt postageRate: TaxRate) {
        let whole = TaxRate.allCases.reduce(0) { $0 + max(self[$1], 0) }
        let share = min(discount, whole)
        var reached: Int64 = 0
        var taken: Int64 = 0
        for rate in TaxRate.allCases where self[rate] > 0 {
            reached += self[rate]
            // The product may need 80 bits; the quotient is at most the discount.
            let sum = whole.dividingFullWidth(share.multipliedFullWidth(by: reached)).quotient
            self[rate] -= sum - taken
            taken = sum
        }
        self[postageRate] -= discount - share
    }

    /// The sums with one more.
    ///
    /// - Parameters:
    ///   - sum: A sum within the bounds of `Yen`, tax included.
    package func adding(_ sum: Yen, at rate: TaxRate) -> TaxBases {
        var bases = self
        // Two sums of at most a trillion.
        bases[rate] += sum.amount
        return bases
    }

    /// The tax contained in what is paid at a rate, rounded down.
    ///
    /// - Returns: Minor units.
    package func tax(at rate: TaxRate) -> Int64 { self[rate] * rate.percent / (100 + rate.percent) }

    /// The tax of all rates.
    package var tax: Int64 { TaxRate.allCases.reduce(0) { $0 + tax(at: $1) } }

    /// What is paid at all rates.
    package var total: Int64 { standard + reduced + untaxed }

    /// The rates at which something is paid, the highest first.
    package var rates: [TaxRate] { TaxRate.allCases.filter { self[$0] > 0 } }
}
