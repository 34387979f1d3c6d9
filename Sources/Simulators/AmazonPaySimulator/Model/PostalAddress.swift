import StrictJSON

/// An address in the members of the service.
package struct PostalAddress: Sendable, Equatable, Codable {
    /// The recipient.
    package var name: String
    /// Up to three lines; in Japan everything below the prefecture.
    package var lines: [String]
    /// Normally absent in Japan.
    package var city: String?
    /// The prefecture in kanji, or the state.
    package var stateOrRegion: String?
    /// In Japan `NNN-NNNN`.
    package var postalCode: String
    /// Two letters.
    package var countryCode: String
    /// May be empty.
    package var phoneNumber: String

    /// The given address.
    ///
    /// - Parameters:
    ///   - city: `nil` for Japan.
    ///   - phoneNumber: May be empty.
    package init(
        name: String,
        lines: [String],
        city: String? = nil,
        stateOrRegion: String?,
        postal: (countryCode: String, code: String),
        phoneNumber: String
    ) {
        self.name = name
        self.lines = lines
        self.city = city
        self.stateOrRegion = stateOrRegion
        postalCode = postal.code
        countryCode = postal.countryCode
        self.phoneNumber = phoneNumber
    }

    var json: JSONValue {
        func line(_ index: Int) -> JSONValue { index < lines.count ? .string(lines[index]) : .null }
        return [
            "name": .string(name), "addressLine1": line(0), "addressLine2": line(1), "addressLine3": line(2),
            "city": JSONValue(city), "county": nil, "district": nil, "stateOrRegion": JSONValue(stateOrRegion),
            "postalCode": .string(postalCode), "countryCode": .string(countryCode),
            "phoneNumber": .string(phoneNumber),
        ]
    }

    /// The address on one line, for a person to choose from.
    var summary: String {
        let parts = [postalCode, stateOrRegion ?? "", city ?? ""] + lines + [countryCode == "JP" ? "" : countryCode]
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}
