import Commerce
import SessionBroker

/// An order, and what it comes to where its address is known; else both are `nil`, and shown as `-`.
struct OrderView: Sendable {
    let order: Order
    var postage: Yen?
    /// Tax and postage included.
    var total: Yen?

    init(_ order: Order, postage: Yen? = nil, total: Yen? = nil) {
        self.order = order
        self.postage = postage
        self.total = total
    }
}

extension OrderView {
    /// The order of a webview session; one sum without the other is none.
    init(_ view: WebviewSessionView) {
        let isPriced = view.postage != nil && view.total != nil
        self.init(view.order, postage: isPriced ? view.postage : nil, total: isPriced ? view.total : nil)
    }
}
