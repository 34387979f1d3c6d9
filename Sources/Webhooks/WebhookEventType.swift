/// What a merchant can be told about.
package enum WebhookEventType: String, Sendable, Hashable, CaseIterable {
    /// The buyer has paid, as far as the provider has decided.
    case sessionPaid = "session.paid"
    /// The buyer has done everything; the provider has not decided.
    case sessionPaymentPending = "session.payment_pending"
    /// The payment was declined.
    case sessionDeclined = "session.declined"
    /// The buyer or the merchant has cancelled.
    case sessionCancelled = "session.cancelled"
    /// Nobody came back in time.
    case sessionExpired = "session.expired"
    /// Nobody knows whether the buyer has paid: a person has to find out.
    case sessionStuck = "session.stuck"
    /// Money is held.
    case chargeAuthorized = "charge.authorized"
    /// Money was taken.
    case chargeCaptured = "charge.captured"
    /// A charge was declined.
    case chargeDeclined = "charge.declined"
    /// A charge was cancelled, and what was held is free.
    case chargeCanceled = "charge.canceled"
    /// A charge is about to pass one of its limits: after it a capture takes days, or is not possible.
    case chargeExpiring = "charge.expiring"
    /// Money is being given back.
    case refundCreated = "refund.created"
    /// Money was given back.
    case refundRefunded = "refund.refunded"
    /// Money could not be given back.
    case refundDeclined = "refund.declined"
    /// Nobody knows what became of an operation on a payment: a person has to find out.
    case paymentStuck = "payment.stuck"
    /// Nothing more can be charged.
    case permissionClosed = "permission.closed"
    /// The buyer's bank wants money back.
    case chargebackReceived = "chargeback.received"

    /// The types that a list stands for, or `nil` where a part of it is none.
    ///
    /// - Parameter text: Raw values with a comma between each two; no blanks, none twice, at least one.
    /// - Returns: In the order of the list.
    package static func parse(_ text: String) -> [WebhookEventType]? {
        var types: [WebhookEventType] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let type = WebhookEventType(rawValue: String(part)), !types.contains(type) else { return nil }
            types.append(type)
        }
        return types
    }
}
