package import Commerce
package import Primitives
package import SessionBroker

/// A purchase request as the broker checks it; for `POST /purchase` and `POST /return`.
package struct PurchaseRequest: Sendable {
    /// Token C, from the body.
    package let ticket: ReturnTicket
    /// Token P, from the app jar's cookie.
    package var proof: AppProof?
    /// The verifier, from the body.
    package var verifier: CodeVerifier?
    /// Token A, from `old_secureWebviewSessionId`.
    package var launch: LaunchTicket?
    /// Token B, from the tab jar's cookie; only for client `browser`.
    package var tab: TabToken?
    /// The checkout session, as the link said it.
    package let orderReference: String
    /// The total that the page showed, if it says.
    package var total: Yen?

    /// A request with the two fields that it cannot do without.
    ///
    /// - Parameters:
    ///   - orderReference: The checkout session, as the link said it.
    package init(ticket: ReturnTicket, orderReference: String) {
        self.ticket = ticket
        self.orderReference = orderReference
    }
}

/// Why a purchase is refused.
package enum PurchaseRefusal: Sendable, Equatable {
    /// There is no such return ticket: 404.
    case unknown
    /// A proof is missing: 403, whatever became of the webview session; the fifth time it dies of it.
    case proofRequired
    /// A proof does not fit: 403, whatever became of the webview session; by the policy it dies of it.
    case proofMismatch
    /// Tab token and return ticket are of two webview sessions: 409.
    case webviewSessionMismatch
    /// There is no total yet: 409 `not_priced`.
    case notPriced
    /// The page showed another total: 409; this is the right one.
    case priceChanged(Yen?)
    /// Another checkout session is pinned: 422.
    case orderMismatch
    /// The order is not placed yet: 409 `not_ready`; by profile strict the halves may meet now.
    case notReady(canMeet: Bool)
    /// Somebody else holds the lease: 409, seconds until it is over at most, and what is being paid.
    case inProgress(retryAfter: Int, total: Yen?)
    /// The provider declined: 402.
    case declined
    /// Too late: 410 `expired_session`.
    case expired
    /// Dead before: 410 `session_revoked`, or `expired_session` where the state is `expired`.
    case dead(WebviewSessionState)

    /// Whether it counts against the sender: what was shown is not known, or does not prove what it should.
    var isMiss: Bool { self == .unknown || self == .proofRequired || self == .proofMismatch }
}

/// What a purchase request came to: how its attempt begins.
package enum BeginOutcome: Sendable {
    /// The lease is ours and the attempt is new: complete at the provider, then settle or release.
    case begin(PurchaseAttempt)
    /// The lease of the same attempt was over and is ours now: ask the provider what it knows first.
    case recover(PurchaseAttempt)
    /// Bought before: these bytes again, 200.
    case replayed([UInt8])
    /// Profile strict, and the halves have met now: 202 with this ticket; the app opens the tab again.
    case met(LaunchTicket)
    /// Nothing was done.
    case refused(PurchaseRefusal)
}

/// The right to call the provider for a webview session, until the lease is over.
package struct PurchaseAttempt: Sendable {
    /// Which webview session.
    package let webviewSession: WebviewSessionID
    /// Whose.
    package let client: ClientKind
    /// 1 for the first; a recovery keeps it.
    ///
    /// Together with the webview session it makes the idempotency key.
    package let number: Int
    /// Fences settle and release.
    package let id: UUIDBytes
    /// The checkout session to complete.
    package let orderReference: String
    /// What to charge.
    package let total: Yen

    /// The number of the order as the buyer sees it.
    package var orderNumber: OrderNumber { OrderNumber(webviewSession) }
}

/// What `POST /return` answers.
package enum CheckOutcome: Sendable {
    /// Both halves belong together, and a purchase would be considered.
    case proven
    /// A purchase would be refused.
    case refused(PurchaseRefusal)
}

/// What `GET /thanks` may show.
package enum ReceiptOutcome: Sendable {
    /// Bought, proven and in time: the order, with buyer and address while they are kept.
    case receipt(WebviewSessionView)
    /// No such ticket, or a proof is missing or does not fit: 404, neutral page.
    case unknown
    /// Not bought: 404, neutral page.
    case notBought
    /// Bought too long ago: 410, neutral page.
    case over
    /// Over without a purchase: 410, neutral page.
    case dead
}
