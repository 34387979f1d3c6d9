package import Commerce
package import Primitives

/// An object at the provider as the ledger holds it.
package struct LedgerObject: Sendable, Hashable {
    /// The provider's id.
    package let id: String
    /// The order that it belongs to.
    package let webviewSession: UUIDBytes
    /// What the rules of the ledger need of it: kind, state, sums.
    package let row: LedgerRow
    /// The permission of a charge, the charge of a refund.
    package var parent: String?
    /// Why it is in its state, in the provider's word.
    package var reason: String?
    /// What the merchant's newest request for it said.
    package var memo = PaymentMemo.none
    /// Of a charge: when its money was captured.
    package var capturedAt: WallTime?
    /// When it was made, as far as the provider said.
    package var created: WallTime
    /// When it came into its state by the provider's clock, else when it was read.
    package var updated: WallTime

    /// An object.
    package init(_ id: String, of webviewSession: UUIDBytes, _ row: LedgerRow, created: WallTime, updated: WallTime) {
        self.id = id
        self.webviewSession = webviewSession
        self.row = row
        self.created = created
        self.updated = updated
    }
}

/// What was read of an object at the provider, in texts and sums.
package struct ObservedObject: Sendable, Hashable {
    /// What it is.
    package let kind: ObjectKind
    /// The provider's id.
    package let id: String
    /// The permission of a charge, the charge of a refund.
    package var parent: String?
    /// The state, and when it was entered.
    package let version: ObservedVersion
    /// Why it is in its state, in the provider's word.
    package var reason: String?
    /// A permission's limit, a session's total, a charge's or a refund's sum; `nil` where it could not be read.
    package var amount: Money?
    /// Of a charge: what was taken; counts only once it is captured.
    package var captured: Money?
    /// Of a charge: what the provider says was given back.
    package var refunded: Money?
    /// When it was made, by the provider's clock.
    package var created: WallTime?
    /// The provider's id of the call that was answered with it; `nil` where it was only read.
    package var request: String?

    /// What was read of an object, so far without sums.
    ///
    /// - Parameters:
    ///   - version: The state, and when it was entered.
    package init(_ kind: ObjectKind, _ id: String, _ version: ObservedVersion) {
        self.kind = kind
        self.id = id
        self.version = version
    }
}

/// What became of a reading.
package enum ObserveOutcome: Sendable, Hashable {
    /// The ledger, and perhaps the order, are other than before.
    case changed(webviewSession: UUIDBytes)
    /// The ledger held the same.
    case same(webviewSession: UUIDBytes)
    /// The ledger holds something newer.
    case older(webviewSession: UUIDBytes)
    /// No order has the object, or what it stands under.
    case unknown
}
