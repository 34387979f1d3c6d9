package import SessionBroker

/// What an issue came to.
package enum IssueOutcome: Sendable {
    /// A webview session was made.
    case issued(IssuedWebviewSession)
    /// Nothing was made.
    case refused(IssueRefusal)
}

/// What the allocation of a merchant's webview session came to.
package enum AllocationOutcome: Sendable {
    /// A webview session to be stored, and its tokens; the proof is always there.
    case allocated(NewWebviewSession, IssuedWebviewSession)
    /// Nothing was allocated.
    case refused(IssueRefusal)
}

/// Why no webview session is made.
package enum IssueRefusal: Sendable, Equatable {
    /// All together, or those of this install, are too many: 429. Installs do not count for a merchant's webview session.
    case tooManyWebviewSessions
    /// The policy requires a challenge of this client and there is none: 400.
    case verifierRequired
}

/// A webview session that was made.
package struct IssuedWebviewSession: Sendable {
    /// Token A, for the answer's body.
    package let ticket: LaunchTicket
    /// Token P, if the jar had none and the cookie is to be set.
    package let newProof: AppProof?
}

/// What a launch ticket opened: of the store a session, of the broker a tab with its token.
package enum OpenOutcome<Opened: Sendable>: Sendable {
    /// The first time: the tab is open. Set both cookies, go on to the clean URL, or straight to the review where the session
    /// says so.
    case opened(Opened)
    /// Once more, soon, and never seen back: the same with a new tab token, the one before is superseded.
    case reopened(Opened)
    /// This tab holds the token already: go on, set no cookie; to the review where the halves have met.
    case sameTab(review: String?)
    /// Used a moment ago, by a jar without the tab token: nothing was done, and nothing is served. A browser that opened the
    /// address twice has the token when it asks again; then it is decided.
    case doubled
    /// There is no such ticket: 404, without a hint.
    case unknown
    /// Too late: 410.
    case expired
    /// Used by somebody else before: 409; the webview session is dead now unless the policy only refuses.
    case reused(WebviewSessionState)
    /// The purchase is under way or over: 409.
    case finished(WebviewSessionState)
    /// Another browser than the one with the cart: 403.
    case wrongBrowser
    /// Revoked, expired or cancelled before: 410.
    case dead(WebviewSessionState)

    /// What was opened, if anything.
    package var opened: Opened? {
        switch self {
        case .opened(let opened), .reopened(let opened): opened
        case .sameTab, .doubled, .unknown, .expired, .reused, .finished, .wrongBrowser, .dead: nil
        }
    }

    /// The same outcome with something else that was opened.
    func map<Other>(_ body: (Opened) -> Other) -> OpenOutcome<Other> {
        switch self {
        case .opened(let opened): .opened(body(opened))
        case .reopened(let opened): .reopened(body(opened))
        case .sameTab(let review): .sameTab(review: review)
        case .doubled: .doubled
        case .unknown: .unknown
        case .expired: .expired
        case .reused(let state): .reused(state)
        case .finished(let state): .finished(state)
        case .wrongBrowser: .wrongBrowser
        case .dead(let state): .dead(state)
        }
    }
}

/// A tab that was opened.
package struct OpenedTab: Sendable {
    /// Token B, fresh, for the tab's cookie.
    package let token: TabToken
    /// Whose the tab is.
    package let session: OpenedSession
}

/// A webview session that has a tab now.
package struct OpenedSession: Sendable {
    /// Whose.
    package let client: ClientKind
    /// Profile strict, after the halves have met: the checkout session to review again under the new token.
    package let review: String?
}
