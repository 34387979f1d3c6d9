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
        judged(try await client.read(PostgresSessionStore.auditStatement(webviewSession)).all())
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

    /// Rows that the program has not written, of the sessions since a time; none where no key is set.
    ///
    /// Reads all rows of these sessions, some thousands at a time.
    package func added(since: WallTime, limit: Int) async throws(StoreError) -> [AuditEvent] {
        guard marker != nil else { return [] }
        var found: [AuditEvent] = []
        var place = (UUIDBytes(firstAt: since + .seconds(-86_400)), 0, WallTime(seconds: 0))
        while found.count < limit {
            let call = PostgresSessionStore.trailPageStatement(
                place.0,
                place.1,
                place.2,
                PostgresSessionStore.trailPage
            )
            var page = try await client.read(call).all()
            guard let last = page.last else { break }
            // A page ends with the last whole session of it: a mark is judged beside all others of its session.
            let isFull = page.count == PostgresSessionStore.trailPage
            if isFull, page.first?.webviewSession != last.webviewSession {
                page.removeAll { $0.webviewSession == last.webviewSession }
            }
            found += judged(page).filter { $0.isAdded && $0.at >= since }
            if let end = page.last { place = (end.webviewSession, end.ordinal, end.at) }
            if !isFull { break }
        }
        return Array(found.prefix(limit))
    }

    private static let trailPage = 5_000

    static let trailPageStatement = TypedStatement<AuditEvent, WebviewSessionID, Int, WallTime, Int>(
        name: "webview_session_trail_page",
        sql: """
            SELECT \(columns) FROM webview_session_event AS e
            WHERE e.webview_session_id >= $1 AND (e.webview_session_id, e.ordinal, e.at) > ($1, $2, $3)
            ORDER BY e.webview_session_id, e.ordinal, e.at LIMIT $4
            """
    ) { row in try event(&row) }

    private func judged(_ rows: [AuditEvent]) -> [AuditEvent] { marker?.judged(rows) ?? rows }

    /// The request and the mark behind it.
    private static func marked(_ text: String) -> (request: String, mark: UInt64?) {
        let (octets, length) = (Array(text.utf8), 16)
        let place = octets.count - length - 1
        guard place > 0, octets[place] == UInt8(ascii: "."),
            let mark = Hex.decode(String(decoding: octets[(place + 1)...], as: UTF8.self))
        else { return (text, nil) }
        return (String(decoding: octets[..<place], as: UTF8.self), mark.reduce(0) { $0 << 8 | UInt64($1) })
    }

    private static func event(_ row: inout RowReader) throws(PostgresError) -> AuditEvent {
        let (webviewSession, ordinal, time) = (
            try row.next(WebviewSessionID.self), try row.next(Int.self), try row.next(WallTime.self)
        )
        let (operation, outcome) = (try row.next(String.self), try row.next(String.self))
        let (state, reason) = (try row.next(WebviewSessionState.self), try row.next(String?.self))
        let peer: String = try row.next()
        let (request, mark) = marked(try row.next())
        return AuditEvent(
            webviewSession: webviewSession,
            ordinal: ordinal,
            at: time,
            operation: operation,
            outcome: outcome,
            state: state,
            reason: reason,
            peer: peer,
            request: request,
            mark: mark,
            providerRequest: try row.next()
        )
    }
}
