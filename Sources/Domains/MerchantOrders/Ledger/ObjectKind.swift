import Primitives

/// The kinds of provider objects in the ledger.
package enum ObjectKind: String, Sendable, Hashable, CaseIterable {
    /// A checkout session: accompanies one buyer to the payment.
    case session
    /// A charge permission: what a buyer agreed to.
    case permission
    /// A charge: an authorised and perhaps captured sum.
    case charge
    /// A refund of a part of a charge.
    case refund
}

/// The state of an object, in the provider's word.
///
/// Words that this program does not know are kept as they came; they end nothing.
package struct ObjectState: RawRepresentable, Sendable, Hashable {
    /// The provider's word, for example `Authorized`.
    package let rawValue: String

    /// A state by its word.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static func == (one: ObjectState, other: ObjectState) -> Bool {
        one.rawValue.octets == other.rawValue.octets
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue.octets) }

    /// A session before it is completed.
    package static let open = ObjectState(rawValue: "Open")
    /// A session that was paid with.
    package static let completed = ObjectState(rawValue: "Completed")
    /// A session or a charge that came to nothing.
    package static let canceled = ObjectState(rawValue: "Canceled")
    /// A permission that can be charged.
    package static let chargeable = ObjectState(rawValue: "Chargeable")
    /// A permission that cannot be charged at the moment.
    package static let nonChargeable = ObjectState(rawValue: "NonChargeable")
    /// A permission that will never be charged again.
    package static let closed = ObjectState(rawValue: "Closed")
    /// A charge whose authorisation is still being decided.
    package static let authorizationInitiated = ObjectState(rawValue: "AuthorizationInitiated")
    /// A charge that can be captured.
    package static let authorized = ObjectState(rawValue: "Authorized")
    /// A charge whose capture is under way.
    package static let captureInitiated = ObjectState(rawValue: "CaptureInitiated")
    /// A charge that was captured.
    package static let captured = ObjectState(rawValue: "Captured")
    /// A charge or a refund that was refused.
    package static let declined = ObjectState(rawValue: "Declined")
    /// A refund that is under way.
    package static let refundInitiated = ObjectState(rawValue: "RefundInitiated")
    /// A refund that was paid out.
    package static let refunded = ObjectState(rawValue: "Refunded")

    /// The provider's word as merchants read it: lower case, with underscores between its parts.
    package var word: String {
        var word: [UInt8] = []
        for octet in rawValue.utf8 {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(octet)
            if isCapital, !word.isEmpty { word.append(UInt8(ascii: "_")) }
            word.append(isCapital ? octet | 0x20 : octet)
        }
        return String(decoding: word, as: UTF8.self)
    }

    /// Whether an object never leaves this state.
    ///
    /// - Returns: False for a state that is unknown or belongs to another kind.
    package func isFinal(for kind: ObjectKind) -> Bool {
        switch kind {
        case .session: self == .completed || self == .canceled
        case .permission: self == .closed
        case .charge: self == .captured || self == .canceled || self == .declined
        case .refund: self == .refunded || self == .declined
        }
    }
}
