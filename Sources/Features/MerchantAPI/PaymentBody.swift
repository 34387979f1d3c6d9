import Commerce
package import MerchantOrders
import Primitives
package import ServiceAPI
package import StrictJSON

extension JSONValue {
    /// A charge as merchants read it.
    ///
    /// - Parameters:
    ///   - refunds: In their order; those of other charges are left out.
    package init(charge: LedgerObject, refunds: [LedgerObject] = []) {
        let own = refunds.filter { $0.parent?.octets == charge.id.octets }.suffix(LedgerRules.shownRefunds)
        let currency = charge.row.amount.currency
        self = [
            "object": "charge", "id": .string(charge.id), "sessionId": .string(charge.webviewSession.description),
            "chargePermissionId": JSONValue(charge.parent), "state": .string(charge.row.state.word),
            "reasonCode": JSONValue(charge.reason), "amount": JSONValue(money: charge.row.amount),
            "captured": JSONValue(optionalMoney: Money(units: charge.row.capturedUnits, currency)),
            "refunded": JSONValue(optionalMoney: Money(units: charge.row.refundedUnits, currency)),
            "capturedAt": JSONValue(optionalTime: charge.capturedAt),
            "refunds": .array(own.map { JSONValue(refund: $0) }),
            "reason": JSONValue(charge.memo.reason), "metadata": charge.memo.metadataJSON,
            "createdAt": JSONValue(time: charge.created), "updatedAt": JSONValue(time: charge.updated),
        ]
    }

    /// A refund as merchants read it.
    package init(refund: LedgerObject) {
        self = [
            "object": "refund", "id": .string(refund.id), "sessionId": .string(refund.webviewSession.description),
            "chargeId": JSONValue(refund.parent), "state": .string(refund.row.state.word),
            "reasonCode": JSONValue(refund.reason), "amount": JSONValue(money: refund.row.amount),
            "reason": JSONValue(refund.memo.reason), "metadata": refund.memo.metadataJSON,
            "createdAt": JSONValue(time: refund.created), "updatedAt": JSONValue(time: refund.updated),
        ]
    }

    /// A payment that was declined, or `null`.
    ///
    /// - Parameter decline: The last one of a session.
    package init(decline: MerchantOrder.Decline?) {
        guard let decline else {
            self = .null
            return
        }
        self = ["reasonCode": .string(decline.reason), "at": JSONValue(time: decline.at)]
    }

    /// A permission as merchants read it.
    package init(permission: LedgerObject) {
        self = [
            "object": "charge_permission", "id": .string(permission.id),
            "sessionId": .string(permission.webviewSession.description),
            "state": .string(permission.row.state.word), "updatedAt": JSONValue(time: permission.updated),
        ]
    }
}

extension NamedSchema {
    /// A charge.
    package static let charge = NamedSchema(
        "Charge",
        .object([
            .kind("charge"), .required("id", id), .required("sessionId", .text(36...36)),
            .required("chargePermissionId", .nullable(id)), .required("state", word, chargeStates),
            .required("reasonCode", .nullable(word), "the provider's reason code, if it gave one"),
            .required("amount", .money), .required("captured", .money),
            .required("refunded", .money, "sum of the refunds that are complete or under way"),
            .required("capturedAt", .nullable(.time), "when the money was captured, by the provider's clock"),
            .required(
                "refunds",
                .list(.named(.refund), 0...LedgerRules.shownRefunds),
                "the newest refunds, in the order of `listRefunds`, which has all"
            ),
            .required("reason", .nullable(reason), chargeReason), .required("metadata", metadata, chargeMetadata),
            .required("createdAt", .time),
            .required("updatedAt", .time),
        ])
    )

    /// A refund.
    package static let refund = NamedSchema(
        "Refund",
        .object([
            .kind("refund"), .required("id", id), .required("sessionId", .text(36...36)),
            .required("chargeId", .nullable(id)),
            .required("state", word, "refund_initiated, refunded, declined"),
            .required("reasonCode", .nullable(word), "the provider's reason code, if it gave one"),
            .required("amount", .money), .required("reason", .nullable(reason), "as it was sent"),
            .required("metadata", metadata, "as it was sent"), .required("createdAt", .time),
            .required("updatedAt", .time),
        ])
    )

    /// A payment that was declined.
    static let decline = NamedSchema(
        "Decline",
        .object([
            .required("reasonCode", .text(1...100), "the provider's reason code, or a word of Sallyport"),
            .required("at", .time),
        ])
    )

    /// A permission to charge.
    package static let permission = NamedSchema(
        "ChargePermission",
        .object([
            .kind("charge_permission"), .required("id", id), .required("sessionId", .text(36...36)),
            .required("state", word, "chargeable, non_chargeable, closed"), .required("updatedAt", .time),
        ])
    )

    private static let reason = Schema.text(1...255)
    private static let metadata = Schema.texts(PaymentMemo.maximumMetadata)
    private static let chargeReason = "that of the newest createCharge, captureCharge or cancelCharge that had one"
    private static let chargeMetadata = "those of the newest createCharge, captureCharge or cancelCharge that had some"
    private static let id = Schema.text(1...64)
    private static let word = Schema.text(1...64)
    private static let chargeStates =
        "authorization_initiated, authorized, capture_initiated, captured, canceled, declined; others may be added"
}
