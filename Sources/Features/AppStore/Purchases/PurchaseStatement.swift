import AppStoreTransactions
import Postgres
import Primitives
import ServiceAPI

/// The statements on purchases and ledgers.
enum PurchaseStatement {
    static let all = [
        apply.statement, balance.statement, change.statement, token.statement, replaceToken.statement,
        entitlements.statement,
        purchases.statement, entries.statement, export.statement, erase.statement, notify.statement, prune.statement,
        hasCustomers.statement, beginHistory.statement, endHistory.statement,
    ]

    /// The account that shows a purchase, if any; what its text says, as `Transaction.columns`; what a piece is worth.
    static let apply = TypedStatement<AppliedPurchase, UUIDBytes?, String, Int64?>(
        name: "app_store_apply",
        sql:
            "SELECT a.outcome, a.is_changed, a.units, coalesce(a.balance, 0) FROM app_store_apply($1, $2::json, $3) AS a"
    ) { row in
        AppliedPurchase(
            outcome: try row.next(),
            isChanged: try row.next(),
            units: try row.next(),
            balance: try row.next()
        )
    }

    /// Account, environment; NULL for an account that is erased or unknown.
    static let balance = TypedStatement<StoredJSON?, UUIDBytes, String>(
        name: "app_store_balance",
        sql: """
            SELECT app_store_balance_json($1, $2, coalesce(l.units, 0))
            FROM account AS a LEFT JOIN app_store_ledger AS l ON l.account_id = a.account_id AND l.environment = $2
            WHERE a.account_id = $1 AND a.erased_at IS NULL
            """
    )

    /// The claim of a request, account, environment, kind of the entry, what is added, what the merchant calls it.
    static let change = TypedStatement<LedgerChange, IdempotencyClaim, UUIDBytes, String, String, Int64, String?>(
        name: "app_store_change",
        sql: """
            SELECT c.outcome, app_store_balance_json($4, $5, coalesce(c.balance, 0))
            FROM app_store_change_once($1, $2, $3, $4, $5, $6, $7, $8) AS c
            """
    ) { row in
        LedgerChange(outcome: try row.next(), json: try row.next(StoredJSON.self).utf8)
    }

    /// Account, a token for one that has none.
    static let token = TypedStatement<CustomerToken, UUIDBytes, UUIDBytes>(
        name: "app_store_token",
        sql: "SELECT c.outcome, c.token FROM app_store_customer_token($1, $2, false) AS c"
    ) { row in
        CustomerToken(outcome: try row.next(), token: try row.next())
    }

    /// Account, the token that it has from now on.
    static let replaceToken = TypedStatement<CustomerToken, UUIDBytes, UUIDBytes>(
        name: "app_store_token_replace",
        sql: "SELECT c.outcome, c.token, c.replaced FROM app_store_customer_replace($1, $2) AS c"
    ) { row in
        CustomerToken(outcome: try row.next(), token: try row.next(), replaced: try row.next())
    }

    /// What an account has the use of now, the newest first: account, environment.
    static let entitlements = TypedStatement<StoredJSON, UUIDBytes, String>(
        name: "app_store_entitlements",
        sql: """
            SELECT coalesce(json_agg(app_store_purchase_json(p)), '[]') FROM (
                SELECT w.* FROM app_store_ledger AS l JOIN app_store_purchase AS w USING (ledger_id)
                WHERE l.account_id = $1 AND l.environment = $2 AND w.type <> 'Consumable' AND w.granted_at IS NOT NULL
                    AND w.revoked_at IS NULL AND (w.expires_at IS NULL OR w.expires_at > statement_timestamp())
                ORDER BY w.purchase_id DESC LIMIT 500
            ) AS p
            """
    )

    /// The purchases of an account, the newest first: account, environment, before which, how many.
    static let purchases = TypedStatement<ListedPurchase, UUIDBytes, String, UUIDBytes?, Int>(
        name: "app_store_purchases",
        sql: """
            SELECT p.purchase_id, app_store_purchase_json(p)
            FROM app_store_ledger AS l JOIN app_store_purchase AS p USING (ledger_id)
            WHERE l.account_id = $1 AND l.environment = $2
                AND p.purchase_id < coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
            ORDER BY p.purchase_id DESC LIMIT $4
            """
    ) { row in
        ListedPurchase(id: try row.next(), json: try row.next(StoredJSON.self).utf8)
    }

    /// The entries of a ledger, the newest first: account, environment, before which, how many.
    static let entries = TypedStatement<ListedEntry, UUIDBytes, String, Int64, Int>(
        name: "app_store_entries",
        sql: """
            SELECT e.sequence, app_store_entry_json(e)
            FROM app_store_ledger AS l JOIN app_store_entry AS e USING (ledger_id)
            WHERE l.account_id = $1 AND l.environment = $2 AND e.sequence < $3 ORDER BY e.sequence DESC LIMIT $4
            """
    ) { row in
        ListedEntry(sequence: try row.next(), json: try row.next(StoredJSON.self).utf8)
    }

    /// Everything that is kept of an account; NULL where there is nothing.
    static let export = TypedStatement<StoredJSON?, UUIDBytes>(
        name: "app_store_export",
        sql: "SELECT app_store_export($1)"
    )

    /// What a notification is, its text, whether the purchase in it is refused, what that says, what a piece of it is worth.
    static let notify = TypedStatement<KeptNotification, String, String, Bool, String?, Int64?>(
        name: "app_store_notify",
        sql: """
            SELECT n.outcome <> 'known', CASE WHEN n.outcome NOT IN ('known', 'none', 'refused') THEN n.outcome END
            FROM app_store_notify($1::json, $2, $3, $4::json, $5) AS n
            """
    ) { row in
        KeptNotification(isNew: try row.next(), purchase: try row.next())
    }

    /// For how long notifications are kept, how many are deleted at most; how many were.
    static let prune = TypedStatement<Int, Duration, Int32>(
        name: "app_store_prune",
        sql: "SELECT app_store_prune($1, $2)"
    )

    /// Environment, least time between two readings.
    static let beginHistory = TypedStatement<HistoryTurn, String, Duration>(
        name: "app_store_history_begin",
        sql: "SELECT h.is_due, h.read_until FROM app_store_history_begin($1, $2) AS h"
    ) { row in
        HistoryTurn(isDue: try row.next(), readUntil: try row.next())
    }

    /// Environment, up to when its notifications were read.
    static let endHistory = TypedStatement<Void, String, WallTime>(
        name: "app_store_history_end",
        sql: "UPDATE app_store_history SET read_until = $2 WHERE environment = $1"
    )

    /// Whether there is a purchase of a customer.
    static let hasCustomers = TypedStatement<Bool>(
        name: "app_store_has_customers",
        sql: "SELECT EXISTS (SELECT FROM app_store_purchase WHERE environment = 'Production')"
    )

    /// Takes an account off all of it; how many purchases were its.
    static let erase = TypedStatement<Int, UUIDBytes>(name: "app_store_erase", sql: "SELECT app_store_erase($1)")
}

/// What became of a purchase.
enum PurchaseOutcome: String, ColumnValue, CaseIterable {
    /// Just now.
    case granted
    /// Before.
    case duplicate
    case revoked
    case otherAccount = "other_account"
    case unknownToken = "unknown_token"
    case unknownProduct = "unknown_product"
    /// A consumable that somebody else has bought.
    case notGranted = "not_granted"
    /// The account is nobody's.
    case erased
    /// It is kept until an account shows it.
    case stored
}

/// A purchase behind the text that was applied.
struct AppliedPurchase {
    let outcome: PurchaseOutcome
    /// Whether the text said anything new of what is granted.
    let isChanged: Bool
    /// What was granted for it, now or before.
    let units: Int64
    /// What its owner has.
    let balance: Int64
}

/// A notification that is kept.
struct KeptNotification {
    /// Whether it was not there before.
    let isNew: Bool
    /// What became of the purchase in it; `nil` without one, and for one whose own signature is not good.
    let purchase: PurchaseOutcome?
}

/// Whose turn it is to read an environment's notifications.
struct HistoryTurn {
    /// Whether it is ours, now.
    let isDue: Bool
    /// Up to when they were read; `nil` before the first time.
    let readUntil: WallTime?
}

/// What became of an entry.
struct LedgerChange {
    enum Outcome: String, ColumnValue, CaseIterable {
        case changed, unknown
        /// The client's word was there before.
        case claimed
        case tooFew = "too_few"
        case tooMany = "too_many"
    }

    let outcome: Outcome
    /// As the client is answered.
    let json: [UInt8]
}

/// What became of the token of an account.
struct CustomerToken {
    enum Outcome: String, ColumnValue, CaseIterable {
        case found, unknown, taken
    }

    let outcome: Outcome
    /// `nil` unless it was found.
    let token: UUIDBytes?
    /// What the account had before, where it is another one.
    var replaced: UUIDBytes?
}

/// A purchase in a list.
struct ListedPurchase {
    let id: UUIDBytes
    let json: [UInt8]
}

/// An entry in a list.
struct ListedEntry {
    let sequence: Int64
    let json: [UInt8]
}
