import Commerce
package import MerchantOrders
import Postgres
package import Primitives

extension PostgresOrderStore {
    // MARK: Begin

    static let beginStatement = Statement(
        name: "operation_begin",
        sql: """
            SELECT b.verdict, b.greatest_sum, b.word, b.status, b.answer, b.left_open
            FROM payment_begin(
                $1, $2, $3 * interval '1 second', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) AS b
            """,
        parameterTypes: [
            .uuid, .uuid, .int8, .uuid, .text, .text, .int8, .text, .bool, .bytea, .text, .uuid, .text, .bytea,
        ]
    )

    package func begin(_ request: OperationRequest) async throws(MerchantStoreError) -> OperationVerdict {
        var parameters = Parameters()
        parameters.append(uuid: request.id)
        parameters.append(uuid: request.attempt)
        parameters.append(seconds: PostgresOrderStore.lease)
        parameters.append(uuid: request.flow)
        parameters.append(text: request.intent.kind.rawValue)
        parameters.append(text: request.target)
        parameters.append(int64: request.intent.amount?.units)
        parameters.append(text: request.intent.amount?.currency.rawValue)
        parameters.append(bool: request.intent == .closePermission(cancelsPending: true))
        parameters.append(bytes: request.body)
        parameters.append(text: request.key)
        parameters.append(uuid: request.claim?.key)
        parameters.append(text: request.claim?.text)
        parameters.append(digest: request.claim?.fingerprint)
        let rows: ResultSet
        do {
            rows = try await client.write(PostgresOrderStore.beginStatement, parameters, key: request.flow)
        } catch {
            throw StoreFailure.merchant(error)
        }
        return try decoding { () throws(PostgresError) in try PostgresOrderStore.verdict(rows, request) }
    }

    private static func verdict(
        _ rows: ResultSet,
        _ request: OperationRequest
    ) throws(PostgresError) -> OperationVerdict {
        let word = try rows.text(0, 0)
        switch word {
        case "unknown": return .unknown
        case "key_reused": return .keyReused
        case "in_progress": return .inProgress
        case "left": return .left(try rows.uuid(0, 5))
        case "replayed": return .replayed(StoredAnswer(status: Int(try rows.int64(0, 3)), body: try rows.bytes(0, 4)))
        case "begun":
            var operation = PaymentOperation(
                id: request.id,
                attempt: request.attempt,
                flow: request.flow,
                kind: request.intent.kind,
                target: request.target
            )
            operation.amount = request.intent.amount
            operation.body = request.body
            operation.key = request.key
            return .begun(operation)
        default:
            return .refused(try refusal(word, rows, request), ObjectState(rawValue: try rows.text(0, 2)))
        }
    }

    private static func refusal(
        _ word: String,
        _ rows: ResultSet,
        _ request: OperationRequest
    ) throws(PostgresError) -> LedgerVerdict {
        if word == "exceeds", let amount = request.intent.amount {
            return .exceeds(limit: try rows.money(0, 1, amount.currency))
        }
        let others: [LedgerVerdict] = [
            .wrongState, .nothing, .otherCurrency, .otherAmount, .tooManyCharges, .openCharges,
        ]
        guard let verdict = others.first(where: { $0.word == word }) else {
            throw PostgresError(.decoding, "\(word) is no verdict on an operation")
        }
        return verdict
    }

    // MARK: Settle

    /// What was read of an object, from a parameter on.
    private static let objectTypes: [PostgresType] = [
        .text, .text, .text, .text, .text, .timestamptz, .int8, .text, .int8, .int8, .timestamptz,
    ]

    static let settleStatement = Statement(
        name: "operation_settle",
        sql: """
            SELECT payment_settle(
                $1, $2, $3, $4, $5, $6, $7::object_kind, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            """,
        parameterTypes: [.uuid, .uuid, .text, .text, .int4, .bytea] + objectTypes
    )

    package func settle(
        _ operation: PaymentOperation,
        as end: OperationEnd
    ) async throws(MerchantStoreError) -> Bool {
        var reason: String?
        var object: ObservedObject?
        var answer: StoredAnswer?
        switch end {
        case .done(let seen, let stored), .pending(let seen, let stored): (object, answer) = (seen, stored)
        case .refused(let why, let seen, let stored): (reason, object, answer) = (why, seen, stored)
        case .stuck(let why): reason = why
        case .released: break
        }
        var parameters = Parameters()
        parameters.append(uuid: operation.id)
        parameters.append(uuid: operation.attempt)
        parameters.append(text: end.word)
        parameters.append(text: reason)
        parameters.append(int32: answer.map { Int32(clamping: $0.status) })
        parameters.append(bytes: answer?.body)
        PostgresOrderStore.append(object, to: &parameters)
        do {
            let rows = try await client.write(
                PostgresOrderStore.settleStatement,
                parameters,
                key: operation.flow,
                isLastStep: true
            )
            return try rows.bool(0, 0)
        } catch {
            throw StoreFailure.merchant(error)
        }
    }

    private static func append(_ object: ObservedObject?, to parameters: inout Parameters) {
        guard let object else {
            for _ in objectTypes { parameters.appendNull() }
            return
        }
        let sum = object.amount ?? object.captured ?? object.refunded
        parameters.append(text: object.kind.rawValue)
        parameters.append(text: object.id)
        parameters.append(text: object.parent)
        parameters.append(text: object.sighting.state.rawValue)
        parameters.append(text: object.reason)
        parameters.append(timestamp: object.sighting.updated)
        parameters.append(int64: object.amount?.units)
        parameters.append(text: sum?.currency.rawValue)
        parameters.append(int64: object.captured?.units)
        parameters.append(int64: object.refunded?.units)
        parameters.append(timestamp: object.created)
    }

    // MARK: Recovery

    private static let stuckStatement = Statement(
        name: "operation_stuck",
        sql: """
            SELECT q.operation_id FROM payment_operation_open AS q, LATERAL (
                -- OFFSET keeps it one look by key for each of the few, whatever the planner believes of the tables.
                SELECT p.state, p.lease_until FROM payment_operation AS p
                WHERE p.operation_id = q.operation_id OFFSET 0) AS p
            WHERE p.state = 'open' AND p.lease_until <= statement_timestamp()
            ORDER BY p.lease_until LIMIT $1
            """,
        parameterTypes: [.int8]
    )

    package func stuckOperations(limit: Int) async throws(MerchantStoreError) -> [UUIDBytes] {
        var parameters = Parameters()
        parameters.append(int64: Int64(limit))
        let rows = try await read(PostgresOrderStore.stuckStatement, parameters)
        return try decoding { () throws(PostgresError) in
            var operations: [UUIDBytes] = []
            for row in 0..<rows.rowCount { operations.append(try rows.uuid(row, 0)) }
            return operations
        }
    }

    /// The lease doubles with every recovery, up to an hour.
    ///
    /// After 200 of them or two days the operation is stuck: no call has brought a clear answer, and another will not. Where an
    /// operator has taken it in hand again, `ended_at` says since when.
    static let takeOverStatement = Statement(
        name: "operation_take_up",
        sql: """
            UPDATE payment_operation AS p SET
                attempt_id = $2, recoveries = p.recoveries + 1,
                lease_until = statement_timestamp() + least(3600, $3 * 2 ^ least(p.recoveries, 10)) * interval '1 second',
                state = CASE WHEN g.up THEN 'stuck' ELSE p.state END,
                ended_at = CASE WHEN g.up THEN statement_timestamp() ELSE p.ended_at END
            FROM (
                SELECT o.recoveries >= 200
                    OR greatest(o.created_at, o.ended_at) <= statement_timestamp() - interval '48 hours' AS up
                FROM payment_operation AS o WHERE o.operation_id = $1) AS g
            WHERE p.operation_id = $1 AND p.state = 'open' AND p.lease_until <= statement_timestamp()
            RETURNING p.state, p.flow_id, p.kind, p.target, p.amount, p.currency, p.body, p.idem_key, p.recoveries
            """,
        parameterTypes: [.uuid, .uuid, .int8]
    )

    package func takeOver(
        _ operation: UUIDBytes,
        freshAttempt: UUIDBytes
    ) async throws(MerchantStoreError) -> TakeOver {
        var parameters = Parameters()
        parameters.append(uuid: operation)
        parameters.append(uuid: freshAttempt)
        parameters.append(seconds: PostgresOrderStore.lease)
        let rows = try await work(PostgresOrderStore.takeOverStatement, parameters)
        guard rows.rowCount == 1 else { return .none }
        return try decoding { () throws(PostgresError) in
            var taken = PaymentOperation(
                id: operation,
                attempt: freshAttempt,
                flow: try rows.uuid(0, 1),
                kind: try FlowColumns.word(rows, 2),
                target: try rows.text(0, 3)
            )
            let currency: Currency = try FlowColumns.word(rows, 5)
            taken.amount = try rows.optional(0, 4) { (row, column) throws(PostgresError) in
                try rows.money(row, column, currency)
            }
            taken.body = try rows.bytes(0, 6)
            taken.key = try rows.text(0, 7)
            taken.recoveries = Int(try rows.int64(0, 8))
            return try rows.text(0, 0) == "stuck" ? .givenUp(taken) : .taken(taken)
        }
    }

    // MARK: Observe

    static let observeStatement = Statement(
        name: "ledger_observe",
        sql: """
            SELECT v.verdict, v.flow FROM payment_observe($1::object_kind, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS v
            """,
        parameterTypes: objectTypes
    )

    package func observe(_ object: ObservedObject) async throws(MerchantStoreError) -> ObserveVerdict {
        var parameters = Parameters()
        PostgresOrderStore.append(object, to: &parameters)
        // It waits for the lock of the order, whose flow nobody here knows: in a group of its own nobody waits with it.
        let rows = try await work(PostgresOrderStore.observeStatement, parameters)
        return try decoding { () throws(PostgresError) in
            let word = try rows.text(0, 0)
            if word == "unknown" { return .unknown }
            let flow = try rows.uuid(0, 1)
            switch word {
            case "changed": return .changed(flow: flow)
            case "same": return .same(flow: flow)
            case "older": return .older(flow: flow)
            default: throw PostgresError(.decoding, "\(word) is no verdict on a reading")
            }
        }
    }
}
