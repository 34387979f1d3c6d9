package import Commerce
package import SessionBroker

/// A webview session as a page or an answer may show it.
package struct WebviewSessionView: Sendable {
    /// As a statement left it.
    package let record: WebviewSessionRecord
    /// Who buys and where to; only where it was asked for, and `nil` before the review and after two days.
    package internal(set) var details: PrivateDetails?
    /// What goes back to the app in the link; only where details were asked for.
    package internal(set) var returnTicket: ReturnTicket?

    init(_ record: WebviewSessionRecord) {
        self.record = record
    }

    /// For `Webview-Session-Id`.
    package var id: WebviewSessionID { record.id }
    /// Fixed at the issue.
    package var client: ClientKind { record.client }
    /// Where it stands.
    package var state: WebviewSessionState { record.state }
    /// What is bought.
    package var order: Order { record.order }
    /// `nil` before the review.
    package var postage: Yen? { record.postage }
    /// What is paid; `nil` before the review.
    package var total: Yen? { record.total }
    /// Both sums of the review; one without the other is none.
    var sums: (postage: Yen, total: Yen)? {
        guard let postage, let total else { return nil }
        return (postage, total)
    }
    /// The provider's checkout session; `nil` before the review.
    package var orderReference: String? { record.orderReference }
    /// The number of the order as the buyer sees it.
    package var orderNumber: OrderNumber { OrderNumber(id) }
}
