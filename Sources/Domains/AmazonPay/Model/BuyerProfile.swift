package import Commerce

/// What a buyer who signed in lets the merchant know; every part but the identifier may be missing.
package struct BuyerProfile: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The vendor's name for the buyer at this merchant, `amzn1.account.` and letters and digits.
    package let buyerID: String
    /// Who it is.
    package let buyer: Buyer
    /// As the buyer typed it.
    package let phoneNumber: String?
    /// As the country writes it.
    package let postalCode: String?
    /// Two capital letters.
    package let countryCode: String?
    /// Where the buyer has things sent to.
    package let shippingAddress: Address?
    /// Where the invoice goes.
    package let billingAddress: Address?

    /// Reads a profile.
    ///
    /// - Throws: `unreadable` for text that is not JSON, or holds no identifier.
    package init(json: [UInt8]) throws(AmazonPayError) {
        self = try ObjectBody.read(json, as: "buyer")
    }

    package var description: String { "<private>" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension BuyerProfile: Decodable {
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: WireMember.self)
        buyerID = try members.id(.buyerId) { $0.isEmpty ? nil : $0 }
        buyer = try WireBuyer(from: decoder).buyer
        phoneNumber = members.text(.phoneNumber)
        postalCode = members.text(.postalCode)
        countryCode = members.text(.countryCode)
        shippingAddress = members.address(.shippingAddress)
        billingAddress = members.address(.billingAddress)
    }
}
