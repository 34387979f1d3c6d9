import Pages
import SessionBroker

extension OrderView {
    /// The table of a webview session's order.
    ///
    /// - Parameter webviewSession: With postage and total where they are known.
    init(_ webviewSession: WebviewSessionView) {
        if let postage = webviewSession.postage, let total = webviewSession.total {
            self.init(webviewSession.order, postage: postage, total: total)
        } else {
            self.init(webviewSession.order)
        }
    }
}
