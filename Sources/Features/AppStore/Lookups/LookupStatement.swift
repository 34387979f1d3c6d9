import AppStoreTransactions
import Postgres
import Primitives
import ServiceAPI

/// The statements on what the merchant's programs ask Apple's server.
enum LookupStatement {
    static let all = [find.statement, otherOwner.statement, subscription.statement]

    /// Environment, app, transaction, the token that its text names; one row in any case.
    static let find = TypedStatement<FoundPurchase, String, String, String, UUIDBytes?>(
        name: "app_store_find",
        sql: """
            SELECT coalesce(l.account_id, CASE WHEN p.ledger_id IS NULL THEN c.account_id END),
                CASE WHEN p.purchase_id IS NOT NULL THEN app_store_purchase_json(p) END
            FROM (SELECT) AS one
                LEFT JOIN app_store_purchase AS p ON p.environment = $1 AND p.bundle_id = $2 AND p.transaction_id = $3
                LEFT JOIN app_store_ledger AS l ON l.ledger_id = p.ledger_id
                LEFT JOIN app_store_customer AS c ON c.app_account_token = $4
            """
    ) { row in
        FoundPurchase(account: try row.next(), json: try row.next(StoredJSON?.self)?.utf8)
    }

    /// Environment, app, transaction, the first of its line, the token that its text names, an account: whether it is another one's, or
    /// that of one that was erased.
    static let otherOwner = TypedStatement<Bool, String, String, String, String, UUIDBytes?, UUIDBytes>(
        name: "app_store_other_owner",
        sql: """
            SELECT EXISTS (
                SELECT FROM app_store_purchase AS p JOIN app_store_ledger AS l USING (ledger_id)
                WHERE p.environment = $1 AND p.bundle_id = $2 AND p.transaction_id IN ($3, $4)
                    AND l.account_id IS DISTINCT FROM $6
            ) OR EXISTS (
                SELECT FROM app_store_customer AS c WHERE c.app_account_token = $5 AND c.account_id <> $6
            )
            """
    )

    /// Account, environment: whether there is such an account, and the newest subscription of it.
    static let subscription = TypedStatement<OwnedSubscription, UUIDBytes, String>(
        name: "app_store_subscription",
        sql: """
            SELECT a.account_id IS NOT NULL, p.original_id
            FROM (SELECT) AS one LEFT JOIN account AS a ON a.account_id = $1 AND a.erased_at IS NULL
                LEFT JOIN LATERAL (
                    SELECT w.original_id FROM app_store_ledger AS l JOIN app_store_purchase AS w USING (ledger_id)
                    WHERE l.account_id = a.account_id AND l.environment = $2 AND w.type = 'Auto-Renewable Subscription'
                    ORDER BY w.purchase_id DESC LIMIT 1
                ) AS p ON true
            """
    ) { row in
        OwnedSubscription(isKnown: try row.next(), originalID: try row.next())
    }
}

/// What is kept of a purchase that Apple knows.
struct FoundPurchase {
    /// Whose it is: who owns it, or whom its token names while nobody does; `nil` where that is not known.
    let account: UUIDBytes?
    /// As programs are shown it; `nil` where it is not kept.
    let json: [UInt8]?
}

/// A subscription of an account.
struct OwnedSubscription {
    /// Whether there is such an account.
    let isKnown: Bool
    /// Of the newest one; `nil` where there is none.
    let originalID: String?
}
