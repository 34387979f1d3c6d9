import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    // MARK: Recovery

    static let takeUpStatement = Statement(
        name: "flow_take_up_purchase",
        sql: """
            WITH u AS (
                UPDATE flow AS f SET
                    verdict = 'recover', events = f.events + 1, attempt_id = $4,
                    lease_until = statement_timestamp() + $5 * interval '1 second'
                WHERE f.flow_id = $1 AND f.state = 'purchasing' AND f.lease_until <= statement_timestamp()
                \(SQLText.returning("f"))
            ), q AS (
                -- A look that a message asked for is none of the schedule's.
                UPDATE flow_purchasing AS q SET
                    recoveries = q.recoveries + CASE WHEN q.woken THEN 0 ELSE 1 END, woken = false,
                    next_at = statement_timestamp() + $6 * interval '1 second'
                WHERE q.flow_id = $1 AND EXISTS (SELECT FROM u)
            ), \(SQLText.audit("'recover'"))
            SELECT \(FlowColumns.whole("u")) FROM u
            """,
        parameterTypes: SQLText.leading + [.uuid, .int8, .int8]
    )

    package func takeOver(
        _ flow: FlowID,
        freshAttempt: UUIDBytes,
        pause: Duration,
        by caller: Caller
    ) async throws(BrokerError) -> FlowRecord? {
        var parameters = Parameters(flow, caller)
        parameters.append(uuid: freshAttempt)
        parameters.append(seconds: policy.times.lease)
        parameters.append(seconds: pause)
        let done: Transition<PurchaseDecision>? = try await transition(
            PostgresSessionStore.takeUpStatement,
            parameters,
            "recover",
            flow,
            caller
        )
        return done?.record.progress?.attemptID == freshAttempt ? done?.record : nil
    }

    static let overdueStatement = Statement(
        name: "flow_overdue",
        sql: """
            SELECT q.flow_id, q.recoveries, extract(epoch FROM statement_timestamp() - q.since)::bigint
            FROM flow_purchasing AS q, LATERAL (
                -- OFFSET keeps it one look by key for each of the few, whatever the planner believes of the tables.
                SELECT f.state, f.lease_until FROM flow AS f WHERE f.flow_id = q.flow_id OFFSET 0) AS f
            WHERE q.stuck_at IS NULL AND q.next_at <= statement_timestamp()
                AND f.state = 'purchasing' AND f.lease_until <= statement_timestamp()
            ORDER BY q.next_at, f.lease_until LIMIT $1
            """,
        parameterTypes: [.int8]
    )

    package func overduePurchases(limit: Int) async throws(BrokerError) -> [OverduePurchase] {
        var parameters = Parameters()
        parameters.append(int64: Int64(limit))
        let rows = try await read(PostgresSessionStore.overdueStatement, parameters)
        return try StoreFailure.decoding { () throws(PostgresError) in
            var purchases: [OverduePurchase] = []
            for row in 0..<rows.rowCount {
                purchases.append(
                    OverduePurchase(
                        flow: try rows.uuid(row, 0),
                        recoveries: Int(try rows.int64(row, 1)),
                        age: .seconds(try rows.int64(row, 2))
                    )
                )
            }
            return purchases
        }
    }

    // MARK: The end of recovery

    static let giveUpStatement = Statement(
        name: "flow_give_up",
        sql: """
            WITH u AS (
                UPDATE flow AS f SET verdict = 'stuck', events = f.events + 1
                WHERE f.flow_id = $1 AND f.attempt_id = $4 AND f.state = 'purchasing'
                RETURNING f.flow_id, f.events, f.verdict, f.state
            ), q AS (
                UPDATE flow_purchasing AS q SET stuck_at = coalesce(q.stuck_at, statement_timestamp())
                WHERE q.flow_id = $1 AND EXISTS (SELECT FROM u)
            ), \(SQLText.audit("'give_up'", reason: "$5"))
            SELECT u.verdict, u.state FROM u
            """,
        parameterTypes: SQLText.leading + [.uuid, .text]
    )

    package func giveUp(
        _ flow: FlowID,
        attempt: UUIDBytes,
        reason: String,
        by caller: Caller
    ) async throws(BrokerError) -> Bool {
        var parameters = Parameters(flow, caller)
        parameters.append(uuid: attempt)
        parameters.append(text: reason)
        return try await applies(PostgresSessionStore.giveUpStatement, parameters, "give_up", flow, caller)
    }

    static let resumeStatement = Statement(
        name: "flow_resume",
        sql: """
            WITH l AS MATERIALIZED (
                -- The flow before its purchase, as everybody locks them.
                SELECT f.flow_id FROM flow AS f WHERE f.flow_id = $1 AND f.state = 'purchasing' FOR UPDATE
            ), q AS (
                UPDATE flow_purchasing AS q SET
                    stuck_at = NULL, recoveries = 0, since = statement_timestamp(), next_at = statement_timestamp()
                FROM l WHERE q.flow_id = l.flow_id AND q.stuck_at IS NOT NULL
                RETURNING q.flow_id
            ), u AS (
                UPDATE flow AS f SET verdict = 'resumed', events = f.events + 1
                WHERE f.flow_id = $1 AND f.state = 'purchasing' AND EXISTS (SELECT FROM q)
                RETURNING f.flow_id, f.events, f.verdict, f.state
            ), \(SQLText.audit("'resume'", reason: "'operator'"))
            SELECT u.verdict, u.state FROM u
            """,
        parameterTypes: SQLText.leading
    )

    package func resume(_ flow: FlowID, by caller: Caller) async throws(BrokerError) -> Bool {
        try await applies(PostgresSessionStore.resumeStatement, Parameters(flow, caller), "resume", flow, caller)
    }

    static let stuckStatement = Statement(
        name: "flow_given_up",
        sql: """
            SELECT q.flow_id, q.since, q.stuck_at, q.recoveries, f.order_ref, f.total
            FROM flow_purchasing AS q, LATERAL (
                SELECT f.order_ref, f.total FROM flow AS f WHERE f.flow_id = q.flow_id OFFSET 0) AS f
            WHERE q.stuck_at IS NOT NULL
            ORDER BY q.stuck_at LIMIT $1
            """,
        parameterTypes: [.int8]
    )

    package func stuckPurchases(limit: Int) async throws(BrokerError) -> [StuckPurchase] {
        var parameters = Parameters()
        parameters.append(int64: Int64(limit))
        let rows = try await read(PostgresSessionStore.stuckStatement, parameters)
        return try StoreFailure.decoding { () throws(PostgresError) in
            var purchases: [StuckPurchase] = []
            for row in 0..<rows.rowCount {
                purchases.append(
                    StuckPurchase(
                        flow: try rows.uuid(row, 0),
                        since: try rows.timestamp(row, 1),
                        stuckAt: try rows.timestamp(row, 2),
                        recoveries: Int(try rows.int64(row, 3)),
                        orderReference: try rows.text(row, 4),
                        total: try FlowColumns.yen(rows, row, 5)
                    )
                )
            }
            return purchases
        }
    }
}
