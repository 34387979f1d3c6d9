import Postgres
import Primitives

/// The statements by which kept notifications are applied again.
enum ReplayStatement {
    static let all = [kept.statement, replay.statement]

    /// Kept notifications, the oldest first: behind which time and id, before when, environment or NULL for any, how many.
    static let kept = TypedStatement<StoredNotification, WallTime, String, WallTime, String?, Int>(
        name: "app_store_kept",
        sql: """
            SELECT n.notification_id, n.received_at, n.payload FROM app_store_notification AS n
            WHERE n.received_at >= $1 AND (n.received_at, n.notification_id) > ($1, $2) AND n.received_at < $3
                AND ($4::text IS NULL OR n.environment = $4)
            ORDER BY n.received_at, n.notification_id LIMIT $5
            """
    ) { row in
        StoredNotification(id: try row.next(), received: try row.next(), payload: try row.next())
    }

    /// Id of the notification, what the purchase in it says, what a piece of it is worth.
    static let replay = TypedStatement<ReplayedPurchase, String, String, Int64?>(
        name: "app_store_replay",
        sql: "SELECT r.outcome, r.is_changed FROM app_store_replay($1, $2::json, $3) AS r"
    ) { row in
        ReplayedPurchase(outcome: try row.next(), isChanged: try row.next())
    }
}

/// A notification as it is kept.
struct StoredNotification {
    let id: String
    let received: WallTime
    /// As Apple has signed it.
    let payload: String
}

/// What became of the purchase in a notification that was applied again.
struct ReplayedPurchase {
    let outcome: PurchaseOutcome
    let isChanged: Bool
}
