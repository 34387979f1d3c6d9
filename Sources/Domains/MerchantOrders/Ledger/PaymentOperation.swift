package import Commerce
package import Primitives

/// An operation that has begun: its holder calls the provider and ends it with `settle`, or lets the lease run out.
package struct PaymentOperation: Sendable, Hashable {
    /// The operation.
    package let id: UUIDBytes
    /// Fences the end.
    package let attempt: UUIDBytes
    /// The order.
    package let order: UUIDBytes
    /// What is to be done.
    package let kind: OperationKind
    /// The provider's id of what it is done to.
    package let target: String
    /// The sum it moves; `nil` where it moves none.
    package var amount: Money?
    /// What the object that comes of it has afterwards, as far as a merchant has said something.
    package var memo = PaymentMemo.none
    /// What every try sends.
    package var body: [UInt8] = []
    /// The key that every try sends.
    package var key = ""
    /// Whether an earlier try may have got through.
    package var isRecovery = false
    /// Whether no other try follows by itself: what stays unknown is given up.
    package var isLast = false
    /// Whether the try is one of the recovery's, which are counted.
    package var isCounted = false

    /// An operation.
    ///
    /// - Parameters:
    ///   - target: The provider's id of what it is done to.
    package init(id: UUIDBytes, attempt: UUIDBytes, order: UUIDBytes, kind: OperationKind, target: String) {
        self.id = id
        self.attempt = attempt
        self.order = order
        self.kind = kind
        self.target = target
    }
}

/// Who takes over an operation whose holder is gone.
package enum OperationTaker: Sendable, Hashable {
    /// The periodic task.
    case recovery
    /// A repeat of the request that began it.
    case request
}

/// The operation that keeps others from its target.
package struct HoldingOperation: Sendable, Hashable {
    /// The operation.
    package let id: UUIDBytes
    /// What is done.
    package let kind: String
    /// Whether it waits for a person.
    package let isStuck: Bool

    /// An operation that has not ended.
    ///
    /// - Parameters:
    ///   - kind: What is done; one that this version does not know, too.
    ///   - isStuck: Whether it waits for a person.
    package init(id: UUIDBytes, kind: String, isStuck: Bool) {
        self.id = id
        self.kind = kind
        self.isStuck = isStuck
    }
}

/// What taking over an operation brought.
package enum TakeOver: Sendable, Hashable {
    /// The caller holds it now; an earlier try may have got through.
    case taken(PaymentOperation)
    /// Somebody else has it, or it has ended.
    case none
}
