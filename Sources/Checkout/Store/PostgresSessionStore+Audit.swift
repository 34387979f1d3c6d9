import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    private static let columns =
        "e.flow_id, e.ordinal, e.at, e.op, e.verdict, e.to_state, e.reason, e.peer, e.request, e.provider_request"

    static let auditStatement = Statement(
        name: "flow_audit",
        sql: "SELECT \(columns) FROM flow_event AS e WHERE e.flow_id = $1 ORDER BY e.ordinal",
        parameterTypes: [.uuid]
    )

    /// The trail of a webview session, in order; empty for one that is not there.
    package func audit(_ webviewSession: WebviewSessionID) async throws(StoreError) -> [AuditEvent] {
        var parameters = Parameters()
        parameters.append(uuid: webviewSession)
        return try await events(PostgresSessionStore.auditStatement, parameters)
    }

    /// An event may come a day after its webview session, not later.
    static let alertsStatement = Statement(
        name: "flow_worries",
        sql: """
            SELECT \(columns) FROM flow_event AS e
            WHERE e.flow_id >= flow_floor($1 - interval '1 day') AND e.at >= $1
                AND e.verdict IN ('reused', 'proof_mismatch', 'orphan', 'plaintext', 'stuck')
            ORDER BY e.at DESC, e.flow_id, e.ordinal DESC LIMIT $2
            """,
        parameterTypes: [.timestamptz, .int8]
    )

    /// The newest rows that should worry an operator: reuse, superseded tokens, wrong proofs, plaintext.
    ///
    /// Newest first.
    package func alerts(since: WallTime, limit: Int = 1_000) async throws(StoreError) -> [AuditEvent] {
        var parameters = Parameters()
        parameters.append(timestamp: since)
        parameters.append(int64: Int64(limit))
        return try await events(PostgresSessionStore.alertsStatement, parameters)
    }

    private func events(_ statement: Statement, _ parameters: Parameters) async throws(StoreError) -> [AuditEvent] {
        let rows = try await read(statement, parameters)
        return try StoreError.decoding { () throws(PostgresError) in
            var events: [AuditEvent] = []
            for row in 0..<rows.rowCount { events.append(try PostgresSessionStore.event(rows, row)) }
            return events
        }
    }

    private static func event(_ rows: ResultSet, _ row: Int) throws(PostgresError) -> AuditEvent {
        AuditEvent(
            webviewSession: try rows.uuid(row, 0),
            ordinal: Int(try rows.int64(row, 1)),
            at: try rows.timestamp(row, 2),
            operation: try rows.text(row, 3),
            verdict: try rows.text(row, 4),
            state: try rows.word(row, 5),
            reason: try rows.optionalText(row, 6),
            peer: try rows.text(row, 7),
            request: try rows.text(row, 8),
            providerRequest: try rows.optionalText(row, 9)
        )
    }
}
