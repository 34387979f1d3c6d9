/// A failure in the handling of orders.
package struct CommerceError: Error, Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What went wrong, for programs.
    package enum Code: String, Sendable, Equatable {
        /// A sum leaves the bounds of `Yen` or `Money`.
        case overflow
        /// Sums of two currencies in one calculation.
        case currency
        /// An order with nothing in it.
        case empty
        /// A quantity outside 1 to 9,999, or an article twice.
        case quantity
        /// Prices with tax and prices without, or a tax on prices that include it.
        case mixed
        /// Stored JSON that this program did not write.
        case malformed
    }

    /// What went wrong, for programs.
    package let code: Code
    /// What went wrong, for operators; holds no personal data.
    package let detail: String

    /// A failure with the given code.
    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String { "commerce.\(code.rawValue)" }

    package var debugDescription: String { "\(description): \(detail)" }
}
