import Primitives
import ServerCore

/// The type of an event; each feature declares its own.
package struct WebhookEventType: Sendable, Hashable, FeatureSlot {
    /// As it is written everywhere outside: what it happened to, a dot, what happened.
    package let text: String

    /// A type; declared once as a static member, and among the slots of the feature's card.
    package init(_ text: String) { self.text = text }

    /// The types that a list stands for, or `nil` where a part of it is none.
    ///
    /// - Parameters:
    ///   - text: Types with a comma between each two; no blanks, none twice, at least one.
    /// - Returns: In the order of the list.
    package static func parse(_ text: String, among known: [WebhookEventType]) -> [WebhookEventType]? {
        var types: [WebhookEventType] = []
        for part in text.octets.parts(between: UInt8(ascii: ",")) {
            let type = WebhookEventType(part)
            guard known.contains(type), !types.contains(type) else { return nil }
            types.append(type)
        }
        return types
    }
}

// What happens to sessions and payments.

extension WebhookEventType {
    /// The buyer has paid, as far as the provider has decided.
    package static let sessionPaid = WebhookEventType("session.paid")
    /// The buyer has done everything; the provider has not decided.
    package static let sessionPaymentPending = WebhookEventType("session.payment_pending")
    /// The payment was declined.
    package static let sessionDeclined = WebhookEventType("session.declined")
    /// The buyer or the merchant has cancelled.
    package static let sessionCanceled = WebhookEventType("session.canceled")
    /// Nobody came back in time.
    package static let sessionExpired = WebhookEventType("session.expired")
    /// Whether the buyer has paid is unknown: a person has to find out.
    package static let sessionStuck = WebhookEventType("session.stuck")
    /// Money is held.
    package static let chargeAuthorized = WebhookEventType("charge.authorized")
    /// Money was taken.
    package static let chargeCaptured = WebhookEventType("charge.captured")
    /// A charge was declined.
    package static let chargeDeclined = WebhookEventType("charge.declined")
    /// A charge was cancelled, and what was held is free.
    package static let chargeCanceled = WebhookEventType("charge.canceled")
    /// State or sums of a charge have changed, and no other event says so.
    package static let chargeUpdated = WebhookEventType("charge.updated")
    /// A charge is about to pass one of its limits: after it a capture takes days, or is not possible.
    package static let chargeExpiring = WebhookEventType("charge.expiring")
    /// Money is being given back.
    package static let refundCreated = WebhookEventType("refund.created")
    /// Money was given back.
    package static let refundRefunded = WebhookEventType("refund.refunded")
    /// Money could not be given back.
    package static let refundDeclined = WebhookEventType("refund.declined")
    /// The outcome of an operation on a payment is unknown: a person has to find out.
    package static let paymentStuck = WebhookEventType("payment.stuck")
    /// Nothing more can be charged.
    package static let permissionClosed = WebhookEventType("permission.closed")
    /// The buyer's bank wants money back.
    package static let chargebackReceived = WebhookEventType("chargeback.received")

    /// All of them, in the order in which documents have them.
    package static let ofOrders: [WebhookEventType] = [
        .sessionPaid, .sessionPaymentPending, .sessionDeclined, .sessionCanceled, .sessionExpired, .sessionStuck,
        .chargeAuthorized, .chargeCaptured, .chargeDeclined, .chargeCanceled, .chargeUpdated, .chargeExpiring,
        .refundCreated, .refundRefunded, .refundDeclined, .paymentStuck, .permissionClosed, .chargebackReceived,
    ]
}
