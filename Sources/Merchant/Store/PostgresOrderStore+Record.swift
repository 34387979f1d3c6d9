import Commerce
import MerchantOrders
import Postgres
import Primitives

/// An operation in whatever state, for people.
struct OperationRecord: Sendable, Hashable {
    /// Which operation, on what.
    let operation: PaymentOperation
    /// `open`, `done`, `pending`, `refused`, `released`, `stuck`.
    let state: String
    /// Why it ended so, in one word.
    let reason: String?
    /// The object that came of it.
    let object: String?
    /// The provider's id of the call that ended it, for its support.
    let providerRequest: String?
    /// When it began.
    let began: WallTime
    /// When it ended.
    let ended: WallTime?
}

extension PostgresOrderStore {
    static let recordStatement = Statement(
        name: "operation_record",
        sql: """
            SELECT p.flow_id, p.attempt_id, p.kind, p.target, p.amount, p.currency, p.idem_key, p.state, p.reason, p.object_id,
                p.provider_request, p.created_at, p.ended_at
            FROM payment_operation AS p WHERE p.operation_id = $1
            """,
        parameterTypes: [.uuid]
    )

    /// An operation.
    ///
    /// - Parameter id: Of any time.
    /// - Returns: `nil` where there is none, or none any more.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    func record(_ id: UUIDBytes) async throws(StoreError) -> OperationRecord? {
        var parameters = Parameters()
        parameters.append(uuid: id)
        let rows = try await read(PostgresOrderStore.recordStatement, parameters)
        guard rows.rowCount == 1 else { return nil }
        return try decoding { () throws(PostgresError) in
            var operation = PaymentOperation(
                id: id,
                attempt: try rows.uuid(0, 1),
                order: try rows.uuid(0, 0),
                kind: try rows.word(0, 2),
                target: try rows.text(0, 3)
            )
            let currency: Currency = try rows.word(0, 5)
            operation.amount = try rows.optional(0, 4) { (row, column) throws(PostgresError) in
                try rows.money(row, column, currency)
            }
            operation.key = try rows.text(0, 6)
            return OperationRecord(
                operation: operation,
                state: try rows.text(0, 7),
                reason: try rows.optionalText(0, 8),
                object: try rows.optionalText(0, 9),
                providerRequest: try rows.optionalText(0, 10),
                began: try rows.timestamp(0, 11),
                ended: try rows.optional(0, 12) { (row, column) throws(PostgresError) in
                    try rows.timestamp(row, column)
                }
            )
        }
    }
}
