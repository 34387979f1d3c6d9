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
    static let recordStatement = TypedStatement<@Sendable (_ id: UUIDBytes) -> OperationRecord, UUIDBytes>(
        name: "operation_record",
        sql: """
            SELECT p.webview_session_id, p.attempt_id, p.kind, p.target, p.amount, p.currency, p.idem_key, p.state, p.reason, p.object_id,
                p.provider_request, p.created_at, p.ended_at
            FROM payment_operation AS p WHERE p.operation_id = $1
            """
    ) { row in
        let (order, attempt) = (try row.next(UUIDBytes.self), try row.next(UUIDBytes.self))
        let (kind, target) = (try row.next(OperationKind.self), try row.next(String.self))
        let amount = try row.money()
        let key: String = try row.next()
        let (state, reason) = (try row.next(String.self), try row.next(String?.self))
        let (object, providerRequest) = (try row.next(String?.self), try row.next(String?.self))
        let (began, ended) = (try row.next(WallTime.self), try row.next(WallTime?.self))
        return { id in
            var operation = PaymentOperation(id: id, attempt: attempt, order: order, kind: kind, target: target)
            operation.amount = amount
            operation.key = key
            return OperationRecord(
                operation: operation,
                state: state,
                reason: reason,
                object: object,
                providerRequest: providerRequest,
                began: began,
                ended: ended
            )
        }
    }

    /// An operation.
    ///
    /// - Returns: `nil` where there is none, or none any more.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    func record(_ id: UUIDBytes) async throws(StoreError) -> OperationRecord? {
        try await client.read(PostgresOrderStore.recordStatement(id)).single()?(id)
    }
}
