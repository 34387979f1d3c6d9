import Primitives

extension MoneyEngine {
    func refund(_ id: String, for caller: Caller) throws(APIError) -> Refund {
        guard let refund = refunds[id], caller.owns(refund.merchantID, refund.environment) else {
            throw .notFound("refunds/\(id)")
        }
        return refund
    }

    /// Sends money of a captured charge back; the money arrives a little later.
    mutating func createRefund(
        of chargeID: String,
        for caller: Caller,
        amount: Price,
        softDescriptor: String?
    ) throws(APIError) -> Refund {
        let charge = try charge(chargeID, for: caller)
        guard charge.state == .captured, let captured = charge.captureAmount else { throw wrongState(charge) }
        try checkCurrency(amount, caller.merchant)
        guard charge.refundedUnits + amount.units <= EngineRules.refundCeiling(captured: captured) else {
            throw APIError(.transactionAmountExceeded, "The refunds exceed what can be refunded of the charge.")
        }
        guard charge.refundCount < EngineRules.refundsPerCharge else {
            throw APIError(.transactionCountExceeded, "The charge has its maximum number of refunds.")
        }
        var id = charge.permissionID + "-R" + mint.digits(6)
        while refunds[id] != nil { id = charge.permissionID + "-R" + mint.digits(6) }
        let refund = Refund(id: id, of: charge, amount: amount, softDescriptor: softDescriptor, at: now)
        refunds[id] = refund
        charges[chargeID]?.refundedUnits += amount.units
        charges[chargeID]?.refundCount += 1
        plan(.refundSettles(id), after: EngineRules.refundDelay)
        return refund
    }
}
