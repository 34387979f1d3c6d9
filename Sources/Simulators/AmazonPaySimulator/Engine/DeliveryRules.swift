import StrictJSON

/// Where a merchant ships to.
struct DeliveryRules: Sendable, Codable {
    struct Region: Sendable, Codable {
        let statesOrRegions: [String]
        /// May end in `*`.
        let postalCodes: [String]

        /// Whether an address of the right country lies here; a region that names nothing is the whole country.
        func contains(_ address: PostalAddress) -> Bool {
            guard !statesOrRegions.isEmpty || !postalCodes.isEmpty else { return true }
            if let state = address.stateOrRegion, statesOrRegions.contains(state) { return true }
            let code = Region.normalised(address.postalCode)
            return postalCodes.contains { pattern in
                let wanted = Region.normalised(pattern)
                return wanted.last == UInt8(ascii: "*") ? code.starts(with: wanted.dropLast()) : wanted == code
            }
        }

        /// Whether a star stands at the end of a postal code, if anywhere.
        var isWellFormed: Bool {
            postalCodes.allSatisfy { !$0.isEmpty && !$0.utf8.dropLast().contains(UInt8(ascii: "*")) }
        }

        private static func normalised(_ code: String) -> [UInt8] {
            code.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        }
    }

    enum Eligibility: Sendable, Equatable {
        case allowed
        case postOfficeBox
        case region
    }

    var refusesPostOfficeBoxes = false
    /// Whether `regions` are the only ones that are served, or the only ones that are not.
    var namesAllowedRegions = false
    /// By country; `nil` where there is no restriction.
    var regions: [String: Region]?
    /// As it came, for the object.
    var json: JSONValue = .null

    /// Whether countries are two capital letters, and their regions well-formed.
    var isWellFormed: Bool {
        (regions ?? [:]).allSatisfy { country, region in
            country.utf8.count == 2 && country.utf8.allSatisfy { (0x41...0x5A).contains($0) } && region.isWellFormed
        }
    }

    func eligibility(of entry: TestBuyer.BookEntry) -> Eligibility {
        if refusesPostOfficeBoxes, entry.isPostOfficeBox { return .postOfficeBox }
        guard let regions else { return .allowed }
        let isNamed = regions[entry.address.countryCode]?.contains(entry.address) ?? false
        return isNamed == namesAllowedRegions ? .allowed : .region
    }
}
