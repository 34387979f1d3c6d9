/// A call of the API; the raw value is its place in tables with a value for each.
package enum AmazonPayOperation: Int, Sendable, Hashable, CaseIterable {
    /// Create Checkout Session, from the server rather than from a button.
    case createSession
    /// Get Checkout Session.
    case get
    /// Update Checkout Session.
    case update
    /// Complete Checkout Session.
    case complete
    /// Finalize Checkout Session, which takes the place of complete where an app started the checkout.
    case finalize
    /// Create Charge.
    case createCharge
    /// Get Charge.
    case getCharge
    /// Capture Charge.
    case capture
    /// Cancel Charge.
    case cancelCharge
    /// Create Refund.
    case createRefund
    /// Get Refund.
    case getRefund
    /// Get Charge Permission.
    case getPermission
    /// Update Charge Permission.
    case updatePermission
    /// Close Charge Permission.
    case closePermission
    /// Get Buyer.
    case getBuyer

    /// Its label in metrics, settings and logs.
    package var label: String {
        switch self {
        case .createSession: "create_session"
        case .get: "get"
        case .update: "update"
        case .complete: "complete"
        case .finalize: "finalize"
        case .createCharge: "create_charge"
        case .getCharge: "get_charge"
        case .capture: "capture"
        case .cancelCharge: "cancel_charge"
        case .createRefund: "create_refund"
        case .getRefund: "get_refund"
        case .getPermission: "get_permission"
        case .updatePermission: "update_permission"
        case .closePermission: "close_permission"
        case .getBuyer: "get_buyer"
        }
    }

    /// How long one try may take; the vendor documents nothing, and where money is asked for the bank is waited for.
    package var timeout: Duration {
        switch self {
        case .complete, .finalize, .createCharge, .capture, .createRefund, .cancelCharge, .closePermission: .seconds(30)
        default: .seconds(10)
        }
    }

    /// Whether an idempotency key goes with it; with any other method the service ignores one.
    package var carriesKey: Bool { method == "POST" }

    /// The method of HTTP.
    package var method: String {
        switch self {
        case .get, .getCharge, .getRefund, .getPermission, .getBuyer: "GET"
        case .update, .updatePermission: "PATCH"
        case .createSession, .complete, .finalize, .createCharge, .capture, .createRefund: "POST"
        case .cancelCharge, .closePermission: "DELETE"
        }
    }

    /// Where the call goes, without a leading slash.
    ///
    /// - Parameter id: Of the object, as it goes into a path; not looked at where the call makes the object.
    /// - Returns: For example `charges/S03-1234567-1234567-C123456/capture`.
    package func resource(_ id: String = "") -> String {
        switch self {
        case .createSession: "checkoutSessions"
        case .get, .update: "checkoutSessions/" + id
        case .complete: "checkoutSessions/\(id)/complete"
        case .finalize: "checkoutSessions/\(id)/finalize"
        case .createCharge: "charges"
        case .getCharge: "charges/" + id
        case .capture: "charges/\(id)/capture"
        case .cancelCharge: "charges/\(id)/cancel"
        case .createRefund: "refunds"
        case .getRefund: "refunds/" + id
        case .getPermission, .updatePermission: "chargePermissions/" + id
        case .closePermission: "chargePermissions/\(id)/close"
        case .getBuyer: "buyers/" + id
        }
    }
}
