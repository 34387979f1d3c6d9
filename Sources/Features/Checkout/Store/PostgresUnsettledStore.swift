package import MerchantOrders
package import Postgres
package import Primitives

/// Reads which purchases and operations have no outcome yet, and which charges no order has.
///
/// What it reads is a handful of rows at any time. One per loop, not `Sendable`.
package final class PostgresUnsettledStore {
    /// Every statement that it sends.
    static let statements: [Statement] = [countStatement.statement, listStatement.statement]

    private let client: PostgresClient

    /// A store on a client of the same loop.
    package init(client: PostgresClient) {
        self.client = client
    }

    /// Purchases whose sessions are there still, and whether a bank still has time for its word: it may take a day.
    private static let purchases = """
        webview_session_purchase AS q, LATERAL (
            SELECT f.order_ref FROM webview_session AS f WHERE f.webview_session_id = q.webview_session_id OFFSET 0) AS f,
        LATERAL (
            SELECT q.since > statement_timestamp() - interval '25 hours' AND EXISTS (
                SELECT FROM merchant_order AS o
                WHERE o.webview_session_id = q.webview_session_id AND o.state = 'payment_pending') AS in_time OFFSET 0) AS b
        """

    /// Operations with their state; OFFSET keeps it one look by key for each of the few.
    private static let operations = """
        payment_operation_open AS q, LATERAL (
            SELECT p.* FROM payment_operation AS p WHERE p.operation_id = q.operation_id OFFSET 0) AS p
        """

    /// Messages about charges of unpaid orders; those that came into the ledger since are left out.
    private static let messages = """
        notification AS n WHERE n.outcome = 'unpaid' AND NOT EXISTS (
            SELECT FROM payment_object AS p WHERE p.object_id = left(n.object_id, 19))
        """

    static let countStatement = TypedStatement<UnsettledCount>(
        name: "unsettled_count",
        sql: """
            WITH c AS (
                SELECT 'purchase' AS kind, q.stuck_at IS NOT NULL AS is_stuck, q.webview_session_id, q.since, b.in_time FROM \(purchases)
                UNION ALL SELECT 'payment', p.state = 'stuck', p.webview_session_id, p.created_at, false FROM \(operations)
                UNION ALL SELECT 'charge', true, n.webview_session_id, n.received_at, false FROM \(messages)
            )
            SELECT c.kind, c.is_stuck, count(DISTINCT c.webview_session_id),
                coalesce(extract(epoch FROM statement_timestamp() - min(c.since) FILTER (
                    WHERE isfinite(c.since) AND NOT c.in_time))::bigint, 0)
            FROM c GROUP BY c.kind, c.is_stuck
            """
    ) { row in
        UnsettledCount(kind: try row.next(), isStuck: try row.next(), count: try row.next(), oldest: try row.next())
    }

    /// How many there are of each kind, and how old the oldest is of those that no bank has time for.
    ///
    /// - Returns: Kinds of which there is none are left out.
    /// - Throws: `StoreError`.
    package func counts() async throws(StoreError) -> [UnsettledCount] {
        try await client.read(PostgresUnsettledStore.countStatement()).all()
    }

    static let listStatement = TypedStatement<UnsettledCase, Duration?>(
        name: "unsettled_list",
        sql: """
            -- One without a session of the provider, which no statement of ours writes, is listed too.
            SELECT 'purchase', q.stuck_at IS NOT NULL, q.webview_session_id, coalesce(f.order_ref, ''), q.since, q.reason
            FROM \(purchases)
            WHERE q.stuck_at IS NOT NULL OR q.since <= statement_timestamp() - $1 * interval '1 second' AND NOT b.in_time
            UNION ALL
            SELECT 'payment', p.state = 'stuck', p.webview_session_id, p.target, p.created_at, p.reason
            FROM \(operations)
            WHERE p.state = 'stuck' OR p.created_at <= statement_timestamp() - $1 * interval '1 second'
            UNION ALL
            (SELECT DISTINCT ON (n.webview_session_id) 'charge', true, n.webview_session_id, left(n.object_id, 19), n.received_at, NULL
            FROM \(messages) ORDER BY n.webview_session_id, n.received_at)
            ORDER BY 5
            """
    ) { row in
        UnsettledCase(
            kind: try row.next(),
            isStuck: try row.next(),
            webviewSession: try row.next(),
            object: try row.next(),
            since: try row.next(),
            reason: try row.next()
        )
    }

    /// Those that a person has to look at: stuck ones, and those that have been under way for longer than recovery takes.
    ///
    /// - Parameter limit: How long something may be under way; `nil` for stuck ones alone.
    /// - Returns: Oldest first.
    /// - Throws: `StoreError`.
    package func list(underWayFor limit: Duration?) async throws(StoreError) -> [UnsettledCase] {
        try await client.read(PostgresUnsettledStore.listStatement(limit)).all()
    }
}
