import SimulatorCore
import StrictJSON

/// What a tester makes happen to a purchase, by the last word of the path.
enum PurchaseStep: String, Sendable, CaseIterable {
    case approve
    case reject
    case refund
    case declineRefund = "decline-refund"
    case reverseRefund = "reverse-refund"
    case requestConsumption = "request-consumption"
    /// A share in the family ends.
    case revoke
    case finish
    case token
    /// The next period of a subscription begins.
    case renew
    /// A subscription ends.
    case expire

    /// What its body may say.
    var members: [Shape.Member] {
        switch self {
        case .refund: [.init("percentage", .count), .init("reason", .count)]
        case .requestConsumption: [.init("reason", .oneOf(Self.reasons))]
        case .token: [.init("appAccountToken", .text(60))]
        default: []
        }
    }

    /// Why somebody wants the money back, in the words of notifications.
    static let reasons = [
        "UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER",
    ]
}

extension Purchase {
    /// What the control interface shows of it.
    var json: JSONValue {
        [
            "transactionId": .string(id), "originalTransactionId": .string(originalID),
            "environment": .string(environment.rawValue), "customer": .string(customer),
            "productId": .string(product), "type": .string(kind.rawValue), "quantity": JSONValue(quantity),
            "orderId": .string(orderID), "appAccountToken": JSONValue(token), "state": .string(state.rawValue),
            "finished": .bool(isFinished), "refundRequested": .bool(isRefundRequested),
            "refunded": revocation.map { JSONValue($0.percentage) } ?? .null,
            "consumption": JSONValue(consumption),
        ]
    }
}
