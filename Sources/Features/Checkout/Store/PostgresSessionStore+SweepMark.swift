import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    /// What the sweep has not come to by its own rules is not believed of the mark: it would be passed over.
    static let sweptStatement = TypedStatement<WebviewSessionID, Duration>(
        name: "webview_session_swept",
        sql: """
            SELECT least(s.ended_before, id_floor(statement_timestamp() - $1 * interval '1 second'))
            FROM webview_session_sweep AS s ORDER BY s.ended_before LIMIT 1
            """
    )

    /// How far the sweep has come, or `nil` before the first.
    package func sweepMark() async throws(StoreError) -> WebviewSessionID? {
        try await client.work(PostgresSessionStore.sweptStatement(policy.times.absolute)).single()
    }

    /// The mark of several processes is the furthest of them: each began at a mark, so nothing is left out below it.
    static let noteSweptStatement = TypedStatement<Void, WebviewSessionID>(
        name: "webview_session_note_swept",
        sql: """
            INSERT INTO webview_session_sweep AS s (ended_before) VALUES ($1)
            ON CONFLICT (only_row) DO UPDATE SET ended_before = EXCLUDED.ended_before
            WHERE s.ended_before < EXCLUDED.ended_before
            """
    )

    /// Writes down how far the sweep has come.
    package func noteSweepMark(_ mark: WebviewSessionID) async throws(StoreError) {
        _ = try await client.work(PostgresSessionStore.noteSweptStatement(mark))
    }
}
