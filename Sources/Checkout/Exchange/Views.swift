import Pages
import SessionBroker

extension OrderView {
    /// The table of a flow's order.
    ///
    /// - Parameter flow: With postage and total where they are known.
    init(_ flow: FlowView) {
        if let postage = flow.postage, let total = flow.total {
            self.init(flow.order, postage: postage, total: total)
        } else {
            self.init(flow.order)
        }
    }
}
