/// What a signed button starts: a one-time payment with delivery and a review page.
package struct CheckoutPayload: Sendable, Hashable {
    /// A part of the buyer's data that the merchant asks for.
    package enum Scope: String, Sendable, Encodable, CaseIterable {
        /// The buyer's name.
        case name
        /// The buyer's mail address.
        case email
        /// The buyer's telephone number.
        case phoneNumber
        /// The address of the invoice.
        case billingAddress
        /// The postal code alone.
        case postalCode
        /// The address of the delivery.
        case shippingAddress
        /// Whether the buyer is a Prime member.
        case primeStatus
    }

    /// Where Amazon sends the buyer for review; https, at most 512 characters, no fragment.
    package var reviewURL: String
    /// Where a buyer who gives up lands.
    package var cancelURL: String
    /// The store.
    package var storeID: String
    /// What is asked of the buyer; empty for the vendor's default.
    package var scopes: [Scope] = []
    /// Countries to which there is delivery, two capital letters each; empty for no restriction.
    package var countries: [String] = []
    /// Our own marks.
    package var metadata = MerchantMetadata()

    /// A payload with the vendor's defaults.
    ///
    /// - Parameters:
    ///   - reviewURL: https, at most 512 characters, no fragment.
    ///   - cancelURL: https.
    ///   - storeID: The store.
    package init(reviewURL: String, cancelURL: String, storeID: String) {
        self.reviewURL = reviewURL
        self.cancelURL = cancelURL
        self.storeID = storeID
    }

    /// The text that is signed and handed to the page; UTF-8, the same for the same value.
    package var json: [UInt8] {
        let restrictions = Dictionary(countries.map { ($0, Wire.Empty()) }) { first, _ in first }
        return WireJSON.octets(
            Wire(
                webCheckoutDetails: Wire.Web(checkoutReviewReturnUrl: reviewURL, checkoutCancelUrl: cancelURL),
                storeId: storeID,
                scopes: scopes.isEmpty ? nil : scopes,
                chargePermissionType: "OneTime",
                deliverySpecifications: countries.isEmpty
                    ? nil : Wire.Delivery(addressRestrictions: Wire.Restrictions(restrictions: restrictions)),
                merchantMetadata: metadata
            )
        )
    }

    private struct Wire: Encodable {
        struct Web: Encodable {
            let checkoutReviewReturnUrl: String
            let checkoutCancelUrl: String
        }

        struct Empty: Encodable {}

        struct Restrictions: Encodable {
            var type = "Allowed"
            let restrictions: [String: Empty]
        }

        struct Delivery: Encodable {
            let addressRestrictions: Restrictions
        }

        let webCheckoutDetails: Web
        let storeId: String
        let scopes: [Scope]?
        let chargePermissionType: String
        let deliverySpecifications: Delivery?
        let merchantMetadata: MerchantMetadata
    }
}
