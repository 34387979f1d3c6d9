import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    static let sweptStatement = Statement(
        name: "flow_swept",
        sql: "SELECT ended_before FROM flow_sweep",
        parameterTypes: []
    )

    /// How far the sweep has come, or `nil` before the first.
    package func sweepMark() async throws(StoreError) -> WebviewSessionID? {
        let rows = try await upkeep(PostgresSessionStore.sweptStatement, Parameters())
        guard rows.rowCount > 0 else { return nil }
        return try StoreError.decoding { () throws(PostgresError) in try rows.uuid(0, 0) }
    }

    /// The mark of several processes is the furthest of them: each began at a mark, so nothing is left out below it.
    static let noteSweptStatement = Statement(
        name: "flow_note_swept",
        sql: """
            INSERT INTO flow_sweep AS s (ended_before) VALUES ($1)
            ON CONFLICT (only_row) DO UPDATE SET ended_before = EXCLUDED.ended_before
            WHERE s.ended_before < EXCLUDED.ended_before
            """,
        parameterTypes: [.uuid]
    )

    /// Writes down how far the sweep has come.
    package func noteSweepMark(_ mark: WebviewSessionID) async throws(StoreError) {
        var parameters = Parameters()
        parameters.append(uuid: mark)
        _ = try await upkeep(PostgresSessionStore.noteSweptStatement, parameters)
    }

    private func upkeep(_ statement: Statement, _ parameters: Parameters) async throws(StoreError) -> ResultSet {
        do {
            return try await client.work(statement, parameters)
        } catch {
            throw StoreError(error)
        }
    }
}
