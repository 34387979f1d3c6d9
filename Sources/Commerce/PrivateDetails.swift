/// Who buys.
package struct Buyer: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The provider's name for the buyer.
    package let id: String?
    /// The buyer's own name.
    package let name: String?
    /// Where to write to.
    package let email: String?

    /// A buyer; empty texts count as missing.
    ///
    /// - Parameters:
    ///   - id: The provider's name for the buyer.
    ///   - name: The buyer's own name.
    ///   - email: Where to write to.
    package init(id: String? = nil, name: String? = nil, email: String? = nil) {
        self.id = id?.isEmpty == true ? nil : id
        self.name = name?.isEmpty == true ? nil : name
        self.email = email?.isEmpty == true ? nil : email
    }

    package var description: String { "<private>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Everything about a buyer that is stored sealed only: who, where to, and how it is paid.
///
/// It describes itself by a placeholder, as its parts do: none of it may reach a log.
package struct PrivateDetails: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Who buys.
    package let buyer: Buyer
    /// Where to send the order; empty where nothing is sent.
    package let address: Address
    /// What the provider shows of the means of payment, for example `Visa ****1111`.
    package let payment: String?

    /// Details.
    ///
    /// - Parameters:
    ///   - buyer: Who buys.
    ///   - address: Where to send the order.
    ///   - payment: What the provider shows of the means of payment; empty counts as missing.
    package init(buyer: Buyer, address: Address, payment: String? = nil) {
        self.buyer = buyer
        self.address = address
        self.payment = payment?.isEmpty == true ? nil : payment
    }

    /// The details that were stored.
    ///
    /// - Parameter stored: What `bytes` gave.
    /// - Throws: `malformed` for anything else.
    package init(stored: [UInt8]) throws(CommerceError) {
        var reader = CanonicalJSONReader(stored)
        try reader.expect("{\"buyer\":{\"id\":")
        let id = try reader.optionalText()
        try reader.expect(",\"name\":")
        let name = try reader.optionalText()
        try reader.expect(",\"email\":")
        buyer = Buyer(id: id, name: name, email: try reader.optionalText())
        try reader.expect("},\"address\":{")
        var address = Address()
        for part in Address.Part.allCases {
            try reader.expect(PrivateDetails.opening(of: part))
            address[part] = try reader.optionalText()
        }
        self.address = address
        try reader.expect("},\"payment\":")
        payment = try reader.optionalText()
        try reader.expect("}")
        try reader.end()
    }

    /// The bytes to seal: JSON with every member, in a fixed order.
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
        writer.append(literal: "}")
        return writer.bytes
    }

    /// What stands in front of a part of the address.
    private static func opening(of part: Address.Part) -> String { openings[part.place] }

    private static let openings = Address.Part.allCases.map { part in
        (part == Address.Part.allCases.first ? "\"" : ",\"") + part.rawValue + "\":"
    }

    package var description: String { "<private>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
