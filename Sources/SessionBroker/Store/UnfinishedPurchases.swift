package import Commerce
package import Primitives

/// A purchase whose lease is over without a result: whoever held it is gone, or the provider's answer stayed unknown.
package struct OverduePurchase: Sendable, Hashable {
    /// Which flow.
    package let flow: FlowID
    /// How often it was taken over so far; a buyer's own repeats are not counted.
    package let recoveries: Int
    /// Since the attempt began.
    package let age: Duration

    /// An overdue purchase.
    ///
    /// - Parameters:
    ///   - flow: Which flow.
    ///   - recoveries: How often it was taken over so far.
    ///   - age: Since the attempt began.
    package init(flow: FlowID, recoveries: Int, age: Duration) {
        self.flow = flow
        self.recoveries = recoveries
        self.age = age
    }
}

/// What a flow knows of its payment.
package struct FlowPayment: Sendable, Hashable {
    /// State of the flow.
    package let state: FlowState
    /// The provider's checkout session; `nil` before the buyer came back from it.
    package let orderReference: String?
    /// What the buyer agreed to pay; `nil` until it is known.
    package let total: Yen?
    /// The provider's permission, once the flow is paid.
    package let permission: String?
    /// Whether its purchase was given up.
    package let isStuck: Bool

    /// What a flow knows of its payment.
    ///
    /// - Parameters:
    ///   - state: State of the flow.
    ///   - orderReference: The provider's checkout session.
    ///   - total: What the buyer agreed to pay.
    ///   - permission: The provider's permission.
    ///   - isStuck: Whether its purchase was given up.
    package init(state: FlowState, orderReference: String?, total: Yen?, permission: String?, isStuck: Bool) {
        self.state = state
        self.orderReference = orderReference
        self.total = total
        self.permission = permission
        self.isStuck = isStuck
    }
}

/// A purchase that the program has given up: a person finds out at the provider whether it was paid.
package struct StuckPurchase: Sendable, Hashable {
    /// Which flow.
    package let flow: FlowID
    /// When the attempt began.
    package let since: WallTime
    /// When it was given up.
    package let stuckAt: WallTime
    /// How often it was taken over.
    package let recoveries: Int
    /// The provider's checkout session.
    package let orderReference: String
    /// What the buyer agreed to pay.
    package let total: Yen
    /// Why it was given up: `gone`, `amount`, `time`; `nil` where that was not kept.
    package var reason: String?

    /// A purchase that was given up.
    ///
    /// - Parameters:
    ///   - flow: Which flow.
    ///   - since: When the attempt began.
    ///   - stuckAt: When it was given up.
    ///   - recoveries: How often it was taken over.
    ///   - orderReference: The provider's checkout session.
    ///   - total: What the buyer agreed to pay.
    package init(
        flow: FlowID,
        since: WallTime,
        stuckAt: WallTime,
        recoveries: Int,
        orderReference: String,
        total: Yen
    ) {
        self.flow = flow
        self.since = since
        self.stuckAt = stuckAt
        self.recoveries = recoveries
        self.orderReference = orderReference
        self.total = total
    }
}
