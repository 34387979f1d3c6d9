import AmazonPay
import Commerce
package import MerchantOrders
import Primitives

/// What a provider's object has to say before an operator's word about money is believed.
package enum PaymentEvidence {
    /// What contradicts that a session was paid by a charge.
    ///
    /// - Returns: For the operator; `nil` where nothing does.
    static func problem(
        _ webviewSession: UUIDBytes,
        paid total: Money,
        by permission: ChargePermission,
        _ charge: Charge
    ) -> String? {
        if let problem = foreign(webviewSession, permission, charge) { return problem }
        guard charge.amount?.money == total else {
            let amount = charge.amount?.money.map { "\($0.text) \($0.currency.rawValue)" } ?? "unreadable"
            let wanted = "\(total.text) \(total.currency.rawValue)"
            return "\(charge.id.text) is about \(amount), not \(wanted): refund it at the provider"
        }
        let state = ObservedObject(charge).version.state.rawValue
        return charge.isPaid ? nil : "\(charge.id.text) holds no money: \(state)"
    }

    /// What contradicts that nothing is held of what was taken for a session.
    ///
    /// - Returns: For the operator; `nil` where nothing does.
    static func problem(_ webviewSession: UUIDBytes, refunded permission: ChargePermission, _ charge: Charge) -> String?
    {
        if let problem = foreign(webviewSession, permission, charge) { return problem }
        let state = ObservedObject(charge).version.state.rawValue
        return charge.mayHoldMoney ? "\(charge.id.text) holds money still: \(state)" : nil
    }

    private static func foreign(
        _ webviewSession: UUIDBytes,
        _ permission: ChargePermission,
        _ charge: Charge
    ) -> String? {
        guard permission.markedSession == webviewSession else {
            return "\(permission.id.text) is of another session"
        }
        return charge.permission == permission.id ? nil : "\(charge.id.text) is of another permission"
    }

    /// Clocks of the two sides may be this far apart.
    private static let leeway = Duration.seconds(60)

    /// What contradicts that an operation has brought an object about.
    ///
    /// - Returns: For the operator; `nil` where nothing does.
    package static func problem(_ stuck: StuckOperation, done object: ObservedObject) -> String? {
        let (operation, state) = (stuck.operation, object.version.state)
        switch operation.kind {
        case .refund, .createCharge:
            guard object.kind == (operation.kind == .refund ? .refund : .charge) else {
                return "\(object.id) is a \(object.kind.rawValue)"
            }
            guard object.parent == operation.target else { return "\(object.id) is not of \(operation.target)" }
            guard object.amount == operation.amount else { return "\(object.id) is about another sum" }
            guard let made = object.created, made >= stuck.began + leeway * -1 else {
                return "\(object.id) was made before the operation began"
            }
            let isLost = state == .declined || state == .canceled
            return isLost ? "\(object.id) had no effect (\(state.rawValue)): use --end" : nil
        case .capture:
            guard object.id == operation.target else { return "\(object.id) is not \(operation.target)" }
            guard state == .captured || state == .captureInitiated else { return "it is \(state.rawValue)" }
            return state == .captured && object.captured != operation.amount ? "another sum was captured" : nil
        case .cancelCharge, .closePermission:
            guard object.id == operation.target else { return "\(object.id) is not \(operation.target)" }
            let end: ObjectState = operation.kind == .cancelCharge ? .canceled : .closed
            return state == end ? nil : "it is \(state.rawValue)"
        }
    }
}
