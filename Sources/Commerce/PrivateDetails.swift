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
        let tree = try JSONValue(String(decoding: stored, as: UTF8.self))
        guard let buyer = tree["buyer"], let address = tree["address"] else {
            throw CommerceError(.malformed, "private details without buyer or address")
        }
        self.buyer = Buyer(
            id: buyer["id"]?.textValue,
            name: buyer["name"]?.textValue,
            email: buyer["email"]?.textValue
        )
        var parts = Address()
        for part in Address.Part.allCases { parts[part] = address[part.rawValue]?.textValue }
        self.address = parts
        payment = tree["payment"]?.textValue
    }

    /// The bytes to seal: JSON with every member, in a fixed order.
    package var bytes: [UInt8] {
        let tree = JSONValue.object([
            (
                "buyer",
                .object([
                    ("id", .optional(buyer.id)), ("name", .optional(buyer.name)), ("email", .optional(buyer.email)),
                ])
            ),
            ("address", .object(Address.Part.allCases.map { ($0.rawValue, .optional(address[$0])) })),
            ("payment", .optional(payment)),
        ])
        return Array(tree.text.utf8)
    }

    package var description: String { "<private>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
