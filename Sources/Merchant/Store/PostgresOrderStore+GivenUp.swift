import Commerce
package import MerchantOrders
import Postgres
package import Primitives

// What an operator decides about operations that were given up.
extension PostgresOrderStore {
    private static let columns =
        "p.operation_id, p.attempt_id, p.flow_id, p.kind, p.target, p.amount, p.currency, p.body, p.idem_key"

    static let givenUpStatement = Statement(
        name: "operation_given_up",
        sql: """
            SELECT \(columns), p.created_at, p.ended_at, p.reason
            FROM payment_operation_open AS q, LATERAL (
                SELECT p.* FROM payment_operation AS p WHERE p.operation_id = q.operation_id OFFSET 0) AS p
            WHERE p.state = 'stuck' ORDER BY p.ended_at LIMIT $1
            """,
        parameterTypes: [.int8]
    )

    /// Operations that were given up, oldest first.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: Each still holds its target.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    func givenUp(limit: Int) async throws(StoreError) -> [StuckOperation] {
        var parameters = Parameters()
        parameters.append(int64: Int64(limit))
        let rows = try await read(PostgresOrderStore.givenUpStatement, parameters)
        return try decoding { () throws(PostgresError) in
            var operations: [StuckOperation] = []
            for row in 0..<rows.rowCount {
                operations.append(
                    StuckOperation(
                        try PostgresOrderStore.operation(rows, row),
                        began: try rows.timestamp(row, 9),
                        givenUp: try rows.timestamp(row, 10),
                        reason: try rows.optionalText(row, 11)
                    )
                )
            }
            return operations
        }
    }

    /// The time at which it was given up stays behind: the two days until it is given up again begin there.
    static let reopenStatement = Statement(
        name: "operation_reopen",
        sql: """
            WITH p AS (
                UPDATE payment_operation AS p SET
                    state = 'open', attempt_id = $2, recoveries = 1, ended_at = statement_timestamp(), reason = NULL,
                    lease_until = statement_timestamp() + $3 * interval '1 second'
                WHERE p.operation_id = $1 AND p.state = 'stuck'
                RETURNING p.*
            ), q AS (
                UPDATE payment_operation_open AS q SET next_at = statement_timestamp(), failures = 0
                FROM p WHERE q.target = p.target AND q.operation_id = p.operation_id
            )
            SELECT \(columns) FROM p
            """,
        parameterTypes: [.uuid, .uuid, .int8]
    )

    /// Takes an operation that was given up in hand again.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - freshAttempt: Fences the end.
    ///   - lease: How long the caller has it; none leaves it to the recovery.
    /// - Returns: `nil` where it was not given up.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func reopen(
        _ operation: UUIDBytes,
        freshAttempt: UUIDBytes,
        lease: Duration
    ) async throws(StoreError) -> PaymentOperation? {
        var parameters = Parameters()
        parameters.append(uuid: operation)
        parameters.append(uuid: freshAttempt)
        parameters.append(seconds: lease)
        let rows = try await work(PostgresOrderStore.reopenStatement, parameters)
        guard rows.rowCount == 1 else { return nil }
        return try decoding { () throws(PostgresError) in try PostgresOrderStore.operation(rows, 0) }
    }

    private static func operation(_ rows: ResultSet, _ row: Int) throws(PostgresError) -> PaymentOperation {
        var operation = PaymentOperation(
            id: try rows.uuid(row, 0),
            attempt: try rows.uuid(row, 1),
            order: try rows.uuid(row, 2),
            kind: try rows.word(row, 3),
            target: try rows.text(row, 4)
        )
        let currency: Currency = try rows.word(row, 6)
        operation.amount = try rows.optional(row, 5) { (row, column) throws(PostgresError) in
            try rows.money(row, column, currency)
        }
        operation.body = try rows.bytes(row, 7)
        operation.key = try rows.text(row, 8)
        operation.isRecovery = true
        return operation
    }
}
