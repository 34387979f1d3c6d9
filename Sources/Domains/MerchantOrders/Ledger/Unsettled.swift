package import Primitives

/// What can stay without an outcome.
package enum UnsettledKind: String, Sendable, Hashable, CaseIterable {
    /// A purchase.
    case purchase
    /// An operation on a payment.
    case payment
    /// A charge of ours at the provider whose order is unpaid.
    case charge
}

/// Number of purchases, operations or charges without an outcome.
package struct UnsettledCount: Sendable, Hashable {
    /// What they are.
    package let kind: UnsettledKind
    /// Whether the program has given them up.
    package let isStuck: Bool
    /// How many.
    package let count: Int
    /// Age of the oldest.
    package let oldest: Duration

    /// A number of them.
    ///
    /// - Parameters:
    ///   - isStuck: Whether the program has given them up.
    package init(kind: UnsettledKind, isStuck: Bool, count: Int, oldest: Duration) {
        self.kind = kind
        self.isStuck = isStuck
        self.count = count
        self.oldest = oldest
    }
}

/// A purchase, operation or charge without an outcome that a person has to look at.
package struct UnsettledCase: Sendable, Hashable {
    /// What it is.
    package let kind: UnsettledKind
    /// Whether the program has given it up.
    package let isStuck: Bool
    /// The session.
    package let webviewSession: UUIDBytes
    /// The provider's id: of a purchase the checkout session, of an operation its target, of a charge its permission.
    package let object: String
    /// When it began.
    package let since: WallTime
    /// Why it was given up, where that is known.
    package let reason: String?

    /// A case.
    ///
    /// - Parameters:
    ///   - isStuck: Whether the program has given it up.
    package init(
        kind: UnsettledKind,
        isStuck: Bool,
        webviewSession: UUIDBytes,
        object: String,
        since: WallTime,
        reason: String?
    ) {
        self.kind = kind
        self.isStuck = isStuck
        self.webviewSession = webviewSession
        self.object = object
        self.since = since
        self.reason = reason
    }
}
