package import Commerce

/// An amount in a currency, in whole units.
///
/// The account's currency is yen. An amount in another currency decodes where it is whole, so that a mismatch can be told
/// from nonsense; it is never taken for yen.
package struct Price: Sendable, Hashable, Codable {
    /// Whole units of the currency.
    package let amount: Yen
    /// Three capital letters.
    package let currencyCode: String

    /// The currency of the Japanese ledger.
    package static let yenCode = "JPY"

    /// An amount of yen.
    ///
    /// - Parameter amount: Whole yen.
    package init(_ amount: Yen) {
        self.amount = amount
        currencyCode = Price.yenCode
    }

    /// The amount when it is in yen, `nil` otherwise.
    package var yen: Yen? { currencyCode == Price.yenCode ? amount : nil }

    private enum CodingKeys: String, CodingKey {
        case amount
        case currencyCode
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard let amount = Price.amount(members), let currencyCode = members.text(.currencyCode) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no whole amount in a currency")
            )
        }
        self.amount = amount
        self.currencyCode = currencyCode
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        // As a text: what the vendor documents.
        try members.encode(amount.digits, forKey: .amount)
        try members.encode(currencyCode, forKey: .currencyCode)
    }

    /// Digits in a text, with or without zeros behind a point, or a whole number.
    private static func amount(_ members: KeyedDecodingContainer<CodingKeys>) -> Yen? {
        if let number = try? members.decode(Int64.self, forKey: .amount) { return Yen(exactly: number) }
        guard let text = members.text(.amount) else { return nil }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 1 || (!parts[1].isEmpty && parts[1].utf8.allSatisfy { $0 == UInt8(ascii: "0") }),
            let amount = Yen.parse(String(parts[0])), amount.digits == parts[0]
        else { return nil }
        return amount
    }
}
