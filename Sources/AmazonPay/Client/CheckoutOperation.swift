/// A call that is made for a checkout session.
package enum CheckoutOperation: String, Sendable, CaseIterable {
    /// Get Checkout Session.
    case get
    /// Update Checkout Session.
    case update
    /// Complete Checkout Session.
    case complete

    /// How long one try may take; the vendor documents nothing, complete waits for the bank.
    package var timeout: Duration {
        switch self {
        case .get, .update: .seconds(10)
        case .complete: .seconds(30)
        }
    }

    var method: String {
        switch self {
        case .get: "GET"
        case .update: "PATCH"
        case .complete: "POST"
        }
    }

    func resource(_ session: CheckoutSessionID) -> String {
        "checkoutSessions/" + session.text + (self == .complete ? "/complete" : "")
    }
}
