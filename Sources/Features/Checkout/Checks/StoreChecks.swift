import MerchantOrders
import Operations
import ServerCore
import SessionBroker

/// D28: whose orders the database has, and what it refuses to change.
enum StoreChecks {
    /// An error where orders are made under another account than that of the newest one.
    static func account(newest: OrderAccount?, settings: OrderAccount?) -> [Finding] {
        guard let newest, let settings, newest != settings else { return [] }
        return [
            Finding(
                "D28",
                .error,
                "provider.merchant_id",
                "The newest order is of account \(newest.words), the settings name \(settings.words).",
                remedy:
                    "Use settings and a database of the same account, or set provider.allow_account_change to allow the difference."
            )
        ]
    }

    /// A warning where long work passes over sessions, with one of them and its refusal.
    static func skipped(_ sessions: [SkippedSession]) -> [Finding] {
        guard let first = sessions.first else { return [] }
        let example = "\(first.webviewSession) (\(first.sqlState))"
        return [
            Finding(
                "D28",
                .warning,
                "database_url",
                "The database refuses to change \(sessions.count) sessions, and expiry or a revocation passed over them: \(example).",
                remedy: "`sallyport audit --alerts` lists them; mend each row as the owner of the schema."
            )
        ]
    }
}
