import Pages
import SessionBroker

extension OrderView {
    /// The table of a webview session's order.
    ///
    /// - Parameter view: With postage and total where they are known.
    init(_ view: WebviewSessionView) {
        if let postage = view.postage, let total = view.total {
            self.init(view.order, postage: postage, total: total)
        } else {
            self.init(view.order)
        }
    }
}
