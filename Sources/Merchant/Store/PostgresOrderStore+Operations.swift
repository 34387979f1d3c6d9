import Checkout
import Commerce
package import MerchantOrders
import Postgres
package import Primitives
import ServiceAPI

extension PostgresOrderStore {
    // MARK: Begin

    static let beginStatement = Statement(
        name: "operation_begin",
        sql: """
            SELECT b.verdict, b.greatest_sum, b.word, b.status, b.answer, b.left_open
            FROM payment_begin(
                $1, $2, $3 * interval '1 second', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) AS b
            """,
        parameterTypes: [
            .uuid, .uuid, .int8, .uuid, .text, .text, .int8, .text, .bool, .bytea, .text, .uuid, .text, .bytea,
            .uuid,
        ]
    )

    package func begin(_ request: OperationRequest) async throws(StoreError) -> OperationVerdict {
        var parameters = Parameters()
        parameters.append(uuid: request.id)
        parameters.append(uuid: request.attempt)
        parameters.append(seconds: PostgresOrderStore.lease)
        parameters.append(uuid: request.order)
        parameters.append(text: request.intent.kind.rawValue)
        parameters.append(text: request.target)
        parameters.append(int64: request.intent.amount?.units)
        parameters.append(text: request.intent.amount?.currency.rawValue)
        parameters.append(bool: request.intent == .closePermission(cancelsPending: true))
        parameters.append(bytes: request.body)
        parameters.append(text: request.key)
        parameters.append(uuid: request.claim?.scope)
        parameters.append(text: request.claim?.text)
        parameters.append(digest: request.claim?.fingerprint)
        parameters.append(uuid: request.claim?.key)
        let rows: ResultSet
        do {
            rows = try await client.write(PostgresOrderStore.beginStatement, parameters, key: request.order)
        } catch {
            throw StoreError(error)
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
        case "stuck": return .stuck
        case "left": return .left(try rows.uuid(0, 5))
        case "replayed": return .replayed(StoredAnswer(status: Int(try rows.int64(0, 3)), body: try rows.bytes(0, 4)))
        case "begun":
            var operation = PaymentOperation(
                id: request.id,
                attempt: request.attempt,
                order: request.order,
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

    static let settleStatement = Statement(
        name: "operation_settle",
        sql: """
            SELECT CASE WHEN payment_settle(
                    $1, $2, $3, $4, $5, $6, $7::object_kind, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
                THEN payment_note_request($1, $2, $18) ELSE false END
            """,
        parameterTypes: [.uuid, .uuid, .text, .text, .int4, .bytea] + PostgresLedgerStore.objectTypes + [.text]
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
        var parameters = Parameters()
        parameters.append(uuid: operation.id)
        parameters.append(uuid: operation.attempt)
        parameters.append(text: end.word)
        parameters.append(text: reason)
        parameters.append(int32: answer.map { Int32(clamping: $0.status) })
        parameters.append(bytes: answer?.body)
        parameters.append(object: object)
        parameters.append(text: object?.request)
        do {
            let rows = try await client.write(
                PostgresOrderStore.settleStatement,
                parameters,
                key: operation.order,
                isLastStep: true
            )
            return try rows.bool(0, 0)
        } catch {
            throw StoreError(error)
        }
    }

    static let reusedStatement = Statement(
        name: "operation_reused",
        sql: "SELECT payment_end_reused($1, $2)",
        parameterTypes: [.uuid, .uuid]
    )

    private func endReused(_ operation: PaymentOperation) async throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.append(uuid: operation.id)
        parameters.append(uuid: operation.attempt)
        do {
            let rows = try await client.write(
                PostgresOrderStore.reusedStatement,
                parameters,
                key: operation.order,
                isLastStep: true
            )
            return try rows.bool(0, 0)
        } catch {
            throw StoreError(error)
        }
    }

    // MARK: Observe

    package func observe(_ object: ObservedObject) async throws(StoreError) -> ObserveVerdict {
        try await PostgresLedgerStore(client: client).observe(object)
    }
}
