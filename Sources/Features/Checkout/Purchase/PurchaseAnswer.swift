import SessionBroker

/// The body of a successful purchase: the sample shop's two members and the number for inquiries.
enum PurchaseAnswer {
    /// The body; a function of the webview session alone, so that a recovery writes the very bytes the first try would have
    /// written.
    ///
    /// - Parameter number: The order's number as the buyer sees it.
    /// - Returns: JSON.
    static func body(_ number: OrderNumber) -> [UInt8] {
        Array("{\"status\":\"200\",\"message\":\"The order placed.\",\"orderId\":\"\(number)\"}".utf8)
    }
}
