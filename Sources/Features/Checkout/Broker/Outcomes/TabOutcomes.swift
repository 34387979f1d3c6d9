package import Commerce
package import SessionBroker

/// Why a tab token does nothing any more, whatever was asked.
package enum TabRefusal: Sendable, Equatable {
    /// There is no such token: 403, neutral page.
    case unknown
    /// Too late; the webview session expired: 403, neutral page.
    case expired
    /// Replaced by a re-open: two parties held the ticket, the webview session is revoked now: 403, neutral page.
    case superseded
    /// The webview session is over, or back at the app: 403, neutral page. Authorized means that the order is paid.
    case closed(WebviewSessionState)

    /// Whether the token is of no use any more, to anything.
    ///
    /// That of a paid order is: each page of the tab says so, and a browser's receipt asks for it.
    package var endsToken: Bool {
        switch self {
        case .unknown, .expired, .superseded: true
        case .closed(let state): state != .authorized
        }
    }
}

/// What a tab may see.
package enum TabOutcome: Sendable {
    /// The page, live; the idle deadline moved.
    case live(WebviewSessionView)
    /// The page, while the provider is being called: no control works.
    case readOnly(WebviewSessionView)
    /// Nothing.
    case refused(TabRefusal)
}

/// What became of a review return.
package enum ReviewOutcome: Sendable {
    /// The session is pinned, postage and total are stored: go on to the clean confirm page.
    case reviewed(WebviewSessionView)
    /// The session belongs to another webview session, or the order is placed with another session: 422.
    case orderMismatch
    /// That session was declined: the buyer must start a new one.
    case declined
    /// The provider is being called: nothing may change now.
    case readOnly
    /// The tab token does not do it.
    case refused(TabRefusal)
}

/// What `/calc_postage` answers.
package enum QuoteOutcome: Sendable {
    /// The sums.
    case quoted(postage: Yen, total: Yen)
    /// No address is known yet: 409.
    case notPriced
    /// Return ticket and tab token are of two webview sessions: 409.
    case webviewSessionMismatch
    /// Another checkout session is pinned: 422.
    case orderMismatch
    /// The tab token does not do it.
    case refused(TabRefusal)
}

/// What became of the buyer's consent.
package enum PlaceOutcome: Sendable {
    /// The order is placed, the same again while it is: send the amounts to the provider and the buyer there.
    case placed(Placement)
    /// Nothing was reviewed yet: 409.
    case notReviewed
    /// The provider declined: the buyer must start a new session, 402.
    case declined
    /// Return ticket and tab token are of two webview sessions: 409.
    case webviewSessionMismatch
    /// The page showed another total: 409; this is the right one.
    case priceChanged(Yen)
    /// Profile strict: the app has to be visited first, 409.
    case notMet
    /// The provider is being called: nothing may change now.
    case readOnly
    /// The tab token does not do it.
    case refused(TabRefusal)
}

/// An order that was placed.
package struct Placement: Sendable {
    /// The webview session, with the address that the total was made for; without one where nothing is sealed any more.
    package internal(set) var view: WebviewSessionView
    /// What is paid.
    package let total: Yen
    /// The provider's checkout session.
    package let orderReference: String
    /// Counts the placements of the webview session; fences `unplace`.
    package let number: Int
    /// Whether the order was placed before with the same content: then the provider may have the amounts already.
    package let isRepeat: Bool

    /// Which webview session.
    package var webviewSession: WebviewSessionID { view.id }
}

/// What became of giving up.
package enum CancelOutcome: Sendable {
    /// The webview session is cancelled.
    case canceled
    /// Return ticket and tab token are of two webview sessions: 409.
    case webviewSessionMismatch
    /// The provider is being called: nothing may change now.
    case readOnly
    /// The tab token does not do it.
    case refused(TabRefusal)
}
