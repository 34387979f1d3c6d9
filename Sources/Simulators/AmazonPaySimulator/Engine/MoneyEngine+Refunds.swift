import Primitives
import SimulatorCore

/// What a merchant sends with create refund.
struct RefundOrder: Sendable {
    let chargeID: String
    let amount: Price
    var softDescriptor: String?
    /// How long the money is on its way.
    var delay = EngineRules.refundDelay
}

extension MoneyEngine {
    func refund(_ id: String, for caller: Caller) throws(APIError) -> SimulatedRefund {
        guard let refund = refunds[id], caller.owns(refund.merchantID, refund.environment) else {
            throw .notFound("refunds/\(id)")
        }
        return refund
    }

    /// Sends money of a captured charge back; the money arrives a little later.
    mutating func createRefund(_ order: RefundOrder, for caller: Caller) throws(APIError) -> SimulatedRefund {
        let (chargeID, amount) = (order.chargeID, order.amount)
        let charge = try charge(chargeID, for: caller)
        guard charge.state == .captured, let captured = charge.captureAmount else { throw wrongState(charge) }
        try checkCurrency(amount, caller.merchant)
        guard charge.refundedUnits + amount.units <= EngineRules.refundCeiling(captured: captured) else {
            throw APIError(.transactionAmountExceeded, "The refunds exceed what can be refunded of the charge.")
        }
        guard charge.refundIDs.count < EngineRules.refundsPerCharge else {
            throw APIError(.transactionCountExceeded, "The charge has its maximum number of refunds.")
        }
        var id = charge.permissionID + "-R" + mint.digits(6)
        while refunds[id] != nil { id = charge.permissionID + "-R" + mint.digits(6) }
        let refund = SimulatedRefund(id: id, of: charge, amount: amount, softDescriptor: order.softDescriptor, at: now)
        refunds[id] = refund
        charges[chargeID]?.refundedUnits += amount.units
        charges[chargeID]?.refundIDs.append(id)
        noteChange(ofRefund: id)
        plan(.refundSettles(id), after: order.delay)
        return refund
    }

    /// Ends a refund that is on its way; a declined one gives its part of the charge back.
    mutating func settle(refund id: String, as state: SimulatedRefund.State) {
        guard let refund = refunds[id], refund.state == .initiated, state != .initiated else { return }
        if case .declined = state { charges[refund.chargeID]?.refundedUnits -= refund.amount.units }
        enter(refund: id, state)
    }
}
