/// What a merchant's program says of a refund, a capture, a cancellation, a charge or a close, for its own records; the provider gets
/// the reasons of cancellations and closes alone.
package struct PaymentMemo: Sendable, Hashable {
    /// Why, in the merchant's words.
    package var reason: String?
    /// The merchant's own, as a JSON object.
    package var metadata: [UInt8]?

    /// Nothing is said.
    package static let none = PaymentMemo()

    /// What is said.
    ///
    /// - Parameters:
    ///   - metadata: A JSON object.
    package init(reason: String? = nil, metadata: [UInt8]? = nil) {
        self.reason = reason
        self.metadata = metadata
    }

    /// The same, where something is missing with what was said before.
    ///
    /// - Parameter earlier: Of the same object.
    /// - Returns: What the object has afterwards.
    package func over(_ earlier: PaymentMemo) -> PaymentMemo {
        PaymentMemo(reason: reason ?? earlier.reason, metadata: metadata ?? earlier.metadata)
    }
}
