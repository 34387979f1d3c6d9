package import Commerce

/// What can be done to an object at the provider; at most one at a time for each object.
package enum OperationKind: String, Sendable, Hashable, CaseIterable {
    /// Authorises another sum under a permission.
    case createCharge = "create_charge"
    /// Takes the money of a charge.
    case capture
    /// Gives money of a charge back.
    case refund
    /// Lets a charge go.
    case cancelCharge = "cancel_charge"
    /// Ends a permission.
    case closePermission = "close_permission"

    /// The kind of object it is done to.
    package var target: ObjectKind {
        switch self {
        case .createCharge, .closePermission: .permission
        case .capture, .refund, .cancelCharge: .charge
        }
    }
}

/// An operation that a merchant asks for, with what it needs.
package enum OperationIntent: Sendable, Hashable {
    /// Authorises a sum.
    case createCharge(Money)
    /// Captures a sum, not more than was authorised; the rest is released.
    case capture(Money)
    /// Gives a sum back.
    case refund(Money)
    /// Lets a charge go.
    case cancelCharge
    /// Ends a permission; what happens to charges that are not final is part of it.
    case closePermission(cancelsPending: Bool)

    /// Which operation it is.
    package var kind: OperationKind {
        switch self {
        case .createCharge: .createCharge
        case .capture: .capture
        case .refund: .refund
        case .cancelCharge: .cancelCharge
        case .closePermission: .closePermission
        }
    }

    /// The sum it moves, or `nil` where it moves none.
    package var amount: Money? {
        switch self {
        case .createCharge(let amount), .capture(let amount), .refund(let amount): amount
        case .cancelCharge, .closePermission: nil
        }
    }
}

/// Whether an operation may begin, decided from the row of its target alone.
package enum LedgerOutcome: Sendable, Hashable {
    /// It may.
    case begun
    /// The target is not in a state that allows it.
    case wrongState
    /// Another operation on the target has not ended.
    case inProgress
    /// The sum is zero, which moves nothing.
    case nothing
    /// The sum is in another currency than the target.
    case otherCurrency
    /// The sum is greater than what is left; the limit may be zero.
    case exceeds(limit: Money)
    /// The permission has had all the charges it can have.
    case tooManyCharges
    /// A charge under the permission is not final: there is one at a time, and a close ends none unasked.
    case openCharges

    /// A word of lower-case letters and underscores, as the row of the target keeps it.
    package var word: String {
        switch self {
        case .begun: "begun"
        case .wrongState: "wrong_state"
        case .inProgress: "in_progress"
        case .nothing: "nothing"
        case .otherCurrency: "other_currency"
        case .exceeds: "exceeds"
        case .tooManyCharges: "too_many_charges"
        case .openCharges: "open_charges"
        }
    }
}
