/// How a call ended that moves money under a permission.
package enum PayingOutcome<Object: Sendable>: Sendable {
    /// It took effect, now or at an earlier try.
    case done(Object)
    /// It was taken on, and how it ends is known later: `AuthorizationInitiated`, `CaptureInitiated`, `RefundInitiated`.
    case pending(Object)
    /// It had no effect and will have none; the object where it could be read.
    case refused(AmazonPayError, Object?)
    /// Nothing took effect: no try left this machine, or each that did was turned away unread. The attempt may be taken back.
    case notSent(AmazonPayError)
    /// What happened is not known: repeat the same octets later as a recovery, with the same key.
    ///
    /// With the reason `DuplicateIdempotencyKey` a repeat brings the same: the key was used for other octets, and a person has
    /// to look. A new key is never an answer to it.
    case unknown(AmazonPayError)
}

/// What an object says of a call.
package enum PaymentObjectStatus: Sendable, Hashable {
    /// The call took effect.
    case done
    /// It was taken on.
    case pending
    /// It had no effect and will have none: the vendor's reason, and ours for operators.
    case refused(ReasonCode?, String)
    /// It had no effect yet; it may be sent (again).
    case untouched
    /// Nothing can be concluded; for operators.
    case unclear(String)
}

/// An object that comes of a call that moves money.
package protocol PayingObject: Sendable {
    /// The calls that it comes of.
    static var payingOperations: Set<AmazonPayOperation> { get }

    /// The provider's id of the call that was answered with it.
    var requestID: String? { get set }

    /// Reads the body of an answer.
    ///
    /// - Throws: `unreadable`.
    init(json: [UInt8]) throws(AmazonPayError)

    /// What the object says of a call.
    ///
    /// - Returns: `done` and `pending` only where amount and owner are those that were asked for.
    func status(_ expected: PayingExpectation) -> PaymentObjectStatus
}

extension Charge: PayingObject {
    package static let payingOperations: Set<AmazonPayOperation> = [.createCharge, .capture]

    package func status(_ expected: PayingExpectation) -> PaymentObjectStatus {
        expected.operation == .capture ? asCaptured(expected) : asCreated(expected)
    }

    private func asCreated(_ expected: PayingExpectation) -> PaymentObjectStatus {
        guard permission == expected.permission, amount?.money == expected.amount else {
            return .unclear("the charge is another one than was asked for")
        }
        switch state {
        case .authorized, .captured: return .done
        case .authorizationInitiated, .captureInitiated: return .pending
        case .declined, .canceled: return .refused(reason, "the charge was made and did not last")
        case .unknown: return .unclear("a charge in an unknown state")
        }
    }

    /// Money is taken once only: what was taken decides whether it was this call.
    private func asCaptured(_ expected: PayingExpectation) -> PaymentObjectStatus {
        guard id == expected.charge else { return .unclear("another charge than was asked for") }
        switch state {
        case .authorized, .authorizationInitiated: return .untouched
        case .captured:
            guard let taken = captured, taken.isReadable else {
                return .unclear("a captured charge without an amount")
            }
            return taken.money == expected.amount ? .done : Charge.capturedOtherwise
        case .captureInitiated:
            guard let taken = captured else { return .pending }
            guard taken.isReadable else { return .unclear("a capture under way of an amount that cannot be read") }
            return taken.money == expected.amount ? .pending : Charge.capturedOtherwise
        case .declined, .canceled: return .refused(reason, "the charge is over")
        case .unknown: return .unclear("a charge in an unknown state")
        }
    }

    private static let capturedOtherwise = PaymentObjectStatus.refused(
        .invalidChargeStatus,
        "the charge was captured with another amount"
    )
}

extension Refund: PayingObject {
    package static let payingOperations: Set<AmazonPayOperation> = [.createRefund]

    package func status(_ expected: PayingExpectation) -> PaymentObjectStatus {
        guard charge == expected.charge, amount?.money == expected.amount else {
            return .unclear("the refund is another one than was asked for")
        }
        switch state {
        case .refunded: return .done
        case .initiated: return .pending
        case .declined: return .refused(reason, "the refund was made and did not go through")
        case .unknown: return .unclear("a refund in an unknown state")
        }
    }
}
