import Primitives
import StrictJSON

/// The currencies of the ledger.
enum Currency: String, Sendable, CaseIterable, Codable {
    case jpy = "JPY"
    case usd = "USD"
    case eur = "EUR"
    case gbp = "GBP"

    /// How many digits an amount may have behind its point.
    var fractionDigits: Int { self == .jpy ? 0 : 2 }
}

/// An amount of money in whole units of the smallest coin.
struct Price: Sendable, Equatable, Codable {
    /// Yen, or hundredths of the other currencies; zero or more.
    let units: Int64
    let currency: Currency

    /// The price with the given amount, or `nil` where the text is no amount of the currency.
    ///
    /// - Parameters:
    ///   - amount: Digits, and for all currencies but yen up to two more behind a point.
    init?(amount: String, currency: Currency) {
        let parts = amount.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 1 || (parts.count == 2 && currency.fractionDigits > 0) else { return nil }
        let whole = Array(parts[0])
        guard let upper = DecimalDigits.parse(whole.span, limit: Price.greatestWhole) else { return nil }
        var lower: Int64 = 0
        if parts.count == 2 {
            let digits = parts[1]
            guard (1...currency.fractionDigits).contains(digits.count) else { return nil }
            for digit in digits {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                lower = lower * 10 + Int64(digit - UInt8(ascii: "0"))
            }
            if digits.count < currency.fractionDigits { lower *= 10 }
        }
        units = Int64(upper) * (currency.fractionDigits == 0 ? 1 : 100) + lower
        self.currency = currency
    }

    /// The price that a value stands for, or `nil` where it is none; the amount may be a text or a number.
    init?(_ value: JSONValue?) {
        guard let value, let currency = value["currencyCode"]?.text.flatMap(Currency.init(rawValue:)) else {
            return nil
        }
        switch value["amount"] {
        case .string(let amount), .number(let amount): self.init(amount: amount, currency: currency)
        default: return nil
        }
    }

    init(units: Int64, _ currency: Currency) {
        self.units = units
        self.currency = currency
    }

    /// The amount as the service writes it: no grouping, two digits behind the point where the currency has them.
    var amount: String {
        guard currency.fractionDigits > 0 else { return String(units) }
        let cents = units % 100
        return "\(units / 100).\(cents < 10 ? "0" : "")\(cents)"
    }

    var json: JSONValue { ["amount": .string(amount), "currencyCode": .string(currency.rawValue)] }

    /// Far above every ceiling, far below an overflow.
    private static let greatestWhole = 1_000_000_000_000
}
