import Primitives

/// What a merchant sends with complete.
struct CompleteOrder: Sendable {
    var chargeAmount: Price?
    var totalOrderAmount: Price?
    /// The `x-amz-pay-simulation-code` of the request.
    var simulation: CompleteSimulation?
}

/// The simulation codes of complete.
enum CompleteSimulation: String, Sendable {
    case buyerCanceled = "BuyerCanceled"
    case amazonCanceled = "AmazonCanceled"
    case declined = "Declined"
    case authorizationInitiated = "AuthorizationInitiated"
}

extension MoneyEngine {
    /// Makes the payment of a session with a review page real.
    ///
    /// - Returns: The session, completed; 202 where the bank has not decided yet.
    mutating func complete(
        _ id: String,
        for caller: Caller,
        _ order: CompleteOrder
    ) throws(APIError) -> (session: SimulatedSession, isPending: Bool) {
        let session = try session(id, for: caller)
        let hold = try holdToComplete(session)
        try checkAmounts(order, session.payment, caller.merchant)
        return try conclude(session, hold, order.simulation, for: caller)
    }

    /// The only function that turns a hold into a charge.
    mutating func conclude(
        _ session: SimulatedSession,
        _ hold: SimulatedSession.Hold,
        _ simulation: CompleteSimulation?,
        for caller: Caller
    ) throws(APIError) -> (session: SimulatedSession, isPending: Bool) {
        let id = session.id
        let answer = try simulated(simulation, session) ?? hold.answer
        guard let choice = session.choice else {
            throw APIError(.invalidCheckoutSessionStatus, "There is no buyer associated with the Checkout Session.")
        }
        let permission = createPermission(from: session, choice, caller.merchant)
        let chargeID = createFirstCharge(of: session, under: permission, answer)
        sessions[id]?.enter(.completed(permissionID: permission.id, chargeID: chargeID), at: now)
        noteEffectiveComplete(of: id, permissionID: permission.id)
        refresh(permission: permission.id)
        return (sessions[id] ?? session, answer != .authorised && chargeID != nil)
    }

    /// The bank's word on an open session.
    ///
    /// - Throws: `InvalidCheckoutSessionStatus` or `CheckoutSessionCanceled` where there is none.
    func holdToComplete(_ session: SimulatedSession) throws(APIError) -> SimulatedSession.Hold {
        switch session.state {
        case .open(.some(let hold)): return hold
        case .open(nil):
            throw APIError(
                .invalidCheckoutSessionStatus,
                "The Checkout Session is in state Open: the buyer has not been through the processing page."
            )
        case .completed:
            throw APIError(.invalidCheckoutSessionStatus, "The Checkout Session is in state Completed.")
        case .canceled(let reason):
            throw APIError(.checkoutSessionCanceled, "The Checkout Session is canceled: \(reason.rawValue).")
        }
    }

    func checkAmounts(
        _ order: CompleteOrder,
        _ payment: PaymentDetails,
        _ merchant: Merchant
    ) throws(APIError) {
        for (name, given, expected) in [
            ("chargeAmount", order.chargeAmount, payment.chargeAmount),
            ("totalOrderAmount", order.totalOrderAmount, payment.totalOrderAmount),
        ] {
            if let given { try checkCurrency(given, merchant) }
            guard let expected else { continue }
            guard let given else { throw APIError(.missingParameterValue, "\(name) is required.") }
            guard given == expected else {
                throw APIError(.amountMismatch, "\(name) does not match the amount of the Checkout Session.")
            }
        }
    }

    /// What a simulation code makes of the hold; `nil` without one.
    private mutating func simulated(
        _ simulation: CompleteSimulation?,
        _ session: SimulatedSession
    ) throws(APIError) -> SimulatedSession.Hold.Answer? {
        switch simulation {
        case nil: return nil
        case .buyerCanceled: throw cancel(session, .buyerCanceled, .checkoutSessionCanceled)
        case .amazonCanceled: throw cancel(session, .amazonCanceled, .checkoutSessionCanceled)
        case .declined: throw cancel(session, .declined, .hardDeclined)
        case .authorizationInitiated:
            guard session.payment.intent == .authorize, session.payment.canHandlePendingAuthorization else {
                throw APIError(
                    .invalidSandboxSimulationSpecified,
                    "AuthorizationInitiated needs the intent Authorize and canHandlePendingAuthorization."
                )
            }
            return .pending(declines: false)
        }
    }

    private mutating func cancel(
        _ session: SimulatedSession,
        _ state: SimulatedSession.CancelReason,
        _ reason: APIReason
    ) -> APIError {
        cancelSession(session.id, state)
        return APIError(reason, state.description)
    }

    private mutating func createPermission(
        from session: SimulatedSession,
        _ choice: SimulatedSession.Choice,
        _ merchant: Merchant
    ) -> SimulatedPermission {
        var id = mint.permissionID(session.terms.permissionType, session.environment)
        while permissions[id] != nil { id = mint.permissionID(session.terms.permissionType, session.environment) }
        let isExtended = session.payment.extendExpiration ?? false
        let life = isExtended ? EngineRules.extendedPermissionLife : EngineRules.permissionLife
        let permission = SimulatedPermission(
            id: id,
            from: session,
            choice: choice,
            terms: (session.payment.presentmentCurrency ?? merchant.currency, life),
            at: now
        )
        permissions[id] = permission
        noteChange(ofPermission: id)
        plan(.permissionExpires(id), after: life)
        return permission
    }

    /// The charge that the intent asks for; `Confirm` asks for none.
    private mutating func createFirstCharge(
        of session: SimulatedSession,
        under permission: SimulatedPermission,
        _ answer: SimulatedSession.Hold.Answer
    ) -> String? {
        guard let amount = session.payment.chargeAmount, let intent = session.payment.intent, intent != .confirm
        else { return nil }
        let order = ChargeOrder(
            amount: amount,
            capturesNow: intent == .authorizeWithCapture,
            canHandlePendingAuthorization: session.payment.canHandlePendingAuthorization,
            softDescriptor: session.payment.softDescriptor
        )
        return open(order, under: permission, answer)
    }
}
