package import Commerce
package import Primitives

/// A purchase whose lease is over without a result: its holder is gone, or the provider's answer stayed unknown.
package struct OverduePurchase: Sendable, Hashable {
    /// Which webview session.
    package let webviewSession: WebviewSessionID
    /// How often it was taken over so far; a buyer's own repeats are not counted.
    package let recoveries: Int
    /// Since the attempt began.
    package let age: Duration

    /// An overdue purchase.
    ///
    /// - Parameters:
    ///   - webviewSession: Which webview session.
    ///   - recoveries: How often it was taken over so far.
    ///   - age: Since the attempt began.
    package init(webviewSession: WebviewSessionID, recoveries: Int, age: Duration) {
        self.webviewSession = webviewSession
        self.recoveries = recoveries
        self.age = age
    }
}

/// The payment state of a webview session.
package struct WebviewSessionPayment: Sendable, Hashable {
    /// State of the webview session.
    package let state: WebviewSessionState
    /// The provider's checkout session; `nil` before the buyer came back from it.
    package let orderReference: String?
    /// What the buyer agreed to pay; `nil` until it is known.
    package let total: Yen?
    /// The provider's permission, once the webview session is paid.
    package let permission: String?
    /// Whether its purchase was given up.
    package let isStuck: Bool

    /// The payment state of a webview session.
    ///
    /// - Parameters:
    ///   - state: State of the webview session.
    ///   - orderReference: The provider's checkout session.
    ///   - total: What the buyer agreed to pay.
    ///   - permission: The provider's permission.
    ///   - isStuck: Whether its purchase was given up.
    package init(state: WebviewSessionState, orderReference: String?, total: Yen?, permission: String?, isStuck: Bool) {
        self.state = state
        self.orderReference = orderReference
        self.total = total
        self.permission = permission
        self.isStuck = isStuck
    }
}

/// A purchase that the program has given up: a person finds out at the provider whether it was paid.
package struct StuckPurchase: Sendable, Hashable {
    /// Which webview session.
    package let webviewSession: WebviewSessionID
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
    ///   - webviewSession: Which webview session.
    ///   - since: When the attempt began.
    ///   - stuckAt: When it was given up.
    ///   - recoveries: How often it was taken over.
    ///   - orderReference: The provider's checkout session.
    ///   - total: What the buyer agreed to pay.
    package init(
        webviewSession: WebviewSessionID,
        since: WallTime,
        stuckAt: WallTime,
        recoveries: Int,
        orderReference: String,
        total: Yen
    ) {
        self.webviewSession = webviewSession
        self.since = since
        self.stuckAt = stuckAt
        self.recoveries = recoveries
        self.orderReference = orderReference
        self.total = total
    }
}
