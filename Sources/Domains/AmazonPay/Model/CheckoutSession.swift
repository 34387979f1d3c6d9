package import Commerce
import FoundationEssentials
package import Primitives

/// A checkout at Amazon.
///
/// Buyer, addresses and payment descriptors are there only while the session is open: copy them at review time.
package struct CheckoutSession: Sendable, Hashable {
    /// How far it has come.
    package enum State: Sendable, Hashable {
        /// The buyer may still change everything; nothing is charged.
        case open
        /// Complete succeeded: the charge is real.
        case completed
        /// Cancelled or declined; see the reason.
        case canceled
        /// A state that this program does not know, or none; nothing may be concluded from it.
        case unknown(OctetText)

        init(_ text: String) {
            switch text.octets {
            case "Open": self = .open
            case "Completed": self = .completed
            case "Canceled": self = .canceled
            default: self = .unknown(text.octets)
            }
        }
    }

    /// The identifier.
    package let id: CheckoutSessionID
    /// How far it has come.
    package let state: State
    /// Why it was cancelled: `BuyerCanceled`, `Expired`, `AmazonCanceled`, `Declined`.
    package let reason: ReasonCode?
    /// What stands in the way of the processing page, for example `ChargeAmountNotSet`.
    package let constraints: [String]
    /// What the buyer is to pay, as it was set by an update.
    package private(set) var chargeAmount: Price?
    /// `Confirm`, `Authorize` or `AuthorizeWithCapture`.
    package let paymentIntent: String?
    /// Whether complete may succeed before the bank has spoken.
    package let canHandlePendingAuthorization: Bool
    /// Where to send the buyer for processing; set once no constraint is left.
    ///
    /// Check it against a `RedirectPolicy`.
    package let redirectURL: String?
    /// The webview session's id, from the signed payload of a button; the merchant's reference, from an update.
    package let merchantReferenceID: String?
    /// Our own mark beside the merchant's reference: binds the session to a webview session.
    package let customInformation: String?
    /// Who buys.
    package let buyer: Buyer?
    /// Where to; `nil` once the session is closed.
    package let shippingAddress: Address?
    /// The first payment instrument as text, for example `Visa ****1111 (Amazon Pay)`.
    package let paymentDescriptor: String?
    /// The provider's id of the call that completed it, for its support; `nil` where the session was only read.
    package private(set) var requestID: String?
    /// The charge, once completed (unless the intent was `Confirm`).
    package let chargeID: String?
    /// The permission to charge, once completed.
    package let chargePermissionID: String?
    /// When Amazon gives up an open session: 24 hours after its start.
    package let expiration: WallTime?

    /// Reads a session.
    ///
    /// - Throws: `unreadable` for text that is not JSON, or holds no identifier.
    package init(json: [UInt8]) throws(AmazonPayError) {
        do {
            self = try AnswerJSON.decode(json)
        } catch {
            // What the decoder says may quote the buyer.
            throw AmazonPayError(.unreadable, detail: "\(json.count) bytes that are no checkout session")
        }
    }

    /// Whether the session is for exactly this much.
    ///
    /// - Parameter amount: In yen.
    /// - Returns: False also where the session holds no amount.
    package func isFor(_ amount: Yen) -> Bool { isFor(Money(amount)) }

    /// Whether the session is for exactly this much.
    ///
    /// - Parameter amount: In the currency that it has to be in.
    /// - Returns: False also where the session holds no amount.
    package func isFor(_ amount: Money) -> Bool { chargeAmount?.money == amount }

    /// Whether what a completed session has made can be found again; without both ids nothing of it can be captured or
    /// refunded.
    var namesCharge: Bool {
        guard case .some = chargePermissionID else { return false }
        if case .some = chargeID { return true }
        return paymentIntent?.octets == "Confirm"
    }

    /// The session with the id of the call that completed it.
    func with(requestID: String?) -> CheckoutSession {
        var session = self
        session.requestID = requestID
        return session
    }

    /// The session with an amount that was read elsewhere.
    func with(chargeAmount amount: Price?) -> CheckoutSession {
        var session = self
        session.chargeAmount = amount
        return session
    }
}

extension CheckoutSession: Decodable {
    private enum CodingKeys: String, CodingKey {
        case checkoutSessionId
        case webCheckoutDetails
        case paymentDetails
        case merchantMetadata
        case buyer
        case shippingAddress
        case paymentPreferences
        case statusDetails
        case constraints
        case chargeId
        case chargePermissionId
        case expirationTimestamp
    }

    /// Members of the nested objects.
    private enum NestedKeys: String, CodingKey {
        case amazonPayRedirectUrl
        case paymentIntent
        case canHandlePendingAuthorization
        case chargeAmount
        case merchantReferenceId
        case customInformation
        case state
        case reasonCode
    }

    private struct Preference: Decodable {
        let paymentDescriptor: String?
    }

    private struct Constraint: Decodable {
        let constraintId: String?
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard let id = CheckoutSessionID(members.text(.checkoutSessionId) ?? "") else {
            throw DecodingError.dataCorruptedError(
                forKey: .checkoutSessionId,
                in: members,
                debugDescription: "no session id"
            )
        }
        let web = CheckoutSession.nested(members, .webCheckoutDetails)
        let payment = CheckoutSession.nested(members, .paymentDetails)
        let metadata = CheckoutSession.nested(members, .merchantMetadata)
        let status = CheckoutSession.nested(members, .statusDetails)
        let buyer: WireBuyer? = members.value(.buyer)
        let address: WireAddress? = members.value(.shippingAddress)
        let preferences: [Preference] = members.list(.paymentPreferences)
        let constraints: [Constraint] = members.list(.constraints)
        self.id = id
        state = State(status?.text(.state) ?? "")
        reason = status?.text(.reasonCode).flatMap(ReasonCode.init(wire:))
        self.constraints = constraints.compactMap(\.constraintId)
        chargeAmount = payment?.value(.chargeAmount)
        paymentIntent = payment?.text(.paymentIntent)
        canHandlePendingAuthorization = payment?.flag(.canHandlePendingAuthorization) ?? false
        redirectURL = web?.text(.amazonPayRedirectUrl)
        merchantReferenceID = metadata?.text(.merchantReferenceId)
        customInformation = metadata?.text(.customInformation)
        self.buyer = buyer?.buyer
        shippingAddress = (address?.address).flatMap { $0.isEmpty ? nil : $0 }
        paymentDescriptor = preferences.lazy.compactMap(\.paymentDescriptor).first { !$0.isEmpty }
        chargeID = members.text(.chargeId)
        chargePermissionID = members.text(.chargePermissionId)
        expiration = members.text(.expirationTimestamp).flatMap(CalendarDate.time)
    }

    private static func nested(
        _ members: KeyedDecodingContainer<CodingKeys>,
        _ key: CodingKeys
    ) -> KeyedDecodingContainer<NestedKeys>? {
        try? members.nestedContainer(keyedBy: NestedKeys.self, forKey: key)
    }
}
