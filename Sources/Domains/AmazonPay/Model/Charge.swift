package import Primitives

/// A charge at Amazon: money that is held, taken or given back under a permission.
package struct Charge: Sendable, Hashable {
    /// How far it has come.
    package enum State: Sendable, Hashable {
        /// The bank has not spoken yet; it may take a day.
        case authorizationInitiated
        /// The money is held, for 30 days.
        case authorized
        /// The money is being taken; the outcome comes later.
        case captureInitiated
        /// The money is taken, all of it or a part.
        case captured
        /// The hold was given up; see the reason.
        case canceled
        /// Refused; see the reason.
        case declined
        /// A state that this program does not know, or none; nothing may be concluded from it.
        case unknown(OctetText)
    }

    /// The identifier.
    package let id: ChargeID
    /// The permission that it belongs to: the one of its identifier.
    package var permission: ChargePermissionID { id.permission }
    /// State, reason, time.
    package let status: ObjectStatus<State>
    /// What was to be held.
    package let amount: Price?
    /// What was taken, or is being taken.
    package let captured: Price?
    /// What was given back, or is being given back.
    package let refunded: Price?
    /// When it was made.
    package let creation: WallTime?
    /// When a hold ends by itself.
    package let expiration: WallTime?
    /// Whether money moves; `nil` where the vendor does not say.
    package let environment: AmazonPayEnvironment?
    /// The provider's id of the call that was answered with it, for its support; `nil` where it was only read.
    package var requestID: String?

    /// How far it has come.
    package var state: State { status.state }
    /// Why it is there, for example `ExpiredUnused` or `HardDeclined`.
    package var reason: ReasonCode? { status.reason }

    /// Reads a charge.
    ///
    /// - Throws: `unreadable` for text that is not JSON, or holds no identifier.
    package init(json: [UInt8]) throws(AmazonPayError) {
        self = try ObjectBody.read(json, as: "charge")
    }
}

extension Charge: Decodable {
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: WireMember.self)
        id = try members.id(.chargeId, without: [.checkoutSessionId, .refundId]) { ChargeID($0) }
        status = ObjectStatus(of: members)
        amount = members.value(.chargeAmount)
        captured = members.value(.captureAmount)
        refunded = members.value(.refundedAmount)
        creation = members.time(.creationTimestamp)
        expiration = members.time(.expirationTimestamp)
        environment = members.environment
    }
}

extension Charge.State: WireState {
    init(wire text: String) {
        switch text.octets {
        case "AuthorizationInitiated": self = .authorizationInitiated
        case "Authorized": self = .authorized
        case "CaptureInitiated": self = .captureInitiated
        case "Captured": self = .captured
        case "Canceled": self = .canceled
        case "Declined": self = .declined
        default: self = .unknown(text.octets)
        }
    }
}
