import HTTPCore
import MerchantOrders
package import ServiceAPI

// The events that merchants get, as the description of the interface has them.
extension RouteDescription {
    /// Lists events.
    package static let listEvents = RouteDescription(
        .get,
        "/v1/events",
        "listEvents",
        .events,
        .eventsRead,
        "list the events of the last 30 days with the bodies of their webhooks, the oldest first",
        ListForm.shape(.events, of: .named(.event), after: .matching(SchemaPattern.bytes32), length: 43...43)
    )
}

extension NamedSchema {
    /// An event.
    package static let event = NamedSchema(
        "Event",
        .object([
            .kind("event"), .required("id", .text(40...40), "`evt_…`; the same in every delivery and in this list"),
            .required("type", .text(1...64), "see `webhooks`; other types may be added"), .required("createdAt", .time),
            .required("sessionId", .text(36...36)),
            .required("sequence", .integer(1...Int(Int32.max)), "number of the event among those of its session"),
            .required("data", .named(.eventData)),
        ])
    )

    /// The data of an event: the session as it was then, and the object that the event is about.
    package static let eventData = NamedSchema(
        "EventData",
        .object(
            sessionMembers + [
                .required(
                    "about",
                    .nullable(
                        .object([
                            .required(
                                "kind",
                                .text(1...64),
                                """
                                charge, refund, permission, chargeback; session in `session.stuck`; in `payment.stuck` the operation: \
                                create_charge, capture, refund, cancel_charge, close_permission
                                """
                            ),
                            .required("id", .text(1...64), "id of the object; in `payment.stuck` that of its target"),
                            .optional("state", .text(1...64)), .optional("reasonCode", .nullable(.text(1...64))),
                            .optional(
                                "amount",
                                .nullable(.money),
                                "what was authorised of a charge, a refund's sum; what was taken is `captured`"
                            ),
                            .optional(
                                "chargeId",
                                .nullable(.text(1...64)),
                                "in events of charges and refunds: the charge that `captured` and `refunded` are of"
                            ),
                            .optional(
                                "captured",
                                .nullable(.money),
                                "what has been taken of that charge in all, after this event"
                            ),
                            .optional(
                                "refunded",
                                .nullable(.money),
                                "what has been given back of that charge in all, after this event"
                            ),
                            .optional("operationId", .text(36...36), "only in `payment.stuck`"),
                            .optional("captureBefore", .time, "only in `charge.expiring`"),
                        ])
                    ),
                    "the object that the event is about; `null` if that is the session, except in `session.stuck`"
                )
            ]
        )
    )
}
