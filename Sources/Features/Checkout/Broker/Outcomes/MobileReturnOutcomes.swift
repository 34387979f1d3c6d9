package import Commerce
package import SessionBroker

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

    /// Both halves.
    package init(webviewSession: WebviewSessionID, checkoutSession: String, proof: AppProof, verifier: CodeVerifier?) {
        self.webviewSession = webviewSession
        self.checkoutSession = checkoutSession
        self.proof = proof
        self.verifier = verifier
    }
}

/// What of a webview session has to be known to judge a mobile return.
package struct AwaitedOrder: Sendable {
    /// What the buyer is to pay.
    package let total: Yen
    /// The terms of the order besides its price, as they were written at the opening of the webview session.
    package let terms: [UInt8]?
}

/// What a mobile return would come to, or what became of it.
package enum MobileReturnOutcome: Sendable {
    /// These two halves have met before: the purchase may be asked.
    case present(AwaitedOrder)
    /// The webview session waits for a checkout session: read this one at the provider, then let it arrive. Or it has arrived:
    /// it is pinned, and the purchase may be asked.
    case arrived(AwaitedOrder)
    /// A proof is missing or does not fit: read the session at the provider all the same, because only one of this webview
    /// session ends it.
    case unproven(PurchaseRefusal, AwaitedOrder)
    /// Nothing that the provider says would change it.
    case refused(PurchaseRefusal)

    /// Why it cannot be purchased; `nil` where it can.
    package var refusal: PurchaseRefusal? {
        switch self {
        case .present, .arrived: nil
        case .unproven(let refusal, _), .refused(let refusal): refusal
        }
    }
}
