/// What an error page can be about; the raw value is the code on the wire and in `data-error`.
package enum PageErrorCode: String, Sendable, CaseIterable {
    /// A parameter is missing, repeated or malformed.
    case invalidRequest = "invalid_request"
    /// A quantity is no number from 0 to 99, or nothing was chosen.
    case quantityInvalid = "quantity_invalid"
    /// Too many requests.
    case rateLimited = "rate_limited"
    /// The ticket is not known.
    case unknownSession = "unknown_session"
    /// The ticket or the flow is too old.
    case expiredSession = "expired_session"
    /// The ticket was opened before.
    case sessionReused = "session_reused"
    /// The flow was closed for safety.
    case sessionRevoked = "session_revoked"
    /// The flow was cancelled by the buyer.
    case sessionCancelled = "session_cancelled"
    /// Another browser asked for this ticket.
    case wrongBrowser = "wrong_browser"
    /// The browser keeps no cookies.
    case cookiesBlocked = "cookies_blocked"
    /// The page belongs to another flow than the tab.
    case flowMismatch = "flow_mismatch"
    /// The checkout session belongs to another flow.
    case orderMismatch = "order_mismatch"
    /// The request did not come from our own page.
    case csrfRejected = "csrf_rejected"
    /// The app's proof is missing.
    case proofRequired = "proof_required"
    /// The app's proof is another one.
    case proofMismatch = "proof_mismatch"
    /// Address and total are not known yet.
    case notPriced = "not_priced"
    /// The total is another one than was shown.
    case priceChanged = "price_changed"
    /// The provider has not finished yet.
    case notReady = "not_ready"
    /// The purchase is being completed.
    case purchaseInProgress = "purchase_in_progress"
    /// The provider declined the payment.
    case paymentDeclined = "payment_declined"
    /// The provider did not answer as expected.
    case providerFailed = "provider_failed"
    /// The shop's server did not say what sending the order costs.
    case postageFailed = "postage_failed"
    /// A part of the service is away for the moment.
    case unavailable = "unavailable"
    /// There is no such page.
    case notFound = "not_found"
    /// The page does not take this method.
    case methodNotAllowed = "method_not_allowed"
    /// The request is too large.
    case payloadTooLarge = "payload_too_large"
    /// Our own fault, and the answer to anything else.
    case internalError = "internal_error"
}
