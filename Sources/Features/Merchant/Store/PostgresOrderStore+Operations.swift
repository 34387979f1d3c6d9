import Checkout
import Commerce
package import MerchantOrders
import Postgres
package import Primitives
import ServiceAPI

extension PostgresOrderStore {
    // MARK: Begin

    static let beginStatement = TypedStatement<
        BeginRow, UUIDBytes, UUIDBytes, Duration, UUIDBytes, String, String, Int64?, String?, Bool, [UInt8], String,
        IdempotencyClaim?, UUIDBytes?, String?, String?
    >(
        name: "operation_begin",
        sql: """
            SELECT CASE b.outcome WHEN 'begun' THEN payment_keep_memo($1, $16, $17::json) ELSE b.outcome END, b.greatest_sum, b.word, b.status, b.answer, b.left_open
            FROM payment_begin(
                $1, $2, $3 * interval '1 second', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) AS b
            """
    ) { row in
        BeginRow(
            outcome: try row.next(),
            greatestUnits: try row.next(),
            state: try row.next(),
            status: try row.next(),
            answer: try row.next(),
            left: try row.next()
        )
    }

    /// What the schema says of an operation that was to begin; which of it is there depends on the outcome.
    struct BeginRow {
        let outcome: String
        let greatestUnits: Int64?
        let state: String?
        let status: Int?
        let answer: [UInt8]?
        let left: UUIDBytes?
    }

    package func begin(_ request: OperationRequest) async throws(StoreError) -> OperationOutcome {
        let call = PostgresOrderStore.beginStatement(
            request.id,
            request.attempt,
            PostgresOrderStore.lease,
            request.order,
            request.intent.kind.rawValue,
            request.target,
            request.intent.amount?.units,
            request.intent.amount?.currency.rawValue,
            request.intent == .closePermission(cancelsPending: true),
            request.body,
            request.key,
            request.claim,
            request.claim?.key,
            request.memo.reason,
            request.memo.metadata.map { String(decoding: $0, as: UTF8.self) }
        )
        let row = try await client.write(call, key: request.order).first()
        return try StoreError.decoding { () throws(PostgresError) in try PostgresOrderStore.outcome(row, request) }
    }

    private static func outcome(_ row: BeginRow, _ request: OperationRequest) throws(PostgresError) -> OperationOutcome
    {
        switch row.outcome {
        case "unknown": return .unknown
        case "key_reused": return .keyReused
        case "in_progress": return holder(row).map { .held($0) } ?? .inProgress
        case "stuck":
            guard let left = row.left else { break }
            return .stuck(left)
        case "left":
            guard let left = row.left else { break }
            return .left(left)
        case "replayed":
            guard let status = row.status, let body = row.answer else { break }
            return .replayed(StoredAnswer(status: status, body: body))
        case "begun":
            var operation = PaymentOperation(
                id: request.id,
                attempt: request.attempt,
                order: request.order,
                kind: request.intent.kind,
                target: request.target
            )
            operation.amount = request.intent.amount
            operation.memo = request.memo
            operation.body = request.body
            operation.key = request.key
            return .begun(operation)
        default:
            let refusal = try refusal(row, request)
            guard let state = row.state else { break }
            return .refused(refusal, ObjectState(rawValue: state))
        }
        throw PostgresError(.decoding, "\(row.outcome) without what belongs to it")
    }

    /// The other operation on the target, whose kind and state are said in place of the target's state.
    private static func holder(_ row: BeginRow) -> HoldingOperation? {
        let words = row.state.map { $0.octets.parts(between: UInt8(ascii: " ")).map { String($0) } } ?? []
        guard let id = row.left, words.count == 2 else { return nil }
        return HoldingOperation(id: id, kind: words[0], isStuck: words[1].octets == "stuck")
    }

    private static func refusal(_ row: BeginRow, _ request: OperationRequest) throws(PostgresError) -> LedgerOutcome {
        if row.outcome == "exceeds", let amount = request.intent.amount {
            guard let limit = try Money.stored(row.greatestUnits, amount.currency) else {
                throw PostgresError(.decoding, "exceeds without the greatest sum")
            }
            return .exceeds(limit: limit)
        }
        let others: [LedgerOutcome] = [
            .wrongState, .nothing, .otherCurrency, .tooManyCharges, .openCharges,
        ]
        guard let outcome = others.first(where: { $0.word == row.outcome }) else {
            throw PostgresError(.decoding, "\(row.outcome) is no outcome on an operation")
        }
        return outcome
    }

    // MARK: Settle

    static let settleStatement = TypedStatement<
        Bool, UUIDBytes, UUIDBytes, String, String?, Int32?, [UInt8]?, ObservedObject?, String?
    >(
        name: "operation_settle",
        sql: """
            SELECT CASE WHEN payment_settle(
                    $1, $2, $3, $4, $5, $6, $7::object_kind, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
                THEN payment_note_request($1, $2, $18) ELSE false END
            """
    )

    package func settle(
        _ operation: PaymentOperation,
        as end: OperationEnd
    ) async throws(StoreError) -> Bool {
        var reason: String?
        var object: ObservedObject?
        var answer: StoredAnswer?
        switch end {
        case .reused: return try await endReused(operation)
        case .done(let seen, let stored), .pending(let seen, let stored): (object, answer) = (seen, stored)
        case .refused(let why, let seen, let stored): (reason, object, answer) = (why, seen, stored)
        case .stuck(let why): reason = why
        case .released: break
        }
        let call = PostgresOrderStore.settleStatement(
            operation.id,
            operation.attempt,
            end.word,
            reason,
            answer.map { Int32(clamping: $0.status) },
            answer?.body,
            object,
            object?.request
        )
        return try await client.write(call, key: operation.order, isLastStep: true).first()
    }

    static let reusedStatement = TypedStatement<Bool, UUIDBytes, UUIDBytes>(
        name: "operation_reused",
        sql: "SELECT payment_end_reused($1, $2)"
    )

    private func endReused(_ operation: PaymentOperation) async throws(StoreError) -> Bool {
        let call = PostgresOrderStore.reusedStatement(operation.id, operation.attempt)
        return try await client.write(call, key: operation.order, isLastStep: true).first()
    }

    // MARK: Observe

    package func observe(_ object: ObservedObject) async throws(StoreError) -> ObserveOutcome {
        try await PostgresLedgerStore(client: client).observe(object)
    }
}
