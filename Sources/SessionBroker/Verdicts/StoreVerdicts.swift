// What the guarded statements decide; the raw values are the words in the database and in the audit trail. docs/schema.md has
// the table of states and verdicts.

/// What a launch ticket opened.
package enum OpenDecision: String, Sendable, CaseIterable {
    /// The first time: a tab token was set.
    case opened
    /// Once more, soon, and never seen back: a new tab token was set, the one before is superseded.
    case reopened
    /// By the tab that holds the token: nothing changed.
    case sameTab = "same_tab"
    /// By somebody else: the webview session was revoked, unless the policy only refuses.
    case reused
    /// By another browser than the one with the cart: nothing changed.
    case wrongBrowser = "wrong_browser"
    /// Too late: the webview session expired.
    case expired
    /// The purchase is under way or over: nothing changed.
    case finished
    /// Revoked, expired or cancelled before: nothing changed.
    case dead
}

/// What a tab token is worth.
package enum TabDecision: String, Sendable, CaseIterable {
    /// It works; the idle deadline moved.
    case live
    /// It shows, but changes nothing: the provider is being called.
    case readOnly = "read_only"
    /// The webview session is over, or back at the app.
    case closed
    /// It was replaced by a re-open: two parties held the ticket, the webview session was revoked.
    case superseded = "orphan"
    /// Too late: the webview session expired.
    case expired
}

/// What became of reading the provider's session.
package enum ReviewDecision: String, Sendable, CaseIterable {
    /// The session is pinned, postage and total are stored.
    case reviewed
    /// The order is placed with another session: nothing changed.
    case orderMismatch = "order_mismatch"
    /// That session was declined; another one is needed: nothing changed.
    case declined
    /// See `TabDecision`.
    case readOnly = "read_only"
    /// See `TabDecision`.
    case closed
    /// See `TabDecision`.
    case superseded = "orphan"
    /// See `TabDecision`.
    case expired
}

/// What became of the buyer's consent to the total.
package enum PlaceDecision: String, Sendable, CaseIterable {
    /// The order is placed; the same answer again while it is.
    case placed
    /// Nothing was reviewed yet: nothing changed.
    case notReviewed = "not_reviewed"
    /// The provider declined; a new review is needed: nothing changed.
    case declined
    /// Return ticket and tab token are of two webview sessions: nothing changed.
    case webviewSessionMismatch = "flow_mismatch"
    /// The page showed another total: nothing changed.
    case priceChanged = "price_changed"
    /// Profile strict: the halves have not met: nothing changed.
    case notMet = "not_met"
    /// See `TabDecision`.
    case readOnly = "read_only"
    /// See `TabDecision`.
    case closed
    /// See `TabDecision`.
    case superseded = "orphan"
    /// See `TabDecision`.
    case expired
}

/// What became of giving up.
package enum CancelDecision: String, Sendable, CaseIterable {
    /// The webview session is cancelled.
    case cancelled
    /// See `TabDecision`.
    case readOnly = "read_only"
    /// See `TabDecision`.
    case closed
    /// See `TabDecision`.
    case superseded = "orphan"
    /// See `TabDecision`.
    case expired
}

/// What a purchase request is answered; the order of the cases is no order of checks.
package enum PurchaseDecision: String, Sendable, CaseIterable {
    /// The lease was taken for a new attempt.
    case begin
    /// The lease of the attempt before was over and was taken over; ask the provider first.
    case recover
    /// Somebody else holds the lease.
    case inProgress = "in_progress"
    /// Bought before; here is the answer again.
    case replayed
    /// The provider declined; a new review is needed.
    case declined
    /// The order is not placed yet.
    case notReady = "not_ready"
    /// There is no total yet.
    case notPriced = "not_priced"
    /// The page showed another total.
    case priceChanged = "price_changed"
    /// Another session of the provider is pinned.
    case orderMismatch = "order_mismatch"
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

/// What a receipt request is answered.
package enum ReceiptDecision: String, Sendable, CaseIterable {
    /// Bought, proven and in time.
    case shown
    /// A proof is missing.
    case proofRequired = "proof_required"
    /// A proof does not fit.
    case proofMismatch = "proof_mismatch"
    /// Not bought.
    case notReady = "not_ready"
    /// Bought, but too long ago.
    case over
    /// Revoked, expired or cancelled.
    case dead
}
