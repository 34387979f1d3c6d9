/// Who buys.
package struct Buyer: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Id, name and mail address.
    private var parts: TextParts

    /// A buyer; empty texts count as missing.
    package init(id: String? = nil, name: String? = nil, email: String? = nil) {
        parts = TextParts()
        parts[0] = id
        parts[1] = name
        parts[2] = email
    }

    /// The parts as they were stored: id, name and mail address.
    init(_ parts: TextParts) {
        self.parts = parts
    }

    /// The provider's name for the buyer.
    package var id: String? { parts[0] }

    /// The buyer's own name.
    package var name: String? { parts[1] }

    /// Where to write to.
    package var email: String? { parts[2] }

    package var description: String { "<private>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Everything about a buyer that is stored sealed only: who, where to, how it is paid, and why nothing can be sent there.
///
/// It describes itself by a placeholder, as its parts do: none of it may reach a log.
package struct PrivateDetails: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Who buys.
    package let buyer: Buyer
    /// Where to send the order; empty where nothing is sent.
    package let address: Address
    /// What the provider shows of the means of payment, for example `Visa ****1111`.
    package let payment: String?
    /// Why nothing is sent to the address; `nil` where it has a price.
    package let undeliverable: Undeliverable?

    /// Details.
    ///
    /// - Parameters:
    ///   - payment: What the provider shows of the means of payment; empty counts as missing.
    ///   - undeliverable: Why nothing is sent to the address.
    package init(buyer: Buyer, address: Address, payment: String? = nil, undeliverable: Undeliverable? = nil) {
        self.buyer = buyer
        self.address = address
        self.payment = payment?.isEmpty == true ? nil : payment
        self.undeliverable = undeliverable
    }

    /// The details that were stored.
    ///
    /// - Parameter stored: What `bytes` gave.
    /// - Throws: `malformed` for anything else.
    package init(stored: [UInt8]) throws(CommerceError) {
        var reader = CanonicalJSONReader(stored)
        var who = InlineArray<11, TextParts.Piece>(repeating: .missing)
        try reader.expect("{\"buyer\":{\"id\":")
        who[0] = TextParts.Piece(try reader.optionalRange())
        try reader.expect(",\"name\":")
        who[1] = TextParts.Piece(try reader.optionalRange())
        try reader.expect(",\"email\":")
        who[2] = TextParts.Piece(try reader.optionalRange())
        try reader.expect("},\"address\":{")
        var place = InlineArray<11, TextParts.Piece>(repeating: .missing)
        for part in Address.Part.allCases {
            try reader.expect(PrivateDetails.opening(of: part))
            place[part.place] = TextParts.Piece(try reader.optionalRange())
        }
        try reader.expect("},\"payment\":")
        payment = try reader.optionalText()
        undeliverable = try PrivateDetails.undeliverable(&reader)
        try reader.expect("}")
        try reader.end()
        buyer = Buyer(TextParts(reader.bytes, who))
        address = Address(TextParts(reader.bytes, place))
    }

    private static func undeliverable(_ reader: inout CanonicalJSONReader) throws(CommerceError) -> Undeliverable? {
        guard reader.take(",\"undeliverable\":{\"ja\":") else { return nil }
        let japanese = try reader.optionalText()
        try reader.expect(",\"en\":")
        let english = try reader.optionalText()
        try reader.expect("}")
        return BuyerSentence(japanese: japanese, english: english).map { Undeliverable.said($0) } ?? .restricted
    }

    /// The bytes to seal: JSON with its members in a fixed order; `undeliverable` is there only where it is said.
    package var bytes: [UInt8] {
        var writer = CanonicalJSONWriter()
        writer.append(literal: "{\"buyer\":{\"id\":")
        writer.append(buyer.id)
        writer.append(literal: ",\"name\":")
        writer.append(buyer.name)
        writer.append(literal: ",\"email\":")
        writer.append(buyer.email)
        writer.append(literal: "},\"address\":{")
        for part in Address.Part.allCases {
            writer.append(literal: PrivateDetails.opening(of: part))
            writer.append(address[part])
        }
        writer.append(literal: "},\"payment\":")
        writer.append(payment)
        if let undeliverable {
            var sentence: BuyerSentence?
            if case .said(let said) = undeliverable { sentence = said }
            writer.append(literal: ",\"undeliverable\":{\"ja\":")
            writer.append(sentence?.japanese)
            writer.append(literal: ",\"en\":")
            writer.append(sentence?.english)
            writer.append(literal: "}")
        }
        writer.append(literal: "}")
        return writer.bytes
    }

    /// What stands in front of a part of the address.
    private static func opening(of part: Address.Part) -> StaticString {
        switch part {
        case .name: "\"name\":"
        case .addressLine1: ",\"addressLine1\":"
        case .addressLine2: ",\"addressLine2\":"
        case .addressLine3: ",\"addressLine3\":"
        case .city: ",\"city\":"
        case .county: ",\"county\":"
        case .district: ",\"district\":"
        case .stateOrRegion: ",\"stateOrRegion\":"
        case .postalCode: ",\"postalCode\":"
        case .countryCode: ",\"countryCode\":"
        case .phoneNumber: ",\"phoneNumber\":"
        }
    }

    package var description: String { "<private>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
