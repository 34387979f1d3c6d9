package import Commerce

/// The ledger's row of one object at the provider.
package struct LedgerRow: Sendable, Hashable {
    /// What it is.
    package let kind: ObjectKind
    /// Its state when it was last observed.
    package var state: ObjectState
    /// A permission's limit, a session's total, a charge's or a refund's sum.
    package let amount: Money
    /// Of a permission and of a charge: what has been captured, in minor units of `amount`.
    package var capturedUnits: Int64
    /// Of a charge: what has been given back or is on its way, in minor units of `amount`.
    ///
    /// A refund that is declined takes its part out again.
    package var refundedUnits: Int64
    /// What operations that are not final have taken, in minor units of `amount`.
    ///
    /// Of a permission: sums authorised and not yet captured. Of a charge: refunds that were begun and not yet answered.
    package var reservedUnits: Int64
    /// Whether an operation on it was begun and has not ended.
    package var hasOpenOperation: Bool

    /// A row of an object on which nothing was done yet.
    package init(_ kind: ObjectKind, _ state: ObjectState, _ amount: Money) {
        self.kind = kind
        self.state = state
        self.amount = amount
        capturedUnits = 0
        refundedUnits = 0
        reservedUnits = 0
        hasOpenOperation = false
    }

    /// Whether the object never changes its state again.
    package var isFinal: Bool { state.isFinal(for: kind) }
}
