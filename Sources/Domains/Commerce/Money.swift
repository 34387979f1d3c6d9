import Primitives

/// A sum of money in a currency, never negative.
///
/// Kept in minor units, the smallest coin: yen for `JPY`, hundredths for the others. All arithmetic is checked; there is no
/// floating point anywhere near it, and no conversion between currencies.
package struct Money: Sendable, Hashable {
    /// Minor units, 0 to `limit`.
    package let units: Int64
    /// What they are units of.
    package let currency: Currency

    /// The greatest sum in minor units, the same as that of `Yen`.
    package static let limit: Int64 = Yen.limit

    /// The given sum, or `nil` outside 0 to `limit`.
    ///
    /// - Parameters:
    ///   - units: Minor units.
    ///   - currency: What they are units of.
    package init?(units: Int64, _ currency: Currency) {
        guard units >= 0, units <= Money.limit else { return nil }
        self.units = units
        self.currency = currency
    }

    /// The given sum of yen.
    ///
    /// - Parameter yen: Every sum of yen has its `Money`.
    package init(_ yen: Yen) {
        units = yen.amount
        currency = .jpy
    }

    /// The sum that a decimal text stands for, or `nil` where the text is none.
    ///
    /// Yen: up to twelve digits. The others: up to ten digits, then at most a point with one or two more; `12.5` is 12 whole
    /// and 50 hundredths. No sign, blank, exponent, comma or leading zero.
    ///
    /// - Parameters:
    ///   - text: ASCII.
    /// - Returns: 0 to just under `limit`.
    package static func parse(_ text: String, _ currency: Currency) -> Money? {
        let bytes = Array(text.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
        guard let whole = DecimalDigits.parse(bytes.span.extracting(0..<end), limit: currency.greatestWhole) else {
            return nil
        }
        var fraction: Int64 = 0
        if end < bytes.count {
            let digits = bytes[(end + 1)...]
            guard !digits.isEmpty, digits.count <= currency.fractionDigits else { return nil }
            for place in 0..<currency.fractionDigits {
                let digit = place < digits.count ? digits[end + 1 + place] : UInt8(ascii: "0")
                guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
                fraction = fraction * 10 + Int64(digit - UInt8(ascii: "0"))
            }
        }
        return Money(units: Int64(whole) * currency.unitsPerWhole + fraction, currency)
    }

    /// The sum as the provider writes it, `27456` or `12.50`: always two digits behind the point but for yen.
    package var text: String {
        let (whole, fraction) = units.quotientAndRemainder(dividingBy: currency.unitsPerWhole)
        guard currency.fractionDigits > 0 else { return String(whole) }
        return "\(whole).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    /// The sum where it is one of yen; no other currency is ever taken for it.
    package var yen: Yen? { currency == .jpy ? Yen(exactly: units) : nil }

    /// This sum and another one together.
    ///
    /// - Parameter other: What to add; in the same currency.
    /// - Throws: `currency` for two currencies, `overflow` above `limit`.
    package func adding(_ other: Money) throws(CommerceError) -> Money {
        try result(units.addingReportingOverflow(other.units), with: other)
    }

    /// This sum without another one.
    ///
    /// - Parameter other: What to take away; in the same currency.
    /// - Returns: The rest, zero or more.
    /// - Throws: `currency` for two currencies, `overflow` where the other one is greater.
    package func subtracting(_ other: Money) throws(CommerceError) -> Money {
        try result(units.subtractingReportingOverflow(other.units), with: other)
    }

    private func result(
        _ outcome: (partialValue: Int64, overflow: Bool),
        with other: Money
    ) throws(CommerceError) -> Money {
        guard other.currency == currency else {
            throw CommerceError(.currency, "\(currency.rawValue) and \(other.currency.rawValue) in one sum")
        }
        guard !outcome.overflow, let sum = Money(units: outcome.partialValue, currency) else {
            throw CommerceError(.overflow, "a sum outside 0 to \(Money.limit) minor units")
        }
        return sum
    }
}
