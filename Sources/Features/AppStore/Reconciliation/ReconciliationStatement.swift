import AppStoreTransactions
import Postgres
import Primitives

/// The statements on customers whom Apple is asked about.
enum ReconciliationStatement {
    static let all = [take.statement, walk.statement, end.statement]

    /// Any purchase of a customer leads to all that Apple has of them: the newest one.
    ///
    /// Each look is by key, whatever is planned.
    private static func select(_ rows: String) -> String {
        """
        SELECT r.ledger_id, l.environment, p.transaction_id, c.created_at, r.refund_revision, r.history_revision,
            app_store_is_refundable(r), app_store_is_active(r)
        FROM \(rows) AS r CROSS JOIN LATERAL (
                SELECT w.* FROM app_store_ledger AS w WHERE w.ledger_id = r.ledger_id LIMIT 1
            ) AS l CROSS JOIN LATERAL (
                SELECT w.transaction_id FROM app_store_purchase AS w WHERE w.ledger_id = r.ledger_id
                ORDER BY w.purchase_id DESC LIMIT 1
            ) AS p LEFT JOIN LATERAL (
                SELECT w.created_at FROM app_store_customer AS w WHERE w.account_id = l.account_id LIMIT 1
            ) AS c ON true
        """
    }

    private static func customer(_ row: inout RowReader) throws(PostgresError) -> ReconciledCustomer {
        ReconciledCustomer(
            ledger: try row.next(),
            environment: try row.next(),
            transaction: try row.next(),
            since: try row.next(),
            refundMark: try row.next(),
            historyMark: try row.next(),
            isRefundable: try row.next(),
            isActive: try row.next()
        )
    }

    /// Customers that are due, at most so many; nobody else asks about them for so long.
    static let take = TypedStatement<ReconciledCustomer, Int32, Duration>(
        name: "app_store_reconcile_take",
        sql: select("app_store_reconcile_take($1, $2)")
    ) { row in try customer(&row) }

    /// Customers whether they are due or not: account, environment, behind which ledger, how many.
    static let walk = TypedStatement<ReconciledCustomer, UUIDBytes?, String?, UUIDBytes, Int32>(
        name: "app_store_reconcile_walk",
        sql: select("app_store_reconcile_walk($1, $2, $3, $4)") + " ORDER BY r.ledger_id"
    ) { row in try customer(&row) }

    /// Ledger, where its refunds and its purchases are read on, whether both came to their end, time to the next reading.
    static let end = TypedStatement<Void, UUIDBytes, String?, String?, Bool, Duration>(
        name: "app_store_reconcile_end",
        sql: "SELECT app_store_reconcile_end($1, $2, $3, $4, $5)"
    )
}

/// A customer whom Apple is asked about.
struct ReconciledCustomer {
    let ledger: UUIDBytes
    let environment: String
    /// One of the purchases.
    let transaction: String
    /// When the account got its token; `nil` for one without.
    ///
    /// What was bought before was another server's to grant.
    let since: WallTime?
    /// Where the refunds are read on; `nil` for the beginning.
    var refundMark: String?
    /// Where the purchases are read on; `nil` for the beginning.
    var historyMark: String?
    /// Whether there may be refunds.
    let isRefundable: Bool
    /// Whether there may be purchases that nobody has shown.
    let isActive: Bool
}
