/// Which addresses in Japan an order may go to: some prefectures and postal codes, or all but these.
package struct DeliveryRestrictions: Sendable, Hashable {
    /// What becomes of the addresses that are named; the raw value is the provider's word.
    package enum Kind: String, Sendable, CaseIterable {
        /// They alone are served.
        case allowed = "Allowed"
        /// All others in Japan are served.
        case notAllowed = "NotAllowed"
    }

    /// What becomes of the addresses that are named.
    package let kind: Kind
    /// Prefectures.
    package let prefectures: [Prefecture]
    /// Postal codes: `NNN-NNNN` or `NNNNNNN`, or the beginning of one and `*`.
    package let postalCodes: [String]

    /// The greatest number of prefectures: all there are.
    package static let maximumPrefectures = Prefecture.allCases.count
    /// The greatest number of postal codes.
    package static let maximumPostalCodes = 100

    /// Restrictions, or `nil` where there are too many of something, a postal code of another form, or nothing is named.
    ///
    /// - Parameters:
    ///   - kind: What becomes of the addresses that are named.
    ///   - prefectures: At most as many as there are.
    ///   - postalCodes: Whole ones, or the beginning of one and `*`.
    package init?(_ kind: Kind, prefectures: [Prefecture], postalCodes: [String]) {
        guard !prefectures.isEmpty || !postalCodes.isEmpty,
            prefectures.count <= DeliveryRestrictions.maximumPrefectures,
            postalCodes.count <= DeliveryRestrictions.maximumPostalCodes,
            postalCodes.allSatisfy(DeliveryRestrictions.isPostalCode)
        else { return nil }
        self.kind = kind
        self.prefectures = prefectures
        self.postalCodes = postalCodes
    }

    /// Whether an order may go to an address.
    ///
    /// The provider has compared it before, as it is spelled, and says nothing of other countries. So this refuses those, and
    /// a prefecture in whatever spelling. Postal codes and an address whose place is in doubt stand as the provider has them.
    ///
    /// - Returns: False for one abroad, too.
    package func admits(_ address: Address) -> Bool {
        let prefecture: Prefecture
        do throws(UnplacedAddress) {
            prefecture = try Prefecture(of: address)
        } catch {
            return error != .abroad
        }
        return switch kind {
        case .allowed: prefectures.contains(prefecture) || !postalCodes.isEmpty
        case .notAllowed: !prefectures.contains(prefecture)
        }
    }

    /// Whether a text is a postal code, or the beginning of one and `*`.
    ///
    /// - Returns: True for `904-0000`, `9040000`, `904-*` and `9*`.
    package static func isPostalCode(_ text: String) -> Bool {
        var octets = Array(text.utf8)
        if octets.count > 4, octets[3] == UInt8(ascii: "-") { octets.remove(at: 3) }
        let isOpen = octets.last == UInt8(ascii: "*")
        if isOpen { octets.removeLast() }
        return (isOpen ? 1...6 : 7...7).contains(octets.count) && octets.allSatisfy { (0x30...0x39).contains($0) }
    }
}
