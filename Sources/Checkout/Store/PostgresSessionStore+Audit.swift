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

    package func alerts(since: WallTime, limit: Int) async throws(StoreError) -> [AuditEvent] {
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
        let word = try rows.text(row, 5)
        guard let state = WebviewSessionState(rawValue: word) else {
            throw PostgresError(.decoding, "\(word) is no state")
        }
        var event = AuditEvent(
            at: (
                webviewSession: try rows.uuid(row, 0), ordinal: Int(try rows.int64(row, 1)),
                at: try rows.timestamp(row, 2)
            ),
            operation: try rows.text(row, 3),
            verdict: try rows.text(row, 4),
            state: state,
            reason: try rows.optional(row, 6) { row, column throws(PostgresError) in try rows.text(row, column) },
            origin: (peer: try rows.text(row, 7), request: try rows.text(row, 8))
        )
        event.providerRequest = try rows.optionalText(row, 9)
        return event
    }
}
