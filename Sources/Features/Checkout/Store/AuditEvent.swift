package import Primitives
package import SessionBroker

/// One row of the audit trail; no token, no personal data.
package struct AuditEvent: Sendable, Hashable {
    /// Which webview session.
    package let webviewSession: WebviewSessionID
    /// 1 for the issue, then one more each.
    package let ordinal: Int
    /// By the clock of the database.
    package let at: WallTime
    /// `issue`, `open`, `tab`, `review`, `place`, `unplace`, `decline`, `purchase`, `meet`, `release`, `settle`, `recover`,
    /// `give_up`, `resume`, `reclaim`, `cancel`, `close`, `sweep`, `plaintext`, `prefetch_refused`.
    package let operation: String
    /// The word of the outcome.
    package let outcome: String
    /// After the statement.
    package let state: WebviewSessionState
    /// Why, in one word, where the operation has a reason.
    package let reason: String?
    /// Truncated address and fingerprint of the user agent, or a word for the program itself.
    package let peer: String
    /// The id of the request.
    package let request: String
    /// The mark of the program; `nil` for a row without one.
    package let mark: UInt64?
    /// Whether the program has not written it, as far as that is known: a key is set, and its mark is missing, wrong or a copy.
    package internal(set) var isAdded = false
    /// The provider's id of the call whose answer settled a purchase.
    package let providerRequest: String?
}

/// What one step of the sweep did.
package struct SweepStep: Sendable {
    /// How many webview sessions were read; fewer than asked for means that this was the last step.
    package let visited: Int
    /// How many of them expired now.
    package let expired: Int
    /// The last webview session read, where the next step starts; `nil` when there was none.
    package let last: WebviewSessionID?
    /// The first webview session read that has not come to its end: it is being bought, or not overdue after all.
    package let held: WebviewSessionID?
}

/// What one reading of a count came to.
package struct CountStep: Sendable, Equatable {
    /// How many live webview sessions there were.
    package let live: Int
    /// The last webview session read, where there may be more behind it; `nil` at the end of the range.
    package let last: WebviewSessionID?

    /// A step.
    package init(live: Int, last: WebviewSessionID?) {
        self.live = live
        self.last = last
    }
}
