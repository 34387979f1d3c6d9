package import MerchantOrders
package import Postgres
package import Primitives

/// Keeps in PostgreSQL which messages of the provider came, each once however often it is delivered.
///
/// One per loop, not `Sendable`.
package final class PostgresNotificationStore {
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
    /// - Throws: `MerchantStoreError`; a repeat of the message is safe whatever it says.
    package func receive(_ message: Message) async throws(MerchantStoreError) -> Receipt {
        var parameters = Parameters()
        parameters.append(text: message.id)
        parameters.append(text: message.kind)
        parameters.append(text: message.object)
        parameters.append(text: message.permission)
        do throws(PostgresError) {
            // It waits for locks of orders whose flows nobody here knows: in a group of its own no buyer waits with it, and groups of
            // two loops cannot wait for each other.
            let rows = try await client.work(PostgresNotificationStore.receiveStatement, parameters)
            return try FlowColumns.word(rows, 0)
        } catch {
            throw StoreFailure.merchant(error)
        }
    }

    // Newest first: an old one is the least likely to tell of anything that the last look did not see. A message is often faster than
    // whoever writes the purchase down, so it is taken after two minutes, and before only while a purchase is paused. Those whose
    // payment has an order by then are put aside in passing, so that they neither cost a question nor stand before the others.
    static let strayStatement = Statement(
        name: "notification_stray",
        sql: """
            WITH d AS MATERIALIZED (
                SELECT n.message_id, left(n.object_id, 19) AS permission, n.received_at,
                    -- As a value it is one look by key for each message, whatever the planner believes of the table.
                    coalesce((SELECT true FROM payment_object AS p WHERE p.object_id = left(n.object_id, 19)), false) AS is_known
                FROM notification AS n
                WHERE n.verdict = 'unknown' AND NOT n.asked AND n.kind IN ('CHARGE', 'CHARGE_PERMISSION')
                    AND (n.received_at <= statement_timestamp() - interval '2 minutes' OR n.received_at >= (
                        SELECT min(q.since) FROM flow_purchasing AS q
                        WHERE q.stuck_at IS NULL AND q.next_at > statement_timestamp()))
                ORDER BY n.received_at DESC LIMIT 1000 FOR UPDATE OF n SKIP LOCKED
            ), t AS (
                SELECT d.message_id, NULL AS permission FROM d WHERE d.is_known
                UNION ALL
                (SELECT d.message_id, d.permission FROM d WHERE NOT d.is_known ORDER BY d.received_at DESC LIMIT $1)
            )
            UPDATE notification AS n SET asked = true FROM t WHERE n.message_id = t.message_id
            RETURNING t.permission
            """,
        parameterTypes: [.int8]
    )

    /// Takes messages about payments that no order has: they may be about a purchase that waits for its next look, or one that has ended
    /// unpaid.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: The permissions that they name, each once; a message is taken once only.
    /// - Throws: `MerchantStoreError`.
    package func takeStray(limit: Int) async throws(MerchantStoreError) -> Set<String> {
        var parameters = Parameters()
        parameters.append(int64: Int64(limit))
        do throws(PostgresError) {
            let rows = try await client.work(PostgresNotificationStore.strayStatement, parameters)
            var permissions: Set<String> = []
            for row in 0..<rows.rowCount where try !rows.isNull(row, 0) {
                permissions.insert(try rows.text(row, 0))
            }
            return permissions
        } catch {
            throw StoreFailure.merchant(error)
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
    /// - Parameter flow: Whose purchase.
    /// - Returns: False where it does not wait: it is over, given up, or to be looked at anyway.
    /// - Throws: `MerchantStoreError`.
    package func wakePurchase(of flow: UUIDBytes) async throws(MerchantStoreError) -> Bool {
        var parameters = Parameters()
        parameters.append(uuid: flow)
        do throws(PostgresError) {
            return try await client.work(PostgresNotificationStore.wakeStatement, parameters).rowCount == 1
        } catch {
            throw StoreFailure.merchant(error)
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
    ///   - flow: Whose mark it bears.
    /// - Throws: `MerchantStoreError`.
    package func noteUnpaid(_ permission: String, of flow: UUIDBytes) async throws(MerchantStoreError) {
        var parameters = Parameters()
        parameters.append(text: permission)
        parameters.append(uuid: flow)
        do throws(PostgresError) {
            _ = try await client.work(PostgresNotificationStore.unpaidStatement, parameters)
        } catch {
            throw StoreFailure.merchant(error)
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
    /// - Throws: `MerchantStoreError`.
    package func prune() async throws(MerchantStoreError) -> Int {
        var parameters = Parameters()
        parameters.append(seconds: PostgresNotificationStore.keep)
        parameters.append(int64: Int64(PostgresNotificationStore.pruneLimit))
        do throws(PostgresError) {
            return try await client.work(PostgresNotificationStore.pruneStatement, parameters).rowCount
        } catch {
            throw StoreFailure.merchant(error)
        }
    }
}
