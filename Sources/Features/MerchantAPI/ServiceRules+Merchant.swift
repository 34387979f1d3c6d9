package import Primitives
package import ServiceAPI
import Web

extension ServiceRules {
    /// Those of routes about orders and payments.
    ///
    /// - Parameters:
    ///   - claims: Whose claims there are: the account that orders are made under.
    ///   - events: The types of events about them.
    package static func ofMerchants(claims: UUIDBytes, events: [String]) -> ServiceRules {
        var rules = ServiceRules(claims: claims)
        rules.keepsAnswers = "as long as orders are kept"
        rules.namesSession = true
        rules.idPatterns = ["chargeId": SchemaPattern.charge, "refundId": SchemaPattern.refund]
        rules.problemMembers = ServiceRules.members
        rules.problemExamples = Failure.examples
        rules.webhooks = events.map { ServiceWebhook($0, .named(.event)) }
        return rules
    }

    private static let members: [SchemaMember] = [
        .optional(
            "provider",
            .object([
                .optional("status", .integer(100...599)), .optional("reasonCode", .text(1...100)),
                .optional("requestId", .text(1...100)),
            ]),
            "what the payment provider said"
        ),
        .optional(
            "operation",
            .object([.required("id", .text(36...36)), .required("kind", .text(1...64))]),
            """
            with `charge_blocked` and `request_in_progress`: the operation that has to end first, as in `payment.stuck`; with \
            `outcome_unknown` the request's own, once an operator has to decide about it
            """
        ),
        .optional("lastDecline", .named(.decline), "with `payment_declined`: why and when"),
        .optional("sessionId", .text(36...36), "with `reference_held`: the other session"),
    ]
}
