import Postgres
import Primitives

/// The statements on notifications that another server gets, too.
enum ForwardStatement {
    static let all = [notify.statement, take.statement, end.statement, prune.statement]

    /// As `PurchaseStatement.notify`, and the content of the request, which is kept in the same commit where the notification is new.
    static let notify = TypedStatement<KeptNotification, String, String, Bool, String?, Int64?, String>(
        name: "app_store_notify_forward",
        sql: """
            WITH n AS MATERIALIZED (
                SELECT n.outcome FROM app_store_notify($1::json, $2, $3, $4::json, $5) AS n
            ), kept AS (
                INSERT INTO app_store_forward (created_at, due_at, attempts, notification_id, body)
                SELECT statement_timestamp(), statement_timestamp(), 0, $1::json->>'id', $6 FROM n WHERE n.outcome <> 'known'
            )
            SELECT n.outcome <> 'known', CASE WHEN n.outcome NOT IN ('known', 'none', 'refused') THEN n.outcome END FROM n
            """
    ) { row in
        KeptNotification(isNew: try row.next(), purchase: try row.next())
    }

    /// How many at most, for how long they are taken.
    static let take = TypedStatement<NotificationForward, Int32, Duration>(
        name: "app_store_forward_take",
        sql: """
            SELECT f.notification_id, f.attempts, f.created_at, f.body FROM app_store_forward_take($1, $2) AS f
            """
    ) { row in
        NotificationForward(
            id: try row.next(),
            attempts: try row.next(),
            created: try row.next(),
            body: try row.next()
        )
    }

    /// Notification, number of the try, pause before the next one; NULL for none.
    static let end = TypedStatement<Void, String, Int32, Duration?>(
        name: "app_store_forward_end",
        sql: "SELECT app_store_forward_end($1, $2, $3)"
    )

    /// For how long they are kept, how many are deleted at most; how many were.
    static let prune = TypedStatement<Int, Duration, Int32>(
        name: "app_store_forward_prune",
        sql: "SELECT app_store_forward_prune($1, $2)"
    )
}

/// A notification on its way to another server.
struct NotificationForward {
    let id: String
    /// Tries with this one.
    let attempts: Int
    let created: WallTime
    /// As Apple has sent it.
    let body: String
}
