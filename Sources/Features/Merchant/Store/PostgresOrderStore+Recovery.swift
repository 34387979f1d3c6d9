import Checkout
import Commerce
package import MerchantOrders
import Postgres
package import Primitives

extension PostgresOrderStore {
    // MARK: Claim

    static let claimStatement = TypedStatement<
        UUIDBytes, Int, Duration, KnownWords<OperationKind>, KnownWords<Currency>, OrderAccount
    >(
        name: "operation_claim",
        sql: """
            WITH d AS MATERIALIZED (
                SELECT q.target FROM payment_operation_open AS q, LATERAL (
                    -- OFFSET keeps it one look by key for each of the few, whatever the planner believes of the tables.
                    SELECT p.webview_session_id, p.state, p.lease_until, p.kind, p.currency FROM payment_operation AS p
                    WHERE p.operation_id = q.operation_id OFFSET 0) AS p
                WHERE q.next_at <= statement_timestamp() AND p.state = 'open' AND p.lease_until <= statement_timestamp()
                    AND p.kind = ANY ($3::text[]) AND p.currency = ANY ($4::text[])
                    AND \(RecoverySQL.isOwn("p.webview_session_id", ("$5", "$6")))
                ORDER BY q.next_at, p.lease_until LIMIT $1 FOR UPDATE OF q SKIP LOCKED
            )
            UPDATE payment_operation_open AS q SET next_at = statement_timestamp() + $2 * interval '1 second'
            FROM d WHERE q.target = d.target
            RETURNING q.operation_id
            """
    )

    /// Claims operations whose lease and pause are over, longest due first.
    package func claimLeft(limit: Int) async throws(StoreError) -> [UUIDBytes] {
        let call = PostgresOrderStore.claimStatement(
            limit,
            RecoverySQL.pause,
            KnownWords(OperationKind.self),
            KnownWords(Currency.self),
            account
        )
        return try await client.write(call, key: RecoverySQL.last).all()
    }

    static let postponeStatement = TypedStatement<Void, UUIDBytes, Duration>(
        name: "operation_postpone",
        sql: """
            UPDATE payment_operation_open AS q SET
                failures = q.failures + 1, next_at = \(RecoverySQL.backOff("q.failures", "$2"))
            WHERE q.target = (
                SELECT l.target FROM payment_operation_open AS l WHERE l.operation_id = $1 FOR UPDATE SKIP LOCKED)
            """
    )

    /// Puts an operation off that could not be taken up.
    package func postpone(_ operation: UUIDBytes) async throws(StoreError) {
        let call = PostgresOrderStore.postponeStatement(operation, RecoverySQL.pause)
        _ = try await client.write(call, key: RecoverySQL.last, isLastStep: true)
    }

    // MARK: Take over

    /// The pause doubles with every recovery, up to an hour, and does not lengthen the lease.
    ///
    /// After 200 recoveries or two days it is the last one: where no call has brought a clear answer, another will not. Where
    /// an operator has taken the operation in hand again, `ended_at` says since when.
    static let takeOverStatement = TypedStatement<TakenOperation, UUIDBytes, UUIDBytes, Duration, Bool>(
        name: "operation_take_over",
        sql: """
            WITH l AS MATERIALIZED (
                SELECT $4 AND (
                    o.recoveries >= 200
                    OR greatest(o.created_at, o.ended_at) <= statement_timestamp() - interval '48 hours') AS is_last
                FROM payment_operation AS o
                WHERE o.operation_id = $1 AND o.state = 'open' AND o.lease_until <= statement_timestamp()
                FOR UPDATE SKIP LOCKED
            ), u AS (
                UPDATE payment_operation AS p SET
                    attempt_id = $2, recoveries = p.recoveries + $4::integer,
                    lease_until = statement_timestamp() + $3 * interval '1 second'
                FROM l WHERE p.operation_id = $1
                RETURNING l.is_last, p.webview_session_id, p.kind, p.target, p.amount, p.currency, p.body, p.idem_key, p.recoveries,
                    p.stated_reason, p.metadata
            ), q AS (
                UPDATE payment_operation_open AS q SET
                    failures = 0, next_at = \(RecoverySQL.backOff("u.recoveries - 1", "$3"))
                FROM u WHERE $4 AND q.target = u.target AND q.operation_id = $1
            )
            SELECT u.is_last, u.webview_session_id, u.kind, u.target, u.amount, u.currency, u.body, u.idem_key, u.stated_reason, u.metadata
            FROM u
            """
    ) { row in
        TakenOperation(
            isLast: try row.next(),
            order: try row.next(),
            kind: try row.next(),
            target: try row.next(),
            amount: try row.money(),
            body: try row.next(),
            key: try row.next(),
            memo: PaymentMemo(reason: try row.next(), metadata: try row.next(StoredJSON?.self)?.utf8)
        )
    }

    /// What is read of an operation that is taken over.
    struct TakenOperation {
        let isLast: Bool
        let order: UUIDBytes
        let kind: OperationKind
        let target: String
        let amount: Money?
        let body: [UInt8]
        let key: String
        let memo: PaymentMemo
    }

    package func takeOver(
        _ operation: UUIDBytes,
        by taker: OperationTaker,
        freshAttempt: UUIDBytes
    ) async throws(StoreError) -> TakeOver {
        let call = PostgresOrderStore.takeOverStatement(
            operation,
            freshAttempt,
            PostgresOrderStore.lease,
            taker == .recovery
        )
        guard let row = try await client.work(call).single() else { return .none }
        var taken = PaymentOperation(
            id: operation,
            attempt: freshAttempt,
            order: row.order,
            kind: row.kind,
            target: row.target
        )
        taken.amount = row.amount
        taken.body = row.body
        taken.key = row.key
        taken.memo = row.memo
        taken.isRecovery = true
        taken.isLast = row.isLast
        taken.isCounted = taker == .recovery
        return .taken(taken)
    }

    // MARK: Lapse

    /// The claim of the request goes with it, so that a repeat finds the operation left.
    static let expireLeaseStatement = TypedStatement<Void, UUIDBytes, UUIDBytes, Duration>(
        name: "operation_expire_lease",
        sql: """
            WITH u AS (
                UPDATE payment_operation AS p SET lease_until = statement_timestamp()
                WHERE p.operation_id = $1 AND p.attempt_id = $2 AND p.state = 'open'
                RETURNING p.target, p.key_id, p.idem
            ), q AS (
                UPDATE payment_operation_open AS q SET
                    next_at = greatest(q.next_at, statement_timestamp() + $3 * interval '1 second')
                FROM u WHERE q.target = u.target AND q.operation_id = $1
            )
            UPDATE api_idempotency AS i SET lease_until = statement_timestamp()
            -- As values the key is looked up; as a join with the unknown number of rows of u the whole table may be read.
            WHERE i.key_id = (SELECT u.key_id FROM u) AND i.idem = (SELECT u.idem FROM u) AND i.answer IS NULL
                AND i.lease_until > statement_timestamp()
            """
    )

    package func expireLease(_ operation: PaymentOperation) async throws(StoreError) {
        let call = PostgresOrderStore.expireLeaseStatement(operation.id, operation.attempt, PostgresOrderStore.lease)
        _ = try await client.write(call, key: operation.order, isLastStep: true)
    }

    static let putBackStatement = TypedStatement<Void, UUIDBytes, UUIDBytes, Duration>(
        name: "operation_put_back",
        sql: """
            WITH u AS (
                UPDATE payment_operation AS p SET lease_until = statement_timestamp(), recoveries = p.recoveries - 1
                WHERE p.operation_id = $1 AND p.attempt_id = $2 AND p.state = 'open'
                RETURNING p.target
            )
            UPDATE payment_operation_open AS q SET next_at = statement_timestamp() + $3 * interval '1 second'
            WHERE q.target = (SELECT u.target FROM u) AND q.operation_id = $1
            """
    )

    package func putBack(_ operation: PaymentOperation) async throws(StoreError) {
        let call = PostgresOrderStore.putBackStatement(operation.id, operation.attempt, PollSchedule.heldBack)
        _ = try await client.write(call, key: operation.order, isLastStep: true)
    }
}
