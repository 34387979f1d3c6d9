package import Commerce
package import Primitives

/// A webview session as a page or an answer may show it.
package struct WebviewSessionView: Sendable {
    /// For `X-Flow-Id`; never a credential.
    package let id: WebviewSessionID
    /// Fixed at the issue.
    package let client: ClientKind
    /// Where it stands.
    package let state: WebviewSessionState
    /// What is bought.
    package let order: Order
    /// `nil` before the review.
    package let postage: Yen?
    /// What is paid; `nil` before the review.
    package let total: Yen?
    /// The terms of the order besides its price, as they were written at the opening of the webview session; `nil` for the
    /// shop's own.
    package let terms: [UInt8]?
    /// The provider's checkout session; `nil` before the review.
    package let orderReference: String?
    /// Profile strict: both halves have met.
    package let isMet: Bool
    /// Who buys and where to; only where it was asked for, and `nil` before the review and after two days.
    package let details: PrivateDetails?

    /// Stands for what the confirm page shows: its consent names it.
    ///
    /// `nil` before the review, and after one by a program that knows no such mark.
    package let shown: Digest32?

    /// What goes back to the app in the link; only where details were asked for.
    package let returnTicket: ReturnTicket?

    /// What the launch ticket is compared with.
    let launchHash: Digest32

    /// The number of the order as the buyer sees it.
    package var orderNumber: OrderNumber { OrderNumber(id) }

    init(_ record: WebviewSessionRecord, details: PrivateDetails? = nil, returnTicket: ReturnTicket? = nil) {
        id = record.id
        client = record.client
        state = record.state
        order = record.order
        postage = record.postage
        total = record.total
        terms = record.terms
        orderReference = record.orderReference
        isMet = record.isMet
        shown = record.marks.shown
        launchHash = record.marks.launchHash
        self.details = details
        self.returnTicket = returnTicket
    }
}
