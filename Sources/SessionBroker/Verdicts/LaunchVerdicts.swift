import Primitives

/// What an issue came to.
package enum IssueVerdict: Sendable {
    /// A webview session was made.
    case issued(IssuedWebviewSession)
    /// This install, or all together, have too many live webview sessions: 429.
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

/// What a launch ticket opened.
package enum OpenVerdict: Sendable {
    /// The tab is open: set both cookies, go on to the clean URL (or straight to the review where `review` says so).
    case opened(OpenedTab)
    /// This tab holds the token already: go on, set no cookie.
    case sameTab
    /// There is no such ticket: 404, without a hint.
    case unknown
    /// Too late: 410.
    case expired
    /// Used by somebody else before: 409; the webview session is dead now unless the policy only refuses.
    case reused
    /// The purchase is under way or over: 409.
    case finished
    /// Another browser than the one with the cart: 403.
    case wrongBrowser
    /// Revoked, expired or cancelled before: 410.
    case dead(WebviewSessionState)
}

/// A tab that was opened.
package struct OpenedTab: Sendable {
    /// Which webview session.
    package let webviewSession: WebviewSessionID
    /// Token B, for its cookie and nothing else.
    package let token: TabToken
    /// Whose webview session.
    package let client: ClientKind
    /// Profile strict, after the halves have met: the checkout session to review again under the new token.
    package let review: String?
    /// Whether this is the one re-open that is allowed.
    package let isReopened: Bool
}

/// Why a tab token does not do what was asked.
package enum TabRefusal: Sendable, Equatable {
    /// There is no such token: 403, neutral page.
    case unknown
    /// Too late; the webview session expired: 403, neutral page.
    case expired
    /// Replaced by a re-open; the webview session is revoked now: 403, neutral page.
    case superseded
    /// The webview session is over, or back at the app: 403, neutral page. Authorized means that the app has bought.
    case closed(WebviewSessionState)
    /// A browser has bought: as `closed`, but its token is still asked for by the receipt.
    case bought
    /// The provider is being called: nothing may change now.
    case readOnly
}

extension TabRefusal {
    /// Whether the token is of no use any more, to anything.
    package var endsToken: Bool {
        switch self {
        case .unknown, .expired, .superseded, .closed: true
        case .bought, .readOnly: false
        }
    }
}

/// What a tab may see.
package enum TabVerdict: Sendable {
    /// The page, live.
    case live(WebviewSessionView)
    /// The page, while the provider is being called: no control works.
    case readOnly(WebviewSessionView)
    /// Nothing.
    case refused(TabRefusal)
}
