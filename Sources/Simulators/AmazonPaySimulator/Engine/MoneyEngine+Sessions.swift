import Primitives
import SimulatorCore

extension MoneyEngine {
    /// Creates a session.
    mutating func createSession(_ draft: SessionDraft, for caller: Caller) throws(APIError) -> SimulatedSession {
        try check(draft.payment, for: caller)
        let session = SimulatedSession(
            id: mint.uuid(),
            owner: (caller.merchant.id, caller.environment),
            at: now,
            draft: draft
        )
        insert(session)
        return session
    }

    func session(_ id: String, for caller: Caller) throws(APIError) -> SimulatedSession {
        guard let session = sessions[id], caller.owns(session.merchantID, session.environment) else {
            throw .notFound("checkoutSessions/\(id)")
        }
        return session
    }

    /// Changes an open session whose buyer has not been sent to the processing page.
    mutating func updateSession(
        _ id: String,
        for caller: Caller,
        _ change: (inout SimulatedSession) throws(APIError) -> Void
    ) throws(APIError) -> SimulatedSession {
        var session = try session(id, for: caller)
        try checkModifiable(session)
        try change(&session)
        try check(session.payment, for: caller)
        sessions[id] = session
        return session
    }

    /// Notes what the buyer has chosen on the hosted pages.
    ///
    /// - Throws: `InvalidCheckoutSessionStatus` or `CheckoutSessionCanceled` once the session is beyond choosing.
    mutating func associate(_ choice: SimulatedSession.Choice, with id: String) throws(APIError) {
        guard let session = sessions[id] else { throw .notFound("checkoutSessions/\(id)") }
        try checkModifiable(session)
        sessions[id]?.choice = choice
    }

    /// Ends an open session that nobody will complete.
    mutating func cancelSession(_ id: String, _ reason: SimulatedSession.CancelReason) {
        guard sessions[id]?.isOpen == true else { return }
        sessions[id]?.enter(.canceled(reason), at: now)
    }

    private func checkModifiable(_ session: SimulatedSession) throws(APIError) {
        switch session.state {
        case .open(nil): return
        case .open:
            throw APIError(
                .invalidCheckoutSessionStatus,
                "The buyer has been sent to the processing page; the Checkout Session can no longer be updated."
            )
        case .completed:
            throw APIError(.invalidCheckoutSessionStatus, "The Checkout Session is in state Completed.")
        case .canceled(let reason):
            throw APIError(.checkoutSessionCanceled, "The Checkout Session is canceled: \(reason.rawValue).")
        }
    }

    func check(_ payment: PaymentDetails, for caller: Caller) throws(APIError) {
        for price in [payment.chargeAmount, payment.totalOrderAmount, payment.estimateOrderTotal] {
            guard let price else { continue }
            try checkCurrency(price, caller.merchant)
        }
        if let currency = payment.presentmentCurrency, currency != caller.merchant.currency {
            throw APIError(.currencyMismatch, "presentmentCurrency does not fit the ledger currency.")
        }
        if payment.canHandlePendingAuthorization, payment.intent == .authorizeWithCapture {
            throw APIError(
                .invalidParameterCombination,
                "canHandlePendingAuthorization can be true only when paymentIntent is Authorize."
            )
        }
        if payment.softDescriptor != nil, let intent = payment.intent, intent != .authorizeWithCapture {
            throw APIError(
                .invalidParameterCombination,
                "softDescriptor can be set only when paymentIntent is AuthorizeWithCapture."
            )
        }
        try checkCeiling(payment.chargeAmount)
    }

    func checkCurrency(_ price: Price, _ merchant: Merchant) throws(APIError) {
        guard price.currency == merchant.currency else {
            throw APIError(.currencyMismatch, "The currency must be \(merchant.ledgerCurrency).")
        }
    }

    func checkCeiling(_ price: Price?) throws(APIError) {
        guard let price, price.units > EngineRules.ceiling(price.currency) else { return }
        throw APIError(.transactionAmountExceeded, "The amount exceeds the ceiling for one charge.")
    }
}
