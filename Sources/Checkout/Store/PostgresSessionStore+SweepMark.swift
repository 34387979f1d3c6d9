import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    static let sweptStatement = TypedStatement<WebviewSessionID>(
        name: "webview_session_swept",
        sql: "SELECT ended_before FROM webview_session_sweep"
    )

    /// How far the sweep has come, or `nil` before the first.
    package func sweepMark() async throws(StoreError) -> WebviewSessionID? {
        try await client.work(PostgresSessionStore.sweptStatement()).single()
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
