import Commerce
package import MerchantOrders
import Postgres
package import Primitives

// What an operator decides about operations that were given up.
extension PostgresOrderStore {
    private static let columns = Columns(
        Column("p.operation_id", UUIDBytes.self),
        Column("p.attempt_id", UUIDBytes.self),
        Column("p.webview_session_id", UUIDBytes.self),
        Column("p.kind", OperationKind.self),
        Column("p.target", String.self),
        Column("p.amount", Int64?.self),
        Column("p.currency", Currency.self),
        Column("p.body", [UInt8].self),
        Column("p.idem_key", String.self),
        Column("p.stated_reason", String?.self),
        Column("p.metadata", StoredJSON?.self)
    )

    static let givenUpStatement = TypedStatement<StuckOperation, Int>(
        name: "operation_given_up",
        sql: """
            SELECT \(columns.sql), p.created_at, p.ended_at, p.reason
            FROM payment_operation_open AS q, LATERAL (
                SELECT p.* FROM payment_operation AS p WHERE p.operation_id = q.operation_id OFFSET 0) AS p
            WHERE p.state = 'stuck' ORDER BY p.ended_at LIMIT $1
            """
    ) { row in
        StuckOperation(try operation(&row), began: try row.next(), givenUp: try row.next(), reason: try row.next())
    }

    /// Operations that were given up, oldest first.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: Each still holds its target.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    func givenUp(limit: Int) async throws(StoreError) -> [StuckOperation] {
        try await client.read(PostgresOrderStore.givenUpStatement(limit)).all()
    }

    /// The time at which it was given up stays behind: the two days until it is given up again begin there.
    static let reopenStatement = TypedStatement<PaymentOperation, UUIDBytes, UUIDBytes, Duration>(
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
            SELECT \(columns.sql) FROM p
            """
    ) { row in try operation(&row) }

    /// Takes an operation that was given up in hand again.
    ///
    /// - Parameters:
    ///   - lease: How long the caller has it; none leaves it to the recovery.
    /// - Returns: `nil` where it was not given up.
    /// - Throws: `unavailable`, `overloaded`, `outcomeUnknown`, `fault`.
    package func reopen(
        _ operation: UUIDBytes,
        freshAttempt: UUIDBytes,
        lease: Duration
    ) async throws(StoreError) -> PaymentOperation? {
        try await client.work(PostgresOrderStore.reopenStatement(operation, freshAttempt, lease)).single()
    }

    private static func operation(_ row: inout RowReader) throws(PostgresError) -> PaymentOperation {
        let (id, attempt, order, kind, target, units, currency, body, key, reason, metadata) = try columns.read(&row)
        var operation = PaymentOperation(id: id, attempt: attempt, order: order, kind: kind, target: target)
        operation.amount = try Money.stored(units, currency)
        operation.body = body
        operation.key = key
        operation.memo = PaymentMemo(reason: reason, metadata: metadata?.utf8)
        operation.isRecovery = true
        return operation
    }
}
