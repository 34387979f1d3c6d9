package import Commerce
package import Primitives
package import SessionBroker

/// A purchase whose lease is over without a result: its holder is gone, or the provider's answer stayed unknown.
package struct OverduePurchase: Sendable, Hashable {
    /// Which webview session.
    package let webviewSession: WebviewSessionID
    /// How often it was taken over so far; a buyer's own repeats are not counted.
    package let recoveries: Int
    /// Since the attempt began.
    package let age: Duration
    /// Whether a message asked for the look, which is none of the schedule's.
    package let isWoken: Bool
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
    package let reason: String?
}
