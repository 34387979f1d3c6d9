import Postgres
package import Primitives
package import SessionBroker

/// A webview session that long work passes over, because the database refuses to change it.
package struct SkippedSession: Sendable, Equatable {
    /// Work that passes over rows.
    package enum Work: String, Sendable, ColumnValue {
        /// Expiry.
        case sweep
        /// `sallyport revoke`.
        case revoke
    }

    /// What passes over it.
    package let work: Work
    /// The webview session.
    package let webviewSession: WebviewSessionID
    /// Since when.
    package let since: WallTime
    /// How often it was tried.
    package let times: Int
    /// The server's refusal of the last time.
    package let sqlState: String
}

/// Webview sessions that the database refuses to change: they are written down, so that they hold up no other, are tried again and
/// can be seen.
extension PostgresSessionStore {
    static let nextSessionStatement = TypedStatement<WebviewSessionID, WebviewSessionID>(
        name: "webview_session_next",
        sql: """
            SELECT f.webview_session_id FROM webview_session AS f
            WHERE f.webview_session_id > $1 ORDER BY f.webview_session_id LIMIT 1
            """
    )

    /// The webview session behind another, in the order of their ids.
    func next(after webviewSession: WebviewSessionID) async throws(StoreError) -> WebviewSessionID? {
        try await client.work(PostgresSessionStore.nextSessionStatement(webviewSession)).single()
    }

    static let noteSkippedStatement = TypedStatement<Void, String, WebviewSessionID, String, Duration>(
        name: "skipped_row_note",
        sql: """
            INSERT INTO skipped_row AS s (work, webview_session_id, sql_state, next_at)
            VALUES ($1, $2, $3, statement_timestamp() + $4 * interval '1 second')
            ON CONFLICT (work, webview_session_id) DO UPDATE SET
                times = least(s.times, 1000000) + 1, sql_state = excluded.sql_state, next_at = excluded.next_at
            """
    )

    /// Writes down that a webview session was passed over; it is due again an hour later.
    func noteSkipped(
        _ webviewSession: WebviewSessionID,
        by work: SkippedSession.Work,
        sqlState: String
    ) async throws(StoreError) {
        let call = PostgresSessionStore.noteSkippedStatement(
            work.rawValue,
            webviewSession,
            sqlState,
            PostgresSessionStore.skipPause
        )
        _ = try await client.work(call)
    }

    /// For how long what was refused is left alone.
    private static let skipPause = Duration.seconds(3_600)
    /// How many of them are tried again in a row.
    private static let skippedBatch = 16

    static let dueSkippedStatement = TypedStatement<WebviewSessionID, String, Int>(
        name: "skipped_row_due",
        sql: """
            SELECT s.webview_session_id FROM skipped_row AS s
            WHERE s.work = $1 AND s.next_at <= statement_timestamp() ORDER BY s.next_at LIMIT $2
            """
    )

    /// The webview sessions that are due again, a few, the longest due first.
    func dueSkipped(by work: SkippedSession.Work) async throws(StoreError) -> [WebviewSessionID] {
        let call = PostgresSessionStore.dueSkippedStatement(work.rawValue, PostgresSessionStore.skippedBatch)
        return try await client.work(call).all()
    }

    static let forgetSkippedStatement = TypedStatement<Void, String, WebviewSessionID>(
        name: "skipped_row_forget",
        sql: "DELETE FROM skipped_row AS s WHERE s.work = $1 AND s.webview_session_id = $2"
    )

    /// Forgets one that has gone through.
    func forgetSkipped(_ webviewSession: WebviewSessionID, by work: SkippedSession.Work) async throws(StoreError) {
        _ = try await client.work(PostgresSessionStore.forgetSkippedStatement(work.rawValue, webviewSession))
    }

    /// What was to be revoked and has ended since is left out: it needs nobody.
    static let skippedStatement = TypedStatement<SkippedSession, Int>(
        name: "skipped_row_list",
        sql: """
            SELECT s.work, s.webview_session_id, CASE WHEN isfinite(s.since) THEN s.since ELSE statement_timestamp() END,
                s.times::bigint, s.sql_state
            FROM skipped_row AS s
            WHERE s.work = 'sweep' OR s.work = 'revoke' AND EXISTS (
                SELECT FROM webview_session AS f WHERE f.webview_session_id = s.webview_session_id AND is_waiting(f.state))
            ORDER BY s.since LIMIT $1
            """
    ) { row in
        SkippedSession(
            work: try row.next(),
            webviewSession: try row.next(),
            since: try row.next(),
            times: try row.next(),
            sqlState: try row.next()
        )
    }

    /// What long work passes over now, the longest first.
    package func skippedSessions(limit: Int = 1_000) async throws(StoreError) -> [SkippedSession] {
        try await client.read(PostgresSessionStore.skippedStatement(limit)).all()
    }
}
