package import Commerce

/// What a buyer brings back to an app that started the checkout by itself, and what the merchant's server adds.
package struct MobileReturn: Sendable {
    /// The session that the merchant's server names.
    package let webviewSession: WebviewSessionID
    /// The provider's checkout session, from the link into the app; checked for its form only.
    package let checkoutSession: String
    /// Token P, which the merchant's server has kept.
    package let proof: AppProof
    /// The verifier, where the webview session is bound to one.
    package let verifier: CodeVerifier?

    /// An arrival.
    ///
    /// - Parameters:
    ///   - webviewSession: The session that the merchant's server names.
    ///   - checkoutSession: The provider's checkout session.
    ///   - proof: Token P.
    ///   - verifier: Where the webview session is bound to one.
    package init(webviewSession: WebviewSessionID, checkoutSession: String, proof: AppProof, verifier: CodeVerifier?) {
        self.webviewSession = webviewSession
        self.checkoutSession = checkoutSession
        self.proof = proof
        self.verifier = verifier
    }
}

/// What of a webview session has to be known to judge an arrival.
package struct AwaitedOrder: Sendable {
    /// What the buyer is to pay.
    package let total: Yen
    /// The terms of the order besides its price, as they were written at the opening of the webview session.
    package let terms: [UInt8]?
}

/// What a look at an arrival found; nothing was changed.
package enum MobileReturnVerdict: Sendable {
    /// These two halves have met before: the purchase may be asked.
    case present(AwaitedOrder)
    /// The webview session waits for a checkout session: read this one at the provider, then let it arrive.
    case awaited(AwaitedOrder)
    /// The proofs do not fit: read the session at the provider all the same, because only one of this webview session ends it.
    case doubtful(AwaitedOrder)
    /// Nothing that the provider says would change it.
    case refused(PurchaseRefusal)
}

/// What became of a checkout session that was read and is this webview session's.
package enum MobileReturnDecision: String, Sendable, CaseIterable {
    /// It is pinned; the purchase may be asked.
    case arrived
    /// It was pinned before.
    case present
    /// Another one is being paid or is paid: nothing changed.
    case orderMismatch = "order_mismatch"
    /// That session was declined; another one is needed: nothing changed.
    case declined
    /// There is no total, which an order of a merchant's app always has.
    case notPriced = "not_priced"
    /// A proof is missing; the fifth time the webview session is revoked.
    case proofRequired = "proof_required"
    /// A proof does not fit; the webview session was revoked, unless the policy only refuses or the provider was called
    /// already.
    case proofMismatch = "proof_mismatch"
    /// Too late: the webview session expired.
    case expired
    /// Revoked, expired or cancelled before.
    case dead
}
