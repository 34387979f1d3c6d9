import Postgres
package import SessionBroker

extension PostgresSessionStore {
    /// `$1` the words, `$2` whether they may take the place of others.
    static let policyStatement = Statement(
        name: "program_policy_claim",
        sql: """
            WITH n AS (
                INSERT INTO program_policy AS p (words, since) VALUES ($1, statement_timestamp())
                ON CONFLICT (is_only) DO UPDATE SET words = excluded.words, since = excluded.since
                    WHERE $2 AND p.words <> excluded.words
                RETURNING p.words
            )
            SELECT coalesce((SELECT n.words FROM n), (SELECT p.words FROM program_policy AS p))
            """,
        parameterTypes: [.text, .bool]
    )

    /// The rules that programs of this database work under, which are this store's where there were none.
    ///
    /// - Parameter replaces: Whether this store's take the place of others.
    /// - Returns: `BrokerPolicy.words` of what is in force.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func claimPolicy(replacing replaces: Bool) async throws(BrokerError) -> String {
        var parameters = Parameters()
        parameters.append(text: policy.words)
        parameters.append(bool: replaces)
        do throws(PostgresError) {
            // A twin that has just written the row does not show in the first answer.
            for _ in 0..<2 {
                let rows = try await client.work(PostgresSessionStore.policyStatement, parameters)
                if let words = try rows.optionalText(0, 0) { return words }
            }
            throw PostgresError(.decoding, "program_policy has no row")
        } catch {
            throw StoreFailure.error(error)
        }
    }
}
