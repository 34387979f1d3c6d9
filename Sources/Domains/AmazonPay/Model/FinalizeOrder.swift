package import Commerce

/// The facts of a checkout that an app started, sent once more so that the service sees tampering.
///
/// They have to be those of the signed payload.
package struct FinalizeOrder: Sendable, Hashable {
    /// What the buyer pays.
    package var amount: Money
    /// What is to happen to the money.
    package var intent: PaymentIntent
    /// Where to, where things are sent.
    package var shippingAddress: Address?
    /// Where the invoice goes, where it was asked for.
    package var billingAddress: Address?
    /// The whole order, where the payload named it.
    package var totalOrderAmount: Money?
    /// JSON of the merchant's, where the payload held some.
    package var supplementaryData: String?
    /// Whether the call may succeed before the bank has spoken.
    package var canHandlePendingAuthorization = false

    /// An order without addresses.
    ///
    /// - Parameters:
    ///   - intent: What is to happen to the money.
    package init(amount: Money, intent: PaymentIntent = .authorize) {
        self.amount = amount
        self.intent = intent
    }

    /// The body of the call; the same for the same value.
    package var json: [UInt8] {
        WireJSON.octets(
            Wire(
                chargeAmount: Price(amount),
                paymentIntent: intent,
                shippingAddress: shippingAddress.map { WireAddressDetails($0, joinsDistrict: false) },
                billingAddress: billingAddress.map { WireAddressDetails($0, joinsDistrict: false) },
                totalOrderAmount: totalOrderAmount.map { Price($0) },
                supplementaryData: supplementaryData,
                canHandlePendingAuthorization: canHandlePendingAuthorization
            )
        )
    }

    private struct Wire: Encodable {
        let chargeAmount: Price
        let paymentIntent: PaymentIntent
        let shippingAddress: WireAddressDetails?
        let billingAddress: WireAddressDetails?
        let totalOrderAmount: Price?
        let supplementaryData: String?
        let canHandlePendingAuthorization: Bool
    }
}

/// An address that the merchant sends to the service; what is missing is left out.
///
/// A payload has one member for district and county, a finalize call has both.
struct WireAddressDetails: Encodable {
    let address: Address
    /// Whether district and county are one member.
    let joinsDistrict: Bool

    init(_ address: Address, joinsDistrict: Bool = true) {
        self.address = address
        self.joinsDistrict = joinsDistrict
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: MemberName.self)
        for part in Address.Part.allCases where !joinsDistrict || (part != .county && part != .district) {
            try members.encodeIfPresent(address[part], forKey: MemberName(part.rawValue))
        }
        guard joinsDistrict else { return }
        let district = address[.district] ?? address[.county]
        try members.encodeIfPresent(district, forKey: MemberName("districtOrCounty"))
    }
}
