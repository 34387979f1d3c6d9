import Postgres
package import Primitives
import SessionBroker

extension PostgresSessionStore {
    /// `$1` the words, `$2` those whose place they take.
    static let policyStatement = TypedStatement<String?, String, String?>(
        name: "program_policy_claim",
        sql: """
            WITH n AS (
                INSERT INTO program_policy AS p (words, since) VALUES ($1, statement_timestamp())
                ON CONFLICT (is_only) DO UPDATE SET words = excluded.words, since = excluded.since
                    WHERE p.words = $2
                RETURNING p.words
            )
            SELECT coalesce((SELECT n.words FROM n), (SELECT p.words FROM program_policy AS p))
            """
    )

    /// The rules that programs of this database work under, which are this store's where there were none.
    ///
    /// Rules that the database has no word for are added, and those that this program does not know are kept: programs of two
    /// versions agree as long as what both know is the same.
    ///
    /// - Parameter replaces: Whether this store's take the place of others.
    /// - Returns: What is in force, in the form of `BrokerPolicy.words`.
    /// - Throws: `unavailable`, `outcomeUnknown`, `fault`.
    package func claimPolicy(replacing replaces: Bool) async throws(StoreError) -> String {
        var (wanted, found) = (policy.words, String?.none)
        // Others may write it between two looks.
        for _ in 0..<8 {
            let call = PostgresSessionStore.policyStatement(wanted, found)
            guard let words = try await client.work(call).first() else { continue }
            wanted = policy.words(over: words, replacing: replaces)
            if words == wanted { return words }
            found = words
        }
        throw StoreError(.unavailable, "program_policy changes all the time")
    }
}
