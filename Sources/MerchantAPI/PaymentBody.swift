import Commerce
package import MerchantOrders
import Primitives
package import StrictJSON

extension JSONValue {
    /// A charge as merchants read it.
    ///
    /// - Parameter charge: Of the ledger.
    package init(charge: LedgerObject) {
        let currency = charge.row.amount.currency
        self = [
            "id": .string(charge.id), "sessionId": .string(charge.webviewSession.description),
            "chargePermissionId": JSONValue(charge.parent), "state": .string(charge.row.state.word),
            "reasonCode": JSONValue(charge.reason), "amount": JSONValue(money: charge.row.amount),
            "captured": JSONValue(optionalMoney: Money(units: charge.row.capturedUnits, currency)),
            "refunded": JSONValue(optionalMoney: Money(units: charge.row.refundedUnits, currency)),
            "createdAt": JSONValue(time: charge.created), "updatedAt": JSONValue(time: charge.updated),
        ]
    }

    /// A refund as merchants read it.
    ///
    /// - Parameter refund: Of the ledger.
    package init(refund: LedgerObject) {
        self = [
            "id": .string(refund.id), "sessionId": .string(refund.webviewSession.description),
            "chargeId": JSONValue(refund.parent), "state": .string(refund.row.state.word),
            "reasonCode": JSONValue(refund.reason), "amount": JSONValue(money: refund.row.amount),
            "createdAt": JSONValue(time: refund.created), "updatedAt": JSONValue(time: refund.updated),
        ]
    }

    /// A permission as merchants read it.
    ///
    /// - Parameter permission: Of the ledger.
    package init(permission: LedgerObject) {
        self = [
            "id": .string(permission.id), "sessionId": .string(permission.webviewSession.description),
            "state": .string(permission.row.state.word), "updatedAt": JSONValue(time: permission.updated),
        ]
    }
}

extension NamedSchema {
    /// A charge.
    package static let charge = NamedSchema(
        "Charge",
        .object([
            .required("id", id), .required("sessionId", .text(36...36)),
            .required("chargePermissionId", .nullable(id)), .required("state", word, chargeStates),
            .required("reasonCode", .nullable(word), "the provider's reason code, if it gave one"),
            .required("amount", .money), .required("captured", .money),
            .required("refunded", .money, "sum of the refunds that are complete or under way"),
            .required("createdAt", .time),
            .required("updatedAt", .time),
        ])
    )

    /// A refund.
    package static let refund = NamedSchema(
        "Refund",
        .object([
            .required("id", id), .required("sessionId", .text(36...36)), .required("chargeId", .nullable(id)),
            .required("state", word, "refund_initiated, refunded, declined"),
            .required("reasonCode", .nullable(word), "the provider's reason code, if it gave one"),
            .required("amount", .money), .required("createdAt", .time), .required("updatedAt", .time),
        ])
    )

    /// A permission to charge.
    package static let permission = NamedSchema(
        "ChargePermission",
        .object([
            .required("id", id), .required("sessionId", .text(36...36)),
            .required("state", word, "chargeable, non_chargeable, closed"), .required("updatedAt", .time),
        ])
    )

    private static let id = Schema.text(1...64)
    private static let word = Schema.text(1...64)
    private static let chargeStates =
        "authorization_initiated, authorized, capture_initiated, captured, canceled, declined; others may be added"
}
