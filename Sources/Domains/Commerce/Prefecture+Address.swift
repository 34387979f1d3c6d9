/// Why an address has no prefecture that prices could go by.
package enum UnplacedAddress: String, Error, Sendable, CaseIterable {
    /// Another country.
    case abroad = "the address is not in Japan"
    /// Neither region nor postal code names one.
    case unknown = "neither the region nor the postal code of the address names a prefecture"
    /// Only the postal code says something, and prefectures share it.
    case shared = "several prefectures share the postal code, and the region names none of them"
    /// Region and postal code name different ones.
    case contradiction = "the region and the postal code of the address name different prefectures"
}

extension Prefecture {
    /// The prefecture of an address.
    ///
    /// Region and postal code are free text. Where both say something they have to agree; where one says nothing, the other
    /// counts. What is left in doubt has no prefecture, since a guess would be a price.
    ///
    /// - Parameter address: As the provider gives it; without a country it is taken for a Japanese one if its region is.
    /// - Throws: Why there is none.
    package init(of address: Address) throws(UnplacedAddress) {
        let country = address.withBytes(of: .countryCode) { Prefecture.isJapan($0) }
        guard country != false else { throw .abroad }
        let named = address.withBytes(of: .stateOrRegion) { Prefecture(named: $0) } ?? nil
        let prefix = address.withBytes(of: .postalCode) { PostalPrefixes.prefix(of: $0) } ?? nil
        let coded = prefix.map { PostalPrefixes.prefectures($0) } ?? []
        if let named {
            guard coded.isEmpty || coded.contains(named) else { throw .contradiction }
            self = named
            return
        }
        // Other countries have codes of seven digits too.
        guard country == true, let only = coded.first else { throw .unknown }
        guard coded.count == 1 else { throw .shared }
        self = only
    }

    private static func isJapan(_ text: Span<UInt8>) -> Bool? {
        guard let name = FoldedPlaceName(text) else { return text.count > FoldedPlaceName.limit ? false : nil }
        return countries.contains { name.isEqual($0) }
    }

    private static let countries = ["jp", "jpn", "japan", "日本", "日本国"].compactMap { text in
        FoldedPlaceName(text.utf8Span.span)?.octets
    }
}
