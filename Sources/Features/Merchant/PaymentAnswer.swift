import Commerce
import EventIO
import HTTPCore
import MerchantAPI
import MerchantOrders
import ServiceAPI
import StrictJSON

/// The answer to an operation, as it is kept for every repeat of the request.
enum PaymentAnswer {
    /// An answer.
    ///
    /// - Parameters:
    ///   - isPending: Whether how it ends is known later.
    /// - Returns: Status and content; a recovery makes the same.
    static func make(_ operation: PaymentOperation, _ object: ObservedObject, isPending: Bool) -> StoredAnswer {
        let shown = ledgerObject(operation, object)
        let body: JSONValue =
            switch object.kind {
            case .charge: JSONValue(charge: shown)
            case .refund: JSONValue(refund: shown)
            case .permission, .session: JSONValue(permission: shown)
            }
        let status: HTTPStatus =
            switch operation.kind {
            // Every refund is on its way first: that is how they are made.
            case .refund: .created
            case .createCharge: isPending ? .accepted : .created
            case .capture, .cancelCharge, .closePermission: isPending ? .accepted : .ok
            }
        return StoredAnswer(status: status.code, body: body.bytes)
    }

    /// The object as the ledger will hold it.
    private static func ledgerObject(_ operation: PaymentOperation, _ seen: ObservedObject) -> LedgerObject {
        let state = seen.version.state
        let amount = seen.amount ?? operation.amount ?? Money.nothing(.jpy)
        var row = LedgerRow(seen.kind, state, amount)
        if seen.kind == .charge {
            row.capturedUnits = state == .captured ? (seen.captured ?? amount).units : 0
            row.refundedUnits = seen.refunded?.units ?? 0
        }
        let now = SystemClock().now()
        var object = LedgerObject(
            seen.id,
            of: operation.order,
            row,
            created: seen.created ?? now,
            updated: seen.version.updated ?? now
        )
        object.parent = seen.parent
        object.reason = seen.reason
        object.memo = operation.memo
        if seen.kind == .charge, state == .captured { object.capturedAt = seen.version.updated ?? now }
        return object
    }
}
