import Primitives

/// Where an order stands, as a merchant sees it.
///
/// It follows from what was read at the provider, never from a buyer's mere arrival.
///
///     created ─► at_provider ─► in_review ─► paying ─┬─► paid ───────────┐
///        │            │             │          ▲     ├─► payment_pending ┼─► captured ─► part_refunded ─► refunded
///        └────────────┴─────────────┴──► canceled, expired, declined     └─► closed
package enum OrderState: String, Sendable, Hashable, CaseIterable {
    /// The session is open; the buyer has not been seen at the provider.
    case created
    /// The buyer is at the provider.
    case atProvider = "at_provider"
    /// The buyer is back and reads the order.
    case inReview = "in_review"
    /// The payment is being completed.
    case paying
    /// The whole sum is authorised.
    case paid
    /// The provider has not decided yet, which takes up to a day.
    case paymentPending = "payment_pending"
    /// The provider refused.
    case declined
    /// The buyer, the merchant or the provider called it off.
    case canceled
    /// Time ran out.
    case expired
    /// Money was taken.
    case captured
    /// A part of the money was given back.
    case partRefunded = "part_refunded"
    /// All of the money was given back.
    case refunded
    /// The permission was ended and no money was taken.
    case closed

    /// Whether money is held or taken, or may be in a moment.
    package var isPaid: Bool {
        switch self {
        case .paid, .paymentPending, .captured, .partRefunded, .refunded: true
        case .created, .atProvider, .inReview, .paying, .declined, .canceled, .expired, .closed: false
        }
    }

    /// The state of an order that has a permission, or `nil` where the ledger does not determine it.
    ///
    /// - Parameters:
    ///   - charges: All charges under it, in the order in which they were made.
    /// - Returns: What was taken counts before what is held, and that before what is pending; where nothing of it is, the
    ///   newest charge decides, or the end of the permission.
    package static func settled(permission: ObjectState, charges: [SettledCharge]) -> OrderState? {
        let captured = charges.reduce(Int64(0)) { $0 + $1.row.capturedUnits }
        if captured > 0 {
            let refunded = charges.reduce(Int64(0)) { $0 + $1.row.refundedUnits }
            return refunded == 0 ? .captured : refunded < captured ? .partRefunded : .refunded
        }
        let states = charges.map(\.row.state)
        if states.contains(.authorized) || states.contains(.captureInitiated) { return .paid }
        if states.contains(.authorizationInitiated) { return .paymentPending }
        if permission == .closed { return .closed }
        guard let newest = charges.last else { return nil }
        switch newest.row.state {
        case .declined: return .declined
        case .canceled: return newest.reason?.octets == SettledCharge.expiredUnused.octets ? .expired : .canceled
        default: return nil
        }
    }
}

/// A charge as the state of its order needs it.
package struct SettledCharge: Sendable, Hashable {
    /// What the ledger knows.
    package let row: LedgerRow
    /// Why it is in its state, in the provider's word, where one was given.
    package let reason: String?

    /// A charge of an order.
    ///
    /// - Parameters:
    ///   - reason: Why it is in its state, in the provider's word.
    package init(_ row: LedgerRow, reason: String? = nil) {
        self.row = row
        self.reason = reason
    }

    /// The reason of a charge that nobody captured in time.
    package static let expiredUnused = "ExpiredUnused"
}
