package import Commerce

/// What a signed button starts: a one-time payment with delivery and a review page, or one that an app starts at its end.
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

    /// Where Amazon sends the buyer for review; https, at most 512 characters, no fragment; not sent with `mobile`.
    package var reviewURL: String
    /// Where a buyer who gives up lands; not sent with `mobile`.
    package var cancelURL: String
    /// The store.
    package var storeID: String
    /// What is asked of the buyer; empty for the vendor's default.
    package var scopes: [Scope] = []
    /// Countries to which there is delivery, two capital letters each; empty for no restriction.
    package var countries: [String] = []
    /// Which addresses of these countries can be chosen; `nil` for all.
    package var restrictions: DeliveryRestrictions?
    /// Our own marks.
    package var metadata = MerchantMetadata()
    /// What is to be paid, where it is known before the review.
    package var payment: PaymentDetails?
    /// Where to, where the merchant asked the buyer; only with `mobile`.
    package var deliveryAddress: Address?
    /// The links of an app that starts the checkout itself: then there is no review, and payment details are needed.
    package var mobile: MobileLinks?

    /// A payload with the vendor's defaults.
    ///
    /// - Parameters:
    ///   - reviewURL: https, at most 512 characters, no fragment.
    package init(reviewURL: String, cancelURL: String, storeID: String) {
        self.reviewURL = reviewURL
        self.cancelURL = cancelURL
        self.storeID = storeID
    }

    /// A payload for an app that starts the checkout itself.
    package init(mobile: MobileLinks, payment: PaymentDetails, storeID: String) {
        reviewURL = ""
        cancelURL = mobile.cancel
        self.storeID = storeID
        self.mobile = mobile
        self.payment = payment
    }

    /// The text that is signed and handed to the page or the app; UTF-8, the same for the same value.
    package var json: [UInt8] { octets(mode: mobile == nil ? nil : "ProcessOrder") }

    /// The same for a session that the server creates, where the service knows no mode.
    func octets(mode: String?) -> [UInt8] {
        WireJSON.octets(
            Wire(
                webCheckoutDetails: Wire.Web(
                    checkoutMode: mode,
                    checkoutReviewReturnUrl: mobile == nil ? reviewURL : nil,
                    checkoutResultReturnUrl: mobile?.result,
                    checkoutCancelUrl: mobile?.cancel ?? cancelURL,
                    checkoutErrorUrl: mobile?.error
                ),
                storeId: storeID,
                scopes: scopes.isEmpty ? nil : scopes,
                chargePermissionType: "OneTime",
                deliverySpecifications: delivery,
                addressDetails: mobile == nil ? nil : deliveryAddress.map { WireAddressDetails($0) },
                paymentDetails: payment,
                merchantMetadata: metadata
            )
        )
    }

    /// Where the buyer may have it sent; `nil` for anywhere.
    private var delivery: Wire.Delivery? {
        guard !countries.isEmpty else { return nil }
        let region = restrictions.map { restrictions in
            Wire.Region(
                statesOrRegions: restrictions.prefectures.isEmpty ? nil : restrictions.prefectures.map(\.kanji),
                zipCodes: restrictions.postalCodes.isEmpty ? nil : restrictions.postalCodes
            )
        }
        let kind = restrictions?.kind ?? .allowed
        let regions = Dictionary(countries.map { ($0, region ?? Wire.Region()) }) { first, _ in first }
        return Wire.Delivery(
            addressRestrictions: Wire.Restrictions(type: kind.rawValue, restrictions: regions)
        )
    }

    private struct Wire: Encodable {
        struct Web: Encodable {
            let checkoutMode: String?
            let checkoutReviewReturnUrl: String?
            let checkoutResultReturnUrl: String?
            let checkoutCancelUrl: String
            let checkoutErrorUrl: String?
        }

        struct Region: Encodable {
            var statesOrRegions: [String]?
            var zipCodes: [String]?
        }

        struct Restrictions: Encodable {
            let type: String
            let restrictions: [String: Region]
        }

        struct Delivery: Encodable {
            let addressRestrictions: Restrictions
        }

        let webCheckoutDetails: Web
        let storeId: String
        let scopes: [Scope]?
        let chargePermissionType: String
        let deliverySpecifications: Delivery?
        let addressDetails: WireAddressDetails?
        let paymentDetails: PaymentDetails?
        let merchantMetadata: MerchantMetadata
    }
}

/// A session that the server creates, rather than a button.
package struct CheckoutCreation: Sendable, Hashable {
    /// What a button would start.
    package var payload: CheckoutPayload

    /// A creation.
    ///
    /// - Parameter payload: What a button would start; the mode that a button names for an app is left out.
    package init(_ payload: CheckoutPayload) {
        self.payload = payload
    }

    /// The body of the call; the same for the same value.
    package var json: [UInt8] { payload.octets(mode: nil) }
}
