import Primitives

/// What a merchant sends with finalize: the facts of the signed payload once more, so that tampering shows.
struct FinalizeOrder: Sendable {
    var amounts = CompleteOrder()
    var intent: PaymentDetails.Intent?
    var canHandlePendingAuthorization: Bool?
    var supplementaryData: String?
    var shippingAddress: PostalAddress?
    var billingAddress: PostalAddress?
}

extension MoneyEngine {
    /// Makes the payment of a session without a review page real; takes the place of complete.
    ///
    /// - Returns: The session, completed; 202 where the bank has not decided yet.
    mutating func finalize(
        _ id: String,
        for caller: Caller,
        _ order: FinalizeOrder
    ) throws(APIError) -> (session: SimulatedSession, isPending: Bool) {
        let session = try session(id, for: caller)
        let hold = try holdToComplete(session)
        guard order.intent != nil else { throw MoneyEngine.missing("paymentIntent") }
        guard order.amounts.chargeAmount != nil else { throw MoneyEngine.missing("chargeAmount") }
        try checkAmounts(order.amounts, session.payment, caller.merchant)
        try checkFacts(order, session)
        try checkAddresses(order, session)
        return try conclude(session, hold, order.amounts.simulation, for: caller)
    }

    private func checkFacts(_ order: FinalizeOrder, _ session: SimulatedSession) throws(APIError) {
        guard order.intent == session.payment.intent else { throw MoneyEngine.differs("paymentIntent") }
        if let flag = order.canHandlePendingAuthorization, flag != session.payment.canHandlePendingAuthorization {
            throw MoneyEngine.differs("canHandlePendingAuthorization")
        }
        if let expected = session.extras.supplementaryData {
            guard let given = order.supplementaryData else { throw MoneyEngine.missing("supplementaryData") }
            guard given == expected else { throw MoneyEngine.differs("supplementaryData") }
        }
    }

    /// What is shipped needs its address; a billing address is compared where one is given.
    private func checkAddresses(_ order: FinalizeOrder, _ session: SimulatedSession) throws(APIError) {
        switch session.terms.productType {
        case .payAndShip, .payAndShipMultiAddress:
            guard let given = order.shippingAddress else { throw MoneyEngine.missing("shippingAddress") }
            guard given.isSame(as: session.choice?.address) else { throw MoneyEngine.differs("shippingAddress") }
        case .payOnly:
            guard order.shippingAddress == nil else {
                throw APIError(.invalidParameterCombination, "PayOnly does not take shippingAddress.")
            }
        }
        if let given = order.billingAddress {
            let known = session.choice?.buyer.addresses.first?.address
            guard given.isSame(as: known) else { throw MoneyEngine.differs("billingAddress") }
        }
    }

    private static func missing(_ name: String) -> APIError {
        APIError(.missingParameterValue, "\(name) is required.")
    }

    private static func differs(_ name: String) -> APIError {
        APIError(.invalidParameterValue, "\(name) does not match what the Checkout Session was made with.")
    }
}

extension PostalAddress {
    /// Whether two addresses are one; an empty text counts as absent.
    func isSame(as other: PostalAddress?) -> Bool {
        guard let other else { return false }
        return normalised == other.normalised
    }

    private var normalised: PostalAddress {
        var address = self
        address.lines = lines.filter { !$0.isEmpty }
        if city?.isEmpty == true { address.city = nil }
        if stateOrRegion?.isEmpty == true { address.stateOrRegion = nil }
        return address
    }
}
