import MerchantOrders
package import Postgres
package import Primitives

/// Keeps in PostgreSQL which messages of the provider came, each once however often it is delivered.
///
/// One per loop, not `Sendable`.
package final class PostgresNotificationStore {
    /// Every statement that it sends.
    static let statements: [Statement] = [
        receiveStatement.statement,
        overtakenStatement.statement,
        takeStatement.statement,
        unmatchedStatement.statement,
        wakeStatement.statement,
        unpaidStatement.statement,
        followedStatement.statement,
        refundedStatement.statement,
        pruneStatement.statement,
    ]

    /// What became of a message.
    package enum Receipt: String, Sendable, CaseIterable, ColumnValue {
        /// Its object will be read.
        case taken
        /// It came before.
        case duplicate
        /// No order has its object.
        case unknown
    }

    /// A message, as far as it is kept.
    package struct Message: Sendable, Hashable {
        /// The same at every delivery.
        package let id: String
        /// The provider's word for what it is about, for example `CHARGE`.
        package let kind: String
        /// The object; possibly empty.
        package let object: String
        /// The permission that the object belongs to, where one is known.
        package let permission: String?

        /// A message.
        ///
        /// - Parameters:
        ///   - id: The same at every delivery.
        ///   - kind: The provider's word for what it is about.
        ///   - permission: The permission that the object belongs to.
        package init(id: String, kind: String, object: String, permission: String?) {
            self.id = id
            self.kind = kind
            self.object = object
            self.permission = permission
        }
    }

    private let client: PostgresClient

    /// For how long a message is remembered: much longer than it is repeated.
    private static let keep = Duration.seconds(30 * 86_400)
    /// How many messages one `prune` forgets at most.
    package static let pruneLimit = 1_000

    /// A store on a client of the same loop.
    package init(client: PostgresClient) {
        self.client = client
    }

    static let receiveStatement = TypedStatement<Receipt, String, String, String, String?>(
        name: "notification_receive",
        sql: "SELECT notification_receive($1, $2, $3, $4)"
    )

    /// Takes a message in, and has its object read soon.
    ///
    /// - Returns: What became of it; on disk by then.
    /// - Throws: `StoreError`; a repeat of the message is safe whatever it says.
    package func receive(_ message: Message) async throws(StoreError) -> Receipt {
        let call = PostgresNotificationStore.receiveStatement(
            message.id,
            message.kind,
            message.object,
            message.permission
        )
        // It waits for locks of orders whose webview sessions nobody here knows: in a group of its own no buyer waits with it,
        // and groups of two loops cannot wait for each other.
        return try await client.work(call).first()
    }

    // Message and purchase can be committed at the same moment, and neither sees the other: the message is written down as one that no
    // order has, and whoever writes the payment down finds no message. Here both are on disk, and the purchase pays nothing for it.
    static let overtakenStatement = TypedStatement<String, Int>(
        name: "notification_overtaken",
        sql: """
            SELECT d.message_id FROM (
                SELECT n.message_id, n.object_id, n.received_at FROM notification AS n
                WHERE n.outcome = 'unknown' AND NOT n.asked AND n.kind IN ('CHARGE', 'CHARGE_PERMISSION')
                ORDER BY n.received_at DESC LIMIT 1000) AS d
            -- As a value it is one look by key for each message, whatever the planner believes of the table.
            WHERE (SELECT true FROM payment_object AS p WHERE p.object_id = left(d.object_id, 19))
            ORDER BY d.received_at LIMIT $1
            """
    )

    /// Messages that no order had when they came, while an order has their payment now.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: Their ids, for `take(_:)`.
    /// - Throws: `StoreError`.
    package func overtaken(limit: Int) async throws(StoreError) -> [String] {
        try await client.work(PostgresNotificationStore.overtakenStatement(limit)).all()
    }

    // A statement for each message: two of them that take several rows each could wait for each other. What was read since the
    // message came need not be read again; that a purchase wrote it down is no reading, and has no time of the provider.
    static let takeStatement = TypedStatement<Void, String>(
        name: "notification_take",
        sql: """
            WITH k AS (
                UPDATE notification AS n SET outcome = 'taken', webview_session_id = p.webview_session_id
                FROM payment_object AS p
                WHERE n.message_id = $1 AND n.outcome = 'unknown' AND p.object_id = left(n.object_id, 19)
                RETURNING n.object_id, n.kind, n.received_at, n.webview_session_id
            )
            SELECT poll_wake(
                k.object_id, CASE k.kind WHEN 'CHARGE' THEN 'charge' ELSE 'permission' END::object_kind, k.webview_session_id)
            FROM k WHERE NOT EXISTS (
                SELECT FROM payment_object AS p
                WHERE p.object_id = k.object_id AND p.object_updated_at IS NOT NULL AND p.observed_at >= k.received_at)
            """
    )

    /// Takes a message in that was overtaken, and has its object read unless that was read since.
    ///
    /// - Returns: Whether an object is to be read.
    /// - Throws: `StoreError`.
    package func take(_ message: String) async throws(StoreError) -> Bool {
        try await client.work(PostgresNotificationStore.takeStatement(message)).count == 1
    }

    /// A message about a payment that no order has.
    package struct Unmatched: Sendable, Hashable {
        /// The permission of the payment.
        package let permission: String
        /// The charge; `nil` in a message about the permission.
        package let charge: String?
    }

    // Newest first: an old one is the least likely to be about anything that the last read did not see. A message is often
    // faster than the write of the purchase, so it is followed after two minutes, and before only while a purchase is
    // paused. One whose payment has an order by then is taken in (`overtaken`).
    static let unmatchedStatement = TypedStatement<Unmatched, Int>(
        name: "notification_unmatched",
        sql: """
            WITH d AS MATERIALIZED (
                SELECT n.object_id, n.received_at,
                    -- As a value it is one look by key for each message, whatever the planner believes of the table.
                    coalesce((SELECT true FROM payment_object AS p WHERE p.object_id = left(n.object_id, 19)), false) AS is_known
                FROM notification AS n
                WHERE n.outcome = 'unknown' AND NOT n.asked AND n.kind IN ('CHARGE', 'CHARGE_PERMISSION')
                    AND (n.received_at <= statement_timestamp() - interval '2 minutes' OR n.received_at >= (
                        SELECT min(q.since) FROM webview_session_purchase AS q
                        WHERE q.stuck_at IS NULL AND q.next_at > statement_timestamp()))
                ORDER BY n.received_at DESC LIMIT 1000
            )
            SELECT d.object_id FROM d WHERE NOT d.is_known ORDER BY d.received_at DESC LIMIT $1
            """
    ) { row in
        let object: String = try row.next()
        let charge = object.utf8.count == 27 ? object : nil
        return Unmatched(permission: String(decoding: object.utf8.prefix(19), as: UTF8.self), charge: charge)
    }

    /// Messages about payments that no order has, listed again until they are noted as followed.
    ///
    /// They may be about a purchase that waits for its next look, or one that has ended unpaid.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: The newest first.
    /// - Throws: `StoreError`.
    package func unmatched(limit: Int) async throws(StoreError) -> [Unmatched] {
        try await client.work(PostgresNotificationStore.unmatchedStatement(limit)).all()
    }

    // One that gets no answer in a day gets none any more, and stands before the others.
    static let followedStatement = TypedStatement<Void, String, Bool>(
        name: "notification_followed",
        sql: """
            UPDATE notification AS n SET asked = true
            WHERE n.outcome = 'unknown' AND left(n.object_id, 19) = $1 AND NOT n.asked
                AND ($2 OR n.received_at < statement_timestamp() - interval '1 day')
            RETURNING 1
            """
    )

    /// Notes that the messages about a permission were followed, so that they cost no other question.
    ///
    /// - Parameters:
    ///   - isAnswered: Whether that had an outcome; without one they are followed for a day.
    /// - Throws: `StoreError`.
    package func noteFollowed(_ permission: String, isAnswered: Bool) async throws(StoreError) {
        _ = try await client.work(PostgresNotificationStore.followedStatement(permission, isAnswered))
    }

    // Who holds the lease is left alone: nobody looks before that is over, whatever stands here.
    static let wakeStatement = TypedStatement<Void, UUIDBytes>(
        name: "purchase_wake",
        sql: """
            UPDATE webview_session_purchase AS q SET next_at = statement_timestamp(), woken = true
            WHERE q.webview_session_id = $1 AND q.stuck_at IS NULL AND q.next_at > statement_timestamp()
            RETURNING 1
            """
    )

    /// Has a purchase looked at as soon as nobody holds it.
    ///
    /// - Returns: False where it does not wait: it is over, given up, or to be looked at anyway.
    /// - Throws: `StoreError`.
    package func wakePurchase(of webviewSession: UUIDBytes) async throws(StoreError) -> Bool {
        try await client.work(PostgresNotificationStore.wakeStatement(webviewSession)).count == 1
    }

    static let unpaidStatement = TypedStatement<Void, String, UUIDBytes>(
        name: "notification_unpaid",
        sql: """
            UPDATE notification AS n SET outcome = 'unpaid', webview_session_id = $2
            WHERE n.outcome = 'unknown' AND left(n.object_id, 19) = $1
            RETURNING 1
            """
    )

    /// Notes of the messages about a permission that it is of a session which is unpaid, for a person to look at.
    ///
    /// - Throws: `StoreError`.
    func noteUnpaid(_ permission: String, of webviewSession: UUIDBytes) async throws(StoreError) {
        _ = try await client.work(PostgresNotificationStore.unpaidStatement(permission, webviewSession))
    }

    static let refundedStatement = TypedStatement<Void, String, UUIDBytes>(
        name: "notification_refunded",
        sql: """
            UPDATE notification AS n SET outcome = 'refunded'
            WHERE n.outcome = 'unpaid' AND n.webview_session_id = $2 AND left(n.object_id, 19) = $1
            RETURNING 1
            """
    )

    /// Notes that nothing of what was taken under a permission of an unpaid session is held any more.
    ///
    /// - Returns: Whether anybody waited for that.
    /// - Throws: `StoreError`.
    func noteRefunded(_ permission: String, of webviewSession: UUIDBytes) async throws(StoreError) -> Bool {
        try await client.work(PostgresNotificationStore.refundedStatement(permission, webviewSession)).count > 0
    }

    static let pruneStatement = TypedStatement<Void, Duration, Int>(
        name: "notification_prune",
        sql: """
            DELETE FROM notification AS n WHERE n.message_id IN (
                SELECT o.message_id FROM notification AS o
                WHERE o.received_at < statement_timestamp() - $1 * interval '1 second'
                ORDER BY o.received_at LIMIT $2)
            RETURNING 1
            """
    )

    /// Forgets messages of more than 30 days ago, `pruneLimit` at most.
    ///
    /// - Returns: How many; as many as that means that there may be more.
    /// - Throws: `StoreError`.
    package func prune() async throws(StoreError) -> Int {
        let call = PostgresNotificationStore.pruneStatement(
            PostgresNotificationStore.keep,
            PostgresNotificationStore.pruneLimit
        )
        return try await client.work(call).count
    }
}
