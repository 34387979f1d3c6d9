package import Primitives

/// An operation that was given up, as an operator sees it.
package struct StuckOperation: Sendable, Hashable {
    /// What was asked of the provider.
    package let operation: PaymentOperation
    /// When it began.
    package let began: WallTime
    /// When it was given up.
    package let givenUp: WallTime
    /// Why, where there is more to say than that no answer was clear.
    package let reason: String?

    /// An operation that was given up.
    package init(_ operation: PaymentOperation, began: WallTime, givenUp: WallTime, reason: String?) {
        self.operation = operation
        self.began = began
        self.givenUp = givenUp
        self.reason = reason
    }
}
