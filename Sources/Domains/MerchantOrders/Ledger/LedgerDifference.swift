import Commerce

/// One object of which the ledger holds something else than the provider.
package struct LedgerDifference: Sendable, Hashable {
    /// What one side holds: the state, and sums in minor units.
    package struct Side: Sendable, Hashable {
        /// The provider's word.
        package let state: ObjectState
        /// Of a charge what was taken, of a refund its sum, else 0.
        package let taken: Int64
        /// Of a charge what was given back, else 0.
        package let refunded: Int64

        /// One side.
        ///
        /// - Parameters:
        ///   - taken: Of a charge what was taken, of a refund its sum, else 0.
        ///   - refunded: Of a charge what was given back, else 0.
        package init(_ state: ObjectState, taken: Int64 = 0, refunded: Int64 = 0) {
            self.state = state
            self.taken = taken
            self.refunded = refunded
        }

        /// `Captured 27996 0`, as a report shows it.
        package var text: String { "\(state.rawValue) \(taken) \(refunded)" }
    }

    /// What the ledger holds.
    package let ours: Side
    /// What the provider says; `nil` where it does not know the object.
    package let theirs: Side?
    /// Whether the provider has only gone on where it decides by itself: a bank has answered, or a permission is used up.
    ///
    /// No money has moved that nobody asked for, and the next look at the object takes it in.
    package let isProgress: Bool

    /// Both sides of an object of the ledger, or `nil` where they agree.
    ///
    /// - Parameters:
    ///   - seen: As the provider shows it; `nil` where it does not know it.
    package init?(_ object: LedgerObject, seen: ObservedObject?) {
        let row = object.row
        let (ours, theirs) = (Side(object), seen.map(Side.init))
        self.ours = ours
        self.theirs = theirs
        isProgress = theirs.map { ours.mayBecome($0, of: row.kind) } ?? false
        guard ours != theirs else { return nil }
        if row.kind == .permission, let theirs {
            // Whether a permission can be charged at the moment is no news: the provider changes that with each charge.
            guard ours.state.isFinal(for: .permission) != theirs.state.isFinal(for: .permission) else { return nil }
        }
    }

    /// A session of which the provider says that it was paid with, while its order is not.
    package init(unpaid order: OrderState) {
        ours = Side(ObjectState(rawValue: order.rawValue))
        theirs = Side(.completed)
        isProgress = false
    }
}

extension LedgerDifference.Side {
    /// Whether the provider comes from this to that without a call of ours: only what was asked for is taken or given back.
    fileprivate func mayBecome(_ other: LedgerDifference.Side, of kind: ObjectKind) -> Bool {
        guard state.mayBecome(other.state, of: kind), refunded == other.refunded else { return false }
        return kind == .charge || taken == other.taken
    }
}

extension ObjectState {
    /// Whether the provider comes from this state to another one without a call of ours.
    fileprivate func mayBecome(_ other: ObjectState, of kind: ObjectKind) -> Bool {
        let isRefusal = other == .declined || other == .canceled
        return switch (kind, self) {
        case (.permission, _): other == .closed
        case (.charge, .authorizationInitiated): other == .authorized || isRefusal
        case (.charge, .captureInitiated): other == .captured || isRefusal
        case (.refund, .refundInitiated): other == .refunded || isRefusal
        default: false
        }
    }
}

extension LedgerDifference.Side {
    fileprivate init(_ object: LedgerObject) {
        let row = object.row
        switch row.kind {
        case .charge: self.init(row.state, taken: row.capturedUnits, refunded: row.refundedUnits)
        case .refund: self.init(row.state, taken: row.amount.units)
        case .permission, .session: self.init(row.state)
        }
    }

    fileprivate init(_ seen: ObservedObject) {
        let state = seen.version.state
        switch seen.kind {
        case .charge:
            // A capture that is under way has taken nothing yet.
            let taken = state == .captured ? seen.captured?.units ?? 0 : 0
            self.init(state, taken: taken, refunded: seen.refunded?.units ?? 0)
        case .refund: self.init(state, taken: seen.amount?.units ?? 0)
        case .permission, .session: self.init(state)
        }
    }
}
