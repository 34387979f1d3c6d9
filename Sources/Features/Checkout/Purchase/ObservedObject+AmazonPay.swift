package import AmazonPay
import MerchantOrders
import Primitives

// What was read at the provider, in the ledger's words.

extension ObservedObject {
    /// A charge.
    package init(_ charge: Charge) {
        self.init(.charge, charge.id.text, ObservedVersion(ObjectState(charge.state), updated: charge.status.updated))
        parent = charge.permission.text
        reason = charge.reason?.rawValue
        amount = charge.amount?.money
        captured = charge.captured?.money
        refunded = charge.refunded?.money
        created = charge.creation
        request = charge.requestID
    }

    /// A refund.
    package init(_ refund: Refund) {
        self.init(.refund, refund.id.text, ObservedVersion(ObjectState(refund.state), updated: refund.status.updated))
        parent = refund.charge?.text
        reason = refund.reason?.rawValue
        amount = refund.amount?.money
        created = refund.creation
        request = refund.requestID
    }

    /// A permission.
    package init(_ permission: ChargePermission) {
        self.init(
            .permission,
            permission.id.text,
            ObservedVersion(ObjectState(permission.state), updated: permission.updated)
        )
        reason = permission.reasons.first?.rawValue
        amount = permission.limit?.money
        created = permission.creation
    }
}

extension ObjectState {
    fileprivate init(_ state: Charge.State) {
        switch state {
        case .authorizationInitiated: self = .authorizationInitiated
        case .authorized: self = .authorized
        case .captureInitiated: self = .captureInitiated
        case .captured: self = .captured
        case .canceled: self = .canceled
        case .declined: self = .declined
        case .unknown(let word): self.init(rawValue: word.string)
        }
    }

    fileprivate init(_ state: Refund.State) {
        switch state {
        case .initiated: self = .refundInitiated
        case .refunded: self = .refunded
        case .declined: self = .declined
        case .unknown(let word): self.init(rawValue: word.string)
        }
    }

    fileprivate init(_ state: ChargePermission.State) {
        switch state {
        case .chargeable: self = .chargeable
        case .nonChargeable: self = .nonChargeable
        case .closed: self = .closed
        case .unknown(let word): self.init(rawValue: word.string)
        }
    }
}
