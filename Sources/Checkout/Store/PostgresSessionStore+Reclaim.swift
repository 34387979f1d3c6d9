import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    static let paymentStatement = Statement(
        name: "flow_payment",
        sql: """
            SELECT f.state, f.order_ref, f.total, f.charge_permission, EXISTS (
                SELECT FROM flow_purchasing AS q WHERE q.flow_id = $1 AND q.stuck_at IS NOT NULL)
            FROM flow AS f WHERE f.flow_id = $1
            """,
        parameterTypes: [.uuid]
    )

    /// The payment state of a webview session; `nil` for one that is not there.
    package func payment(of webviewSession: WebviewSessionID) async throws(StoreError) -> WebviewSessionPayment? {
        var parameters = Parameters()
        parameters.append(uuid: webviewSession)
        let rows = try await read(PostgresSessionStore.paymentStatement, parameters)
        guard rows.rowCount == 1 else { return nil }
        return try StoreError.decoding { () throws(PostgresError) in
            WebviewSessionPayment(
                state: try rows.word(0, 0),
                orderReference: try rows.optionalText(0, 1),
                total: try rows.isNull(0, 2) ? nil : try rows.yen(0, 2),
                permission: try rows.optionalText(0, 3),
                isStuck: try rows.bool(0, 4)
            )
        }
    }

    /// Nothing is sent for it: the session was seen completed, and recovery reads it again.
    static let reclaimStatement = Statement(
        name: "flow_reclaim",
        sql: """
            WITH u AS (
                UPDATE flow AS f SET
                    verdict = 'recover', state = 'purchasing', events = f.events + 1, attempt_id = $4,
                    lease_until = statement_timestamp()
                WHERE f.flow_id = $1 AND f.order_ref = $5 AND f.total IS NOT NULL
                    AND f.state IN ('placed', 'declined', 'expired', 'cancelled', 'revoked')
                RETURNING f.flow_id, f.events, f.verdict, f.state
            ), q AS (
                INSERT INTO flow_purchasing (flow_id, next_at)
                SELECT u.flow_id, statement_timestamp() + $7 * interval '1 second' FROM u ON CONFLICT (flow_id) DO NOTHING
            ), \(SQLText.audit("'reclaim'", reason: "$6"))
            SELECT u.verdict, u.state FROM u
            """,
        parameterTypes: SQLText.leading + [.uuid, .text, .text, .int8]
    )

    /// Has the recovery read the session of a webview session that was placed or ended unpaid, because it was seen completed;
    /// says whether it will.
    ///
    /// The lease is over at once, and nothing is sent under it: a session that is completed takes nothing more. Recovery waits
    /// for the pause.
    func reclaim(
        _ webviewSession: WebviewSessionID,
        session: String,
        freshAttempt: UUIDBytes,
        reason: String,
        pause: Duration,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        var parameters = Parameters(webviewSession, caller)
        parameters.append(uuid: freshAttempt)
        parameters.append(text: session)
        parameters.append(text: reason)
        parameters.append(seconds: pause)
        return try await applies(PostgresSessionStore.reclaimStatement, parameters, "reclaim", webviewSession, caller)
    }
}
