package import Commerce

/// The table of an order.
package struct OrderView: Sendable {
    /// The rows, and their sums.
    package let order: Order
    /// Postage; `nil` until the address is known, shown as `-`.
    package let postage: Yen?
    /// What is paid; `nil` until the address is known, shown as `-`.
    package let total: Yen?

    /// An order before its address is known.
    ///
    /// - Parameter order: What is bought.
    package init(_ order: Order) {
        self.order = order
        postage = nil
        total = nil
    }

    /// An order on its way to an address.
    ///
    /// - Parameters:
    ///   - order: What is bought.
    ///   - postage: To the address.
    ///   - total: Tax and postage included.
    package init(_ order: Order, postage: Yen, total: Yen) {
        self.order = order
        self.postage = postage
        self.total = total
    }
}
