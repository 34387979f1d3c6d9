import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    private static let columns =
        "e.webview_session_id, e.ordinal, e.at, e.op, e.outcome, e.to_state, e.reason, e.peer, e.request, e.provider_request"

    static let auditStatement = TypedStatement<AuditEvent, WebviewSessionID>(
        name: "webview_session_audit",
        sql: "SELECT \(columns) FROM webview_session_event AS e WHERE e.webview_session_id = $1 ORDER BY e.ordinal"
    ) { row in try event(&row) }

    /// The trail of a webview session, in order; empty for one that is not there.
    package func audit(_ webviewSession: WebviewSessionID) async throws(StoreError) -> [AuditEvent] {
        try await client.read(PostgresSessionStore.auditStatement(webviewSession)).all()
    }

    /// An event may come a day after its webview session, not later.
    static let alertsStatement = TypedStatement<AuditEvent, WallTime, Int>(
        name: "webview_session_worries",
        sql: """
            SELECT \(columns) FROM webview_session_event AS e
            WHERE e.webview_session_id >= id_floor($1 - interval '1 day') AND e.at >= $1
                AND e.outcome IN ('reused', 'proof_mismatch', 'orphan', 'plaintext', 'stuck')
            ORDER BY e.at DESC, e.webview_session_id, e.ordinal DESC LIMIT $2
            """
    ) { row in try event(&row) }

    /// The newest rows that should worry an operator: reuse, superseded tokens, wrong proofs, plaintext.
    ///
    /// Newest first.
    package func alerts(since: WallTime, limit: Int = 1_000) async throws(StoreError) -> [AuditEvent] {
        try await client.read(PostgresSessionStore.alertsStatement(since, limit)).all()
    }

    private static func event(_ row: inout RowReader) throws(PostgresError) -> AuditEvent {
        AuditEvent(
            webviewSession: try row.next(),
            ordinal: try row.next(),
            at: try row.next(),
            operation: try row.next(),
            outcome: try row.next(),
            state: try row.next(),
            reason: try row.next(),
            peer: try row.next(),
            request: try row.next(),
            providerRequest: try row.next()
        )
    }
}
