package import Primitives

/// A refund at Amazon: money on its way back, for minutes to a day.
package struct Refund: Sendable, Hashable {
    /// How far it has come.
    package enum State: Sendable, Hashable {
        /// On its way.
        case initiated
        /// The buyer has it.
        case refunded
        /// It did not happen; see the reason.
        case declined
        /// A state that this program does not know, or none; nothing may be concluded from it.
        case unknown(OctetText)
    }

    /// The identifier.
    package let id: RefundID
    /// What is refunded; `nil` where the vendor does not say.
    package let charge: ChargeID?
    /// State, reason, time.
    package let status: ObjectStatus<State>
    /// How much.
    package let amount: Price?
    /// When it was made.
    package let creation: WallTime?
    /// Whether money moves; `nil` where the vendor does not say.
    package let environment: AmazonPayEnvironment?
    /// The provider's id of the call that was answered with it, for its support; `nil` where it was only read.
    package var requestID: String?

    /// How far it has come.
    package var state: State { status.state }
    /// Why it was declined: `AmazonRejected` or `ProcessingFailure`.
    package var reason: ReasonCode? { status.reason }

    /// Reads a refund.
    ///
    /// - Throws: `unreadable` for text that is not JSON, or holds no identifier.
    package init(json: [UInt8]) throws(AmazonPayError) {
        self = try ObjectBody.read(json, as: "refund")
    }
}

extension Refund: Decodable {
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: WireMember.self)
        id = try members.id(.refundId) { RefundID($0) }
        charge = members.text(.chargeId).flatMap { ChargeID($0) }
        status = ObjectStatus(of: members)
        amount = members.value(.refundAmount)
        creation = members.time(.creationTimestamp)
        environment = members.environment
    }
}

extension Refund.State: WireState {
    init(wire text: String) {
        switch text.octets {
        case "RefundInitiated": self = .initiated
        case "Refunded": self = .refunded
        case "Declined": self = .declined
        default: self = .unknown(text.octets)
        }
    }
}
