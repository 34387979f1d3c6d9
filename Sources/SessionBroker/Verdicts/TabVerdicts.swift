package import Commerce
import Primitives

/// What the provider's checkout session says, as the broker keeps it.
package struct ReviewedSession: Sendable {
    /// The id of the checkout session, 36 characters.
    package let orderReference: String
    /// `merchantReferenceId` of its metadata: the webview session id that was signed into the button.
    package let merchantReference: String?
    /// From the address, by the shop's rule.
    package let postage: Yen
    /// Who buys and where to.
    package let details: PrivateDetails

    /// A session that was read.
    ///
    /// - Parameters:
    ///   - orderReference: The id of the checkout session.
    ///   - merchantReference: `merchantReferenceId` of its metadata.
    ///   - postage: From the address, by the shop's rule.
    ///   - details: Who buys and where to.
    package init(orderReference: String, merchantReference: String?, postage: Yen, details: PrivateDetails) {
        self.orderReference = orderReference
        self.merchantReference = merchantReference
        self.postage = postage
        self.details = details
    }
}

/// What became of a review return.
package enum ReviewVerdict: Sendable {
    /// The session is pinned: go on to the clean confirm page.
    case reviewed(WebviewSessionView)
    /// The session belongs to another webview session, or the order is placed with another session: 422.
    case orderMismatch
    /// That session was declined: the buyer must start a new one.
    case declined
    /// The tab token does not do it.
    case refused(TabRefusal)
}

/// What `/calc_postage` answers.
package enum QuoteVerdict: Sendable {
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
package enum PlaceVerdict: Sendable {
    /// The order is placed: send the amounts to the provider and the buyer there.
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
    /// The tab token does not do it.
    case refused(TabRefusal)
}

/// An order that was placed.
package struct Placement: Sendable {
    /// Which webview session.
    package let webviewSession: WebviewSessionID
    /// Whose.
    package let client: ClientKind
    /// What is bought.
    package let order: Order
    /// What is paid.
    package let total: Yen
    /// The address that the total was made for; `nil` where nothing is sealed any more.
    package let address: Address?
    /// The terms of the order besides its price, as they were written at the opening of the webview session; `nil` for the
    /// shop's own.
    package let terms: [UInt8]?
    /// The provider's checkout session.
    package let orderReference: String
    /// Counts the placements of the webview session; fences `unplace`.
    package let number: Int

    /// The number of the order as the buyer sees it.
    package var orderNumber: OrderNumber { OrderNumber(webviewSession) }
}

/// What became of giving up.
package enum CancelVerdict: Sendable {
    /// The webview session is cancelled.
    case cancelled
    /// Return ticket and tab token are of two webview sessions: 409.
    case webviewSessionMismatch
    /// The tab token does not do it.
    case refused(TabRefusal)
}
