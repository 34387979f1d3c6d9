/// A currency in which an account may be charged; the raw value is its code in ISO 4217.
package enum Currency: String, Sendable, Hashable, CaseIterable {
    /// The yen, which has no smaller coin.
    case jpy = "JPY"
    /// The dollar of the United States.
    case usd = "USD"
    /// The euro.
    case eur = "EUR"
    /// The pound sterling.
    case gbp = "GBP"

    /// How many digits an amount has behind its point: 0 or 2.
    package var fractionDigits: Int { self == .jpy ? 0 : 2 }

    /// How many minor units make a whole one: 1 or 100.
    package var unitsPerWhole: Int64 { self == .jpy ? 1 : 100 }

    /// The greatest whole number that an amount may be written with: twelve digits for yen, ten for the others.
    ///
    /// Both come to just under `Money.limit`.
    var greatestWhole: Int { self == .jpy ? 999_999_999_999 : 9_999_999_999 }
}
