import MerchantOrders
package import Postgres
package import Primitives

/// Keeps in PostgreSQL which messages of the provider came, each once however often it is delivered.
///
/// One per loop, not `Sendable`.
package final class PostgresNotificationStore {
    /// Every statement that it sends.
    static let statements: [Statement] = [
        receiveStatement,
        unmatchedStatement,
        wakeStatement,
        unpaidStatement,
        followedStatement,
        refundedStatement,
        pruneStatement,
    ]

    /// What became of a message.
    package enum Receipt: String, Sendable, CaseIterable {
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
        ///   - object: The object.
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
    ///
    /// - Parameter client: Started by the caller.
    package init(client: PostgresClient) {
        self.client = client
    }

    static let receiveStatement = Statement(
        name: "notification_receive",
        sql: "SELECT notification_receive($1, $2, $3, $4)",
        parameterTypes: [.text, .text, .text, .text]
    )

    /// Takes a message in, and has its object read soon.
    ///
    /// - Parameter message: Believed by now.
    /// - Returns: What became of it; on disk by then.
    /// - Throws: `StoreError`; a repeat of the message is safe whatever it says.
    package func receive(_ message: Message) async throws(StoreError) -> Receipt {
        var parameters = Parameters()
        parameters.append(text: message.id)
        parameters.append(text: message.kind)
        parameters.append(text: message.object)
        parameters.append(text: message.permission)
        do throws(PostgresError) {
            // It waits for locks of orders whose webview sessions nobody here knows: in a group of its own no buyer waits with
            // it, and groups of two loops cannot wait for each other.
            let rows = try await client.work(PostgresNotificationStore.receiveStatement, parameters)
            return try rows.word(0, 0)
        } catch {
            throw StoreError(error)
        }
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
    // paused. Those whose payment has an order by then are put aside in passing, so that they neither cost a question nor stand
    // before the others.
    static let unmatchedStatement = Statement(
        name: "notification_unmatched",
        sql: """
            WITH d AS MATERIALIZED (
                SELECT n.message_id, n.object_id, n.received_at,
                    -- As a value it is one look by key for each message, whatever the planner believes of the table.
                    coalesce((SELECT true FROM payment_object AS p WHERE p.object_id = left(n.object_id, 19)), false) AS is_known
                FROM notification AS n
                WHERE n.verdict = 'unknown' AND NOT n.asked AND n.kind IN ('CHARGE', 'CHARGE_PERMISSION')
                    AND (n.received_at <= statement_timestamp() - interval '2 minutes' OR n.received_at >= (
                        SELECT min(q.since) FROM flow_purchasing AS q
                        WHERE q.stuck_at IS NULL AND q.next_at > statement_timestamp()))
                ORDER BY n.received_at DESC LIMIT 1000 FOR UPDATE OF n SKIP LOCKED
            ), k AS (
                UPDATE notification AS n SET asked = true FROM d WHERE n.message_id = d.message_id AND d.is_known
            )
            SELECT d.object_id FROM d WHERE NOT d.is_known ORDER BY d.received_at DESC LIMIT $1
            """,
        parameterTypes: [.int8]
    )

    /// Messages about payments that no order has, listed again until they are noted as followed.
    ///
    /// They may be about a purchase that waits for its next look, or one that has ended unpaid.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: The newest first.
    /// - Throws: `StoreError`.
    package func unmatched(limit: Int) async throws(StoreError) -> [Unmatched] {
        var parameters = Parameters()
        parameters.append(int64: Int64(limit))
        do throws(PostgresError) {
            let rows = try await client.work(PostgresNotificationStore.unmatchedStatement, parameters)
            var unmatched: [Unmatched] = []
            for row in 0..<rows.rowCount {
                let object = try rows.text(row, 0)
                let charge = object.utf8.count == 27 ? object : nil
                unmatched.append(Unmatched(permission: String(object.prefix(19)), charge: charge))
            }
            return unmatched
        } catch {
            throw StoreError(error)
        }
    }

    // One that gets no answer in a day gets none any more, and stands before the others.
    static let followedStatement = Statement(
        name: "notification_followed",
        sql: """
            UPDATE notification AS n SET asked = true
            WHERE n.verdict = 'unknown' AND left(n.object_id, 19) = $1 AND NOT n.asked
                AND ($2 OR n.received_at < statement_timestamp() - interval '1 day')
            RETURNING 1
            """,
        parameterTypes: [.text, .bool]
    )

    /// Notes that the messages about a permission were followed, so that they cost no other question.
    ///
    /// - Parameters:
    ///   - permission: The provider's id.
    ///   - isAnswered: Whether that had an outcome; without one they are followed for a day.
    /// - Throws: `StoreError`.
    package func noteFollowed(_ permission: String, isAnswered: Bool) async throws(StoreError) {
        var parameters = Parameters()
        parameters.append(text: permission)
        parameters.append(bool: isAnswered)
        do throws(PostgresError) {
            _ = try await client.work(PostgresNotificationStore.followedStatement, parameters)
        } catch {
            throw StoreError(error)
        }
    }

    // Who holds the lease is left alone: nobody looks before that is over, whatever stands here.
    static let wakeStatement = Statement(
        name: "purchase_wake",
        sql: """
            UPDATE flow_purchasing AS q SET next_at = statement_timestamp(), woken = true
            WHERE q.flow_id = $1 AND q.stuck_at IS NULL AND q.next_at > statement_timestamp()
            RETURNING 1
            """,
        parameterTypes: [.uuid]
    )

    /// Has a purchase looked at as soon as nobody holds it.
    ///
    /// - Parameter webviewSession: Whose purchase.
    /// - Returns: False where it does not wait: it is over, given up, or to be looked at anyway.
    /// - Throws: `StoreError`.
    package func wakePurchase(of webviewSession: UUIDBytes) async throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.append(uuid: webviewSession)
        do throws(PostgresError) {
            return try await client.work(PostgresNotificationStore.wakeStatement, parameters).rowCount == 1
        } catch {
            throw StoreError(error)
        }
    }

    static let unpaidStatement = Statement(
        name: "notification_unpaid",
        sql: """
            UPDATE notification AS n SET verdict = 'unpaid', flow_id = $2
            WHERE n.verdict = 'unknown' AND left(n.object_id, 19) = $1
            RETURNING 1
            """,
        parameterTypes: [.text, .uuid]
    )

    /// Notes of the messages about a permission that it is of a session which is unpaid, for a person to look at.
    ///
    /// - Parameters:
    ///   - permission: The provider's id.
    ///   - webviewSession: Whose mark it bears.
    /// - Throws: `StoreError`.
    func noteUnpaid(_ permission: String, of webviewSession: UUIDBytes) async throws(StoreError) {
        var parameters = Parameters()
        parameters.append(text: permission)
        parameters.append(uuid: webviewSession)
        do throws(PostgresError) {
            _ = try await client.work(PostgresNotificationStore.unpaidStatement, parameters)
        } catch {
            throw StoreError(error)
        }
    }

    static let refundedStatement = Statement(
        name: "notification_refunded",
        sql: """
            UPDATE notification AS n SET verdict = 'refunded'
            WHERE n.verdict = 'unpaid' AND n.flow_id = $2 AND left(n.object_id, 19) = $1
            RETURNING 1
            """,
        parameterTypes: [.text, .uuid]
    )

    /// Notes that nothing of what was taken under a permission of an unpaid session is held any more.
    ///
    /// - Parameters:
    ///   - permission: The provider's id.
    ///   - webviewSession: Whose mark it bears.
    /// - Returns: Whether anybody waited for that.
    /// - Throws: `StoreError`.
    func noteRefunded(_ permission: String, of webviewSession: UUIDBytes) async throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.append(text: permission)
        parameters.append(uuid: webviewSession)
        do throws(PostgresError) {
            return try await client.work(PostgresNotificationStore.refundedStatement, parameters).rowCount > 0
        } catch {
            throw StoreError(error)
        }
    }

    static let pruneStatement = Statement(
        name: "notification_prune",
        sql: """
            DELETE FROM notification AS n WHERE n.message_id IN (
                SELECT o.message_id FROM notification AS o
                WHERE o.received_at < statement_timestamp() - $1 * interval '1 second'
                ORDER BY o.received_at LIMIT $2)
            RETURNING 1
            """,
        parameterTypes: [.int8, .int8]
    )

    /// Forgets messages of more than 30 days ago, `pruneLimit` at most.
    ///
    /// - Returns: How many; as many as that means that there may be more.
    /// - Throws: `StoreError`.
    package func prune() async throws(StoreError) -> Int {
        var parameters = Parameters()
        parameters.append(seconds: PostgresNotificationStore.keep)
        parameters.append(int64: Int64(PostgresNotificationStore.pruneLimit))
        do throws(PostgresError) {
            return try await client.work(PostgresNotificationStore.pruneStatement, parameters).rowCount
        } catch {
            throw StoreError(error)
        }
    }
}
