import CheckoutCodes
import HTTPCore
import MerchantOrders
package import ServiceAPI
import Web

// What is known of the routes below `/v1` that are about money.
extension RouteDescription {
    /// Makes another charge under the permission of a paid session.
    package static let createCharge = RouteDescription(
        .post,
        "/v1/sessions/{id}/charges",
        "createCharge",
        .payments,
        .paymentsWrite,
        "make another charge under the permission of the buyer",
        shape(
            [Answer(.created, .named(.charge), .charge), Answer(.accepted, .named(.charge), .pendingCharge)],
            body: [
                .required("amount", .money), .optional("captureNow", .flag, "capture the charge at once"),
                .optional("softDescriptor", descriptor, "text on the card statement; only with captureNow"),
            ] + memo,
            sorts: [[.absent("softDescriptor")], [.present("softDescriptor"), .yes("captureNow")]],
            example: #"{"amount":{"amount":"1200","currencyCode":"JPY"},"captureNow":true,"softDescriptor":"SHOP"}"#,
            problems: paying + [.tooManyCharges, .openCharges]
        )
    )

    /// Lists the charges of a session.
    package static let listCharges = RouteDescription(
        .get,
        "/v1/sessions/{id}/charges",
        "listCharges",
        .payments,
        .sessionsRead,
        "list the charges of a session, in the order in which they became known",
        ListForm.shape(.charges, of: .named(.charge), after: .matching(SchemaPattern.charge), length: 1...64)
    )

    /// Reads a charge.
    package static let readCharge = RouteDescription(
        .get,
        "/v1/charges/{chargeId}",
        "readCharge",
        .payments,
        .sessionsRead,
        "read a charge, in the state last read at the payment provider",
        shape([Answer(.ok, .named(.charge), .charge)], problems: [.notFound])
    )

    /// Takes the money of a charge.
    package static let captureCharge = RouteDescription(
        .post,
        "/v1/charges/{chargeId}/capture",
        "captureCharge",
        .payments,
        .paymentsWrite,
        "capture the charge, once; the rest of the amount is released",
        shape(
            [Answer(.ok, .named(.charge), .charge), Answer(.accepted, .named(.charge), .pendingCapture)],
            body: [.required("amount", .money), .optional("softDescriptor", descriptor, "text on the card statement")]
                + memo,
            example: #"{"amount":{"amount":"1200","currencyCode":"JPY"}}"#,
            problems: paying
        )
    )

    /// Lets a charge go.
    package static let cancelCharge = RouteDescription(
        .post,
        "/v1/charges/{chargeId}/cancel",
        "cancelCharge",
        .payments,
        .paymentsWrite,
        "cancel the charge and release the held amount",
        shape(
            [Answer(.ok, .named(.charge), .canceledCharge)],
            body: [.optional("reason", reason, "for your records, here and at the provider"), metadata],
            example: #"{"reason":"out of stock"}"#,
            problems: ending
        )
    )

    /// Gives money of a charge back.
    package static let refundCharge = RouteDescription(
        .post,
        "/v1/charges/{chargeId}/refunds",
        "refundCharge",
        .payments,
        .refundsWrite,
        "refund a charge, in whole or in part",
        shape(
            [Answer(.created, .named(.refund), .refund)],
            body: [.required("amount", .money), .optional("softDescriptor", descriptor, "text on the card statement")]
                + memo,
            example: #"{"amount":{"amount":"1200","currencyCode":"JPY"}}"#,
            problems: paying
        )
    )

    /// Lists the refunds of a charge.
    package static let listRefunds = RouteDescription(
        .get,
        "/v1/charges/{chargeId}/refunds",
        "listRefunds",
        .payments,
        .sessionsRead,
        "list the refunds of a charge, in the order in which they became known",
        ListForm.shape(.refunds, of: .named(.refund), after: .matching(SchemaPattern.refund), length: 1...64)
    )

    /// Reads a charge at the provider now.
    package static let refreshCharge = RouteDescription(
        .post,
        "/v1/charges/{chargeId}/refresh",
        "refreshCharge",
        .payments,
        .sessionsRead,
        "read the charge at the payment provider now, and return it; it is also read by itself when a message says so",
        refreshed(.charge, .authorizedCharge)
    )

    private static func refreshed(_ object: NamedSchema, _ example: AnswerExample) -> Shape {
        var shape = Shape(.ok, .named(object), example)
        shape.claim = .remembered
        shape.body = .object([])
        shape.example = "{}"
        shape.problems = [.notFound, .wrongState, .providerFailed]
        return shape
    }

    /// Reads a refund.
    package static let readRefund = RouteDescription(
        .get,
        "/v1/refunds/{refundId}",
        "readRefund",
        .payments,
        .sessionsRead,
        "read a refund, in the state last read at the payment provider",
        shape([Answer(.ok, .named(.refund), .refund)], problems: [.notFound])
    )

    /// Reads a refund at the provider now.
    package static let refreshRefund = RouteDescription(
        .post,
        "/v1/refunds/{refundId}/refresh",
        "refreshRefund",
        .payments,
        .sessionsRead,
        "read the refund at the payment provider now, and return it; it is also read by itself when a message says so",
        refreshed(.refund, .refund)
    )

    /// Ends the permission of a session.
    package static let closeSession = RouteDescription(
        .post,
        "/v1/sessions/{id}/close",
        "closeSession",
        .payments,
        .paymentsWrite,
        "end the permission: nothing more can be charged",
        shape(
            [Answer(.ok, .named(.permission), .permission)],
            body: [
                .optional("reason", reason, "for your records, here as `closeReason` and at the provider"),
                .optional(
                    "cancelPendingCharges",
                    .flag,
                    "also cancel the charges that are not final, and release their amounts"
                ),
            ],
            example: #"{"reason":"delivered","cancelPendingCharges":true}"#,
            problems: ending + [.openCharges]
        )
    )

    private static let descriptor = Schema.printable(0...16)
    private static let reason = Schema.printable(0...255)
    private static let metadata = SchemaMember.optional(
        "metadata",
        .texts(PaymentMemo.maximumMetadata),
        "your own data; names of at most 40 characters"
    )
    private static let memo = [SchemaMember.optional("reason", reason, "for your records"), metadata]

    private static let ending: [FailureCode] = [
        .notFound, .wrongState, .requestInProgress, .chargeBlocked, .providerRefused, .providerFailed, .outcomeUnknown,
    ]
    private static let paying: [FailureCode] =
        ending + [.invalidAmount, .amountExceeds, .currencyNotSupported]

    private static func shape(
        _ answers: [Answer],
        body: [SchemaMember]? = nil,
        sorts: [[SchemaRule]] = [],
        example: String? = nil,
        problems: [FailureCode]
    ) -> Shape {
        var shape = Shape(answers)
        shape.body = body.map { sorts.isEmpty ? .object($0) : .sorts($0, sorts) }
        shape.example = example
        shape.problems = problems
        return shape
    }
}
