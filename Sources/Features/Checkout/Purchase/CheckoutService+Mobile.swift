package import AmazonPay
import CheckoutCodes
package import Commerce
package import MerchantAPI
import MerchantOrders
package import Primitives
package import SessionBroker
package import Web

/// What goes into an app's payload besides the amount, and again into the call that finalizes it.
package struct MobileFacts: Sendable {
    /// What the order agreed on; the note is signed and not sent again.
    let terms: OrderTerms
    /// Where to, where the payload holds an address.
    let address: Address?

    /// What an app gave.
    package init(terms: OrderTerms, address: Address?) {
        self.terms = terms
        self.address = address
    }
}

extension CaptureMode {
    /// The provider's word for it.
    var intent: PaymentIntent { self == .automatic ? .authorizeWithCapture : .authorize }
}

/// A session that an app's buyer came back with.
package struct ReturnedSession: Sendable {
    /// The webview session that it was started for, as its mark says.
    package let markedSession: WebviewSessionID?
    /// Who buys and where to; `nil` where the provider does not say any more.
    package let details: PrivateDetails?
}

// Checkouts that an app starts by itself, with the provider's library.
extension CheckoutService {
    /// What an app hands to the provider's library, signed for one webview session.
    ///
    /// - Parameters:
    ///   - webviewSession: Goes into the payload, so that the sessions that come of it are this webview session's alone.
    ///   - links: The way back into the app; checked against the operator's list.
    ///   - facts: When the money is taken, and where to.
    /// - Returns: For the answer to the merchant.
    /// - Throws: `internal_error` where the key cannot sign.
    package func start(
        for webviewSession: WebviewSessionID,
        links: MobileLinks,
        amount: Money,
        _ facts: MobileFacts
    ) async throws(Failure) -> MobileLaunch {
        var payment = PaymentDetails(facts.terms.captureMode.intent, amount: amount)
        payment.canHandlePendingAuthorization = facts.terms.handlesPending
        var payload = CheckoutPayload(mobile: links, payment: payment, storeID: provider.credentials.storeID)
        payload.scopes = [.name, .email, .phoneNumber]
        if let address = facts.address {
            payload.scopes.append(.shippingAddress)
            payload.deliveryAddress = address
        }
        payload.metadata = metadata(webviewSession, facts.terms)
        let button = try await sign(payload, for: webviewSession, of: nil)
        return MobileLaunch(
            merchantID: provider.credentials.merchantID,
            publicKeyID: button.publicKeyID,
            ledgerCurrency: amount.currency,
            hasDelivery: facts.address != nil,
            isSandbox: provider.credentials.environment == .sandbox,
            signed: MobileLaunch.Signed(
                payload: button.payloadJSON,
                signature: button.signature,
                algorithm: button.algorithm.label
            )
        )
    }

    /// Reads the session that an app's buyer came back with.
    ///
    /// - Parameters:
    ///   - checkoutSession: From the merchant's server, checked for its form only.
    ///   - webviewSession: Which the merchant's server says it is for.
    /// - Returns: What the broker keeps of it.
    /// - Throws: `order_mismatch` for a session that the account does not have or that is about another amount,
    ///   `provider_failed` otherwise.
    package func arrived(
        _ checkoutSession: CheckoutSessionID,
        _ webviewSession: WebviewSessionID,
        total: Yen,
        by caller: Caller
    ) async throws(Failure) -> ReturnedSession {
        let found = try await read(checkoutSession, webviewSession, by: caller)
        if let told = found.chargeAmount?.money, told != Money(total) {
            throw Failure(.orderMismatch, "the session is about another amount", session: webviewSession)
        }
        var details: PrivateDetails?
        if found.state == .open, let buyer = found.buyer {
            details = PrivateDetails(
                buyer: buyer,
                address: found.shippingAddress ?? Address(),
                payment: found.paymentDescriptor
            )
        }
        return ReturnedSession(markedSession: found.markedSession, details: details)
    }

    /// Makes the charge of an app's checkout real; see `CompleteOutcome`.
    ///
    /// - Parameters:
    ///   - attempt: The lease; webview session and number make the idempotency key, and its total goes into the octets.
    ///   - isRecovery: Whether an earlier call of the attempt may have got through: then it goes before others.
    ///   - caller: Who is served in turn with others.
    /// - Returns: The outcome, within the lease.
    func finalize(
        _ attempt: PurchaseAttempt,
        _ facts: MobileFacts,
        isRecovery: Bool,
        by caller: Caller
    ) async -> CompleteOutcome {
        guard let checkoutSession = CheckoutSessionID(attempt.orderReference) else { return CheckoutService.malformed }
        var order = FinalizeOrder(amount: Money(attempt.total), intent: facts.terms.captureMode.intent)
        order.shippingAddress = facts.address
        order.canHandlePendingAuthorization = facts.terms.handlesPending
        return await client.finalize(
            checkoutSession,
            order,
            key: IdempotencyKey.derive(
                webviewSession: attempt.webviewSession,
                attempt: attempt.number,
                step: "finalize"
            ),
            isRecovery: isRecovery,
            for: isRecovery ? .program : caller.asker(of: attempt.webviewSession),
            within: provider.completeLimit
        )
    }

    /// What became of an attempt, by a look alone.
    ///
    /// - Returns: The outcome; `nil` while the session is open.
    func outcome(of attempt: PurchaseAttempt) async -> CompleteOutcome? {
        await outcome(ofSession: attempt.orderReference, total: attempt.total)
    }

    /// What became of a session, by a look alone.
    ///
    /// - Returns: The outcome; `nil` while the session is open.
    func outcome(ofSession checkoutSession: String, total: Yen) async -> CompleteOutcome? {
        guard let checkoutSession = CheckoutSessionID(checkoutSession) else { return CheckoutService.malformed }
        return await client.status(of: checkoutSession, amount: Money(total))
    }

    /// A stored session id that this program did not write.
    static let malformed = CompleteOutcome.rejected(
        AmazonPayError(.notSent, detail: "the stored session id has another form")
    )
}
