package import Postgres
package import Primitives
import StrictJSON

/// Lists the events, in an order in which nothing is ever put before what was read; docs/schema.md has the tables.
///
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresEventStore {
    /// Every statement that it sends.
    package static let statements: [Statement] = [
        placeStatement.statement, pageStatement.statement, pruneStatement.statement,
    ]

    private let client: PostgresClient

    /// For how long an event is listed.
    private static let keep = Duration.seconds(30 * 86_400)
    /// How many rows one `prune` looks at, at most.
    package static let pruneLimit = 1_000

    /// A store on a client of the same loop.
    package init(client: PostgresClient) {
        self.client = client
    }

    static let placeStatement = TypedStatement<Void, Int64, UUIDBytes, Int64>(
        name: "event_feed_place",
        sql:
            "SELECT 1 FROM event_feed AS f WHERE f.subject_id = $2 AND f.sequence = $3 AND f.xact = $1"
    )

    /// Up to the oldest transaction that is still running: one that has begun before may yet commit an event that is listed
    /// before others.
    static let pageStatement = TypedStatement<ListedEvent, Int64, UUIDBytes, Int64, Int>(
        name: "event_feed_page",
        sql: """
            SELECT l.xact, l.subject_id, l.sequence, v.event_id, v.subject_kind, v.type, v.at, v.data
            FROM (
                SELECT f.xact, f.subject_id, f.sequence, f.event_id FROM event_feed AS f
                WHERE (f.xact, f.subject_id, f.sequence) > ($1, $2, $3)
                    AND f.xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
                ORDER BY f.xact, f.subject_id, f.sequence LIMIT $4) AS l, LATERAL (
                -- OFFSET keeps it one look by key for each.
                SELECT x.* FROM event AS x
                WHERE x.subject_id = l.subject_id AND x.sequence = l.sequence AND x.event_id = l.event_id OFFSET 0) AS v
            ORDER BY l.xact, l.subject_id, l.sequence
            """
    ) { row in
        let cursor = EventCursor(transaction: try row.next(), subject: try row.next(), sequence: try row.next())
        let (id, kind) = (try row.next(UUIDBytes.self), try row.next(String.self))
        let (type, time) = (try row.next(String.self), try row.next(WallTime.self))
        let text = try row.next(StoredJSON.self).utf8
        let event = WebhookEvent(
            id: id,
            type: type,
            subject: EventSubject(kind, cursor.subject),
            sequence: cursor.sequence,
            at: time,
            // As in a webhook: one bad row must not stop all others.
            data: (try? JSONParser.parse(text)) ?? .null
        )
        return ListedEvent(event: event, cursor: cursor)
    }

    /// An event, and where the list goes on behind it.
    struct ListedEvent {
        let event: WebhookEvent
        let cursor: EventCursor
    }

    /// A part of the list.
    ///
    /// - Parameters:
    ///   - cursor: Where to go on; `nil` begins with the oldest that is listed.
    ///   - limit: How many events at most, one or more.
    /// - Returns: The part, or `nil` where the event of the cursor is not listed: it is too old, or was lost with its commit.
    /// - Throws: What hinders the database.
    package func page(after cursor: EventCursor?, limit: Int) async throws(StoreError) -> EventPage? {
        let start = cursor ?? .start
        if cursor != nil {
            let place = PostgresEventStore.placeStatement(start.transaction, start.subject, start.sequence)
            if try await client.read(place).count == 0 { return nil }
        }
        // One more than asked for, to learn whether there are more.
        let page = PostgresEventStore.pageStatement(start.transaction, start.subject, start.sequence, limit + 1)
        let rows = try await client.read(page)
        let listed = try rows.all(limit: limit)
        return EventPage(listed.map(\.event), next: listed.last?.cursor ?? start, hasMore: rows.count > limit)
    }

    /// From the oldest on, so that what is young is not looked through.
    static let pruneStatement = TypedStatement<Int, Duration, Int>(
        name: "event_feed_prune",
        sql: """
            WITH o AS (
                SELECT f.subject_id, f.sequence, f.event_id, f.at FROM event_feed AS f
                ORDER BY f.xact, f.subject_id, f.sequence LIMIT $2
            ), d AS (
                DELETE FROM event_feed AS f USING o
                WHERE f.subject_id = o.subject_id AND f.sequence = o.sequence AND f.event_id = o.event_id
                    AND o.at < statement_timestamp() - $1 * interval '1 second'
                RETURNING 1
            )
            SELECT count(*) FROM d
            """
    )

    /// Takes events of more than 30 days ago out of the list, `pruneLimit` at most.
    ///
    /// - Returns: How many; as many as that means that there may be more.
    /// - Throws: What hinders the database.
    package func prune() async throws(StoreError) -> Int {
        let call = PostgresEventStore.pruneStatement(PostgresEventStore.keep, PostgresEventStore.pruneLimit)
        return try await client.work(call).first()
    }
}
