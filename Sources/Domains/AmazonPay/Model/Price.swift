package import Commerce
import FoundationEssentials
import Primitives

/// An amount in a currency, as the provider wrote it.
///
/// Whatever stands there survives as text, so that a mismatch can be distinguished from nonsense; only what is an amount of a
/// known currency is money, and nothing but yen is ever taken for yen.
package struct Price: Sendable, Hashable, Codable {
    /// The sum; `nil` for an unknown currency and for a text that is no amount of the currency.
    package let money: Money?
    /// The amount as the provider wrote it; never empty.
    package let amountText: String
    /// Normally three capital letters; never empty.
    package let currencyCode: String

    /// A sum of yen.
    ///
    /// - Parameter amount: Whole yen.
    package init(_ amount: Yen) {
        self.init(Money(amount))
    }

    /// A sum in any currency.
    package init(_ money: Money) {
        self.money = money
        amountText = money.text
        currencyCode = money.currency.rawValue
    }

    /// The amount when it is in yen, `nil` otherwise.
    package var yen: Yen? { money?.yen }

    /// Whether it is certain which sum this is, or at least that it is none in a currency of ours.
    package var isReadable: Bool { money != nil || Currency(word: currencyCode.octets) == nil }

    private enum CodingKeys: String, CodingKey {
        case amount
        case currencyCode
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard let text = Price.amount(members), let code = members.text(.currencyCode) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no amount in a currency")
            )
        }
        amountText = text
        currencyCode = code
        money = Currency(word: code.octets).flatMap { Price.money(text, $0) }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        // As a text: what the vendor documents.
        try members.encode(amountText, forKey: .amount)
        try members.encode(currencyCode, forKey: .currencyCode)
    }

    /// A text, or a number: `Decimal` keeps its digits, which a floating number would not.
    private static func amount(_ members: KeyedDecodingContainer<CodingKeys>) -> String? {
        if let text = members.text(.amount) { return text }
        guard let number: Decimal = members.value(.amount) else { return nil }
        return number.description
    }

    /// An amount, with any number of zeros behind the digits that the currency has.
    private static func money(_ text: String, _ currency: Currency) -> Money? {
        guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return Money.parse(text, currency) }
        let fraction = text.utf8[point...].dropFirst()
        let zeros = fraction.dropFirst(currency.fractionDigits)
        guard !fraction.isEmpty, zeros.allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
        // Up to the point where the currency has no digits behind it.
        let end = currency.fractionDigits == 0 ? point : zeros.startIndex
        return Money.parse(String(Substring(text.utf8[..<end])), currency)
    }
}
