package import Postgres
package import Primitives
import StrictJSON

/// Lists the events of merchants, in an order in which nothing is ever put before what was read; docs/schema.md has the tables.
///
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresEventStore {
    /// Every statement that it sends.
    package static let statements: [Statement] = [placeStatement, pageStatement, pruneStatement]

    private let client: PostgresClient

    /// For how long an event is listed; it is kept for as long as its order.
    private static let keep = Duration.seconds(30 * 86_400)
    /// How many rows one `prune` looks at, at most.
    package static let pruneLimit = 1_000

    /// A store on a client of the same loop.
    ///
    /// - Parameter client: Started by the caller.
    package init(client: PostgresClient) {
        self.client = client
    }

    static let placeStatement = Statement(
        name: "event_feed_place",
        sql: "SELECT 1 FROM merchant_event_feed AS f WHERE f.flow_id = $2 AND f.sequence = $3 AND f.xact = $1",
        parameterTypes: [.int8, .uuid, .int8]
    )

    /// Up to the oldest transaction that is still running: one that has begun before may yet commit an event that is listed
    /// before others.
    static let pageStatement = Statement(
        name: "event_feed_page",
        sql: """
            SELECT l.xact, l.flow_id, l.sequence, v.event_id, v.type, v.at, v.data
            FROM (
                SELECT f.xact, f.flow_id, f.sequence FROM merchant_event_feed AS f
                WHERE (f.xact, f.flow_id, f.sequence) > ($1, $2, $3)
                    AND f.xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
                ORDER BY f.xact, f.flow_id, f.sequence LIMIT $4) AS l, LATERAL (
                -- OFFSET keeps it one look by key for each.
                SELECT x.* FROM merchant_event AS x
                WHERE x.flow_id = l.flow_id AND x.sequence = l.sequence OFFSET 0) AS v
            ORDER BY l.xact, l.flow_id, l.sequence
            """,
        parameterTypes: [.int8, .uuid, .int8, .int8]
    )

    /// A part of the list.
    ///
    /// - Parameters:
    ///   - cursor: Where to go on; `nil` begins with the oldest that is listed.
    ///   - limit: How many events at most, one or more.
    /// - Returns: The part, or `nil` where the event of the cursor is not listed: it is too old, or was lost with its commit.
    /// - Throws: What hinders the database.
    package func page(after cursor: EventCursor?, limit: Int) async throws(StoreError) -> EventPage? {
        let start = cursor ?? .start
        var parameters = Parameters()
        parameters.append(int64: start.transaction)
        parameters.append(uuid: start.subject)
        parameters.append(int64: start.sequence)
        do throws(PostgresError) {
            if cursor != nil, try await client.read(PostgresEventStore.placeStatement, parameters).rowCount == 0 {
                return nil
            }
            // One more than asked for, to learn whether there are more.
            parameters.append(int64: Int64(limit) + 1)
            let rows = try await client.read(PostgresEventStore.pageStatement, parameters)
            var events: [WebhookEvent] = []
            var next = start
            for row in 0..<min(rows.rowCount, limit) {
                let event = try PostgresEventStore.event(rows, row)
                next = EventCursor(
                    transaction: try rows.int64(row, 0),
                    subject: event.subject,
                    sequence: event.sequence
                )
                events.append(event)
            }
            return EventPage(events, next: next, hasMore: rows.rowCount > limit)
        } catch {
            throw StoreError(error)
        }
    }

    private static func event(_ rows: ResultSet, _ row: Int) throws(PostgresError) -> WebhookEvent {
        let text = try rows.json(row, 6)
        return WebhookEvent(
            id: try rows.uuid(row, 3),
            type: try rows.text(row, 4),
            subject: try rows.uuid(row, 1),
            sequence: try rows.int64(row, 2),
            at: try rows.timestamp(row, 5),
            // As in a webhook: one bad row must not stop all others.
            data: (try? JSONParser.parse(text)) ?? .null
        )
    }

    /// From the oldest on, so that what is young is not looked through.
    static let pruneStatement = Statement(
        name: "event_feed_prune",
        sql: """
            WITH o AS (
                SELECT f.flow_id, f.sequence, f.at FROM merchant_event_feed AS f
                ORDER BY f.xact, f.flow_id, f.sequence LIMIT $2
            ), d AS (
                DELETE FROM merchant_event_feed AS f USING o
                WHERE f.flow_id = o.flow_id AND f.sequence = o.sequence
                    AND o.at < statement_timestamp() - $1 * interval '1 second'
                RETURNING 1
            )
            SELECT count(*) FROM d
            """,
        parameterTypes: [.int8, .int8]
    )

    /// Takes events of more than 30 days ago out of the list, `pruneLimit` at most.
    ///
    /// - Returns: How many; as many as that means that there may be more.
    /// - Throws: What hinders the database.
    package func prune() async throws(StoreError) -> Int {
        var parameters = Parameters()
        parameters.append(seconds: PostgresEventStore.keep)
        parameters.append(int64: Int64(PostgresEventStore.pruneLimit))
        do throws(PostgresError) {
            let rows = try await client.work(PostgresEventStore.pruneStatement, parameters)
            return Int(try rows.int64(0, 0))
        } catch {
            throw StoreError(error)
        }
    }
}
