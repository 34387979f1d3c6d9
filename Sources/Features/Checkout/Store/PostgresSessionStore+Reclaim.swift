import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    static let paymentStatement = TypedStatement<WebviewSessionPayment, WebviewSessionID>(
        name: "webview_session_payment",
        sql: """
            SELECT f.state, f.order_ref, f.total, f.charge_permission, EXISTS (
                SELECT FROM webview_session_purchase AS q WHERE q.webview_session_id = $1 AND q.stuck_at IS NOT NULL)
            FROM webview_session AS f WHERE f.webview_session_id = $1
            """
    ) { row in
        WebviewSessionPayment(
            state: try row.next(),
            orderReference: try row.next(),
            total: try row.next(),
            permission: try row.next(),
            isStuck: try row.next()
        )
    }

    /// The payment state of a webview session; `nil` for one that is not there.
    package func payment(of webviewSession: WebviewSessionID) async throws(StoreError) -> WebviewSessionPayment? {
        try await client.read(PostgresSessionStore.paymentStatement(webviewSession)).single()
    }

    /// Nothing is sent for it: the session was seen completed, and recovery reads it again.
    static let reclaimStatement = TypedStatement<Void, Guarded, UUIDBytes, String, String, Duration>(
        name: "webview_session_reclaim",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET
                    outcome = 'recover', state = 'purchasing', events = f.events + 1, attempt_id = $4,
                    lease_until = statement_timestamp()
                WHERE f.webview_session_id = $1 AND f.order_ref = $5 AND f.total IS NOT NULL
                    AND f.state IN ('placed', 'declined', 'expired', 'canceled', 'revoked')
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), q AS (
                INSERT INTO webview_session_purchase (webview_session_id, next_at)
                SELECT u.webview_session_id, statement_timestamp() + $7 * interval '1 second'
                FROM u ON CONFLICT (webview_session_id) DO NOTHING
            ), \(SQLText.audit("'reclaim'", reason: "$6"))
            SELECT u.outcome, u.state FROM u
            """
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
        let call = PostgresSessionStore.reclaimStatement(
            Guarded("reclaim", webviewSession, caller, marker),
            freshAttempt,
            session,
            reason,
            pause
        )
        return try await applies(call, "reclaim", webviewSession, caller)
    }
}
