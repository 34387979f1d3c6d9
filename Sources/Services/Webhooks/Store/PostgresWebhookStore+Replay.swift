package import Postgres
package import Primitives

// Sending once more what an operator names.
extension PostgresWebhookStore {
    /// The statements that walk through many rows, for tests that ask the database how it would run them.
    package static let longStatements: [Statement] = [replayEndpointStatement.statement, findEventStatement.statement]

    /// Lets events be sent now.
    ///
    /// - Returns: How many queues that concerns.
    /// - Throws: What hinders the database; where it was broken off, what was done stays.
    package func replay(_ what: WebhookReplay) async throws(StoreError) -> WebhookReplayed {
        switch what {
        case .endpoint(let endpoint):
            return WebhookReplayed(queues: try await replayAll(of: endpoint))
        case .subject(let subject):
            let call = PostgresWebhookStore.replaySubjectStatement(subject)
            return WebhookReplayed(queues: try await client.work(call, isLastStep: true).first())
        case .event(let event, let subject, let endpoint):
            let place = try await subject == nil ? find(event) : self.place(of: event, in: subject)
            guard let place else { return WebhookReplayed(queues: 0) }
            return try await replay(from: place, to: endpoint)
        }
    }

    // MARK: What waits

    /// Only what nobody is sending: a try that is under way ends by itself.
    private static let waits = """
        w.attempt_id IS NULL
            AND (w.dead_at IS NOT NULL OR w.failures > 0 OR w.next_at > statement_timestamp())
        """

    private static let released = """
        dead_at = NULL, failures = 0, next_at = statement_timestamp(), since = statement_timestamp()
        """

    /// Goes on behind a subject, so that a queue that fails again meanwhile is not met twice.
    static let replayEndpointStatement = TypedStatement<(last: UUIDBytes, count: Int), UUIDBytes, UUIDBytes, Int>(
        name: "webhook_replay_endpoint",
        sql: """
            WITH l AS (
                SELECT w.subject_id FROM event_queue AS w
                WHERE w.receiver_id = $1 AND w.subject_id > $2 AND \(waits)
                ORDER BY w.subject_id LIMIT $3 FOR UPDATE
            ), u AS (
                UPDATE event_queue AS w SET \(released) FROM l
                WHERE w.receiver_id = $1 AND w.subject_id = l.subject_id
                RETURNING 1
            )
            SELECT l.subject_id, (SELECT count(*) FROM u) FROM l ORDER BY l.subject_id DESC LIMIT 1
            """
    ) { row in (try row.next(), try row.next()) }

    private func replayAll(of endpoint: UUIDBytes) async throws(StoreError) -> Int {
        var total = 0
        var last = UUIDBytes(high: 0, low: 0)
        while true {
            let call = PostgresWebhookStore.replayEndpointStatement(endpoint, last, PostgresWebhookStore.batch)
            guard let step = try await client.work(call).single() else { return total }
            last = step.last
            total += step.count
        }
    }

    static let replaySubjectStatement = TypedStatement<Int, UUIDBytes>(
        name: "webhook_replay_session",
        sql: """
            WITH l AS (
                SELECT w.receiver_id
                FROM webhook_endpoint AS e JOIN event_queue AS w ON w.receiver_id = e.endpoint_id AND w.subject_id = $1
                WHERE e.removed_at IS NULL AND \(waits)
                ORDER BY w.receiver_id FOR UPDATE OF w
            ), u AS (
                UPDATE event_queue AS w SET \(released) FROM l
                WHERE w.receiver_id = l.receiver_id AND w.subject_id = $1
                RETURNING 1
            )
            SELECT count(*) FROM u
            """
    )

    // MARK: An event and what followed it

    /// Where an event stands.
    struct Place {
        let event: UUIDBytes
        let subject: UUIDBytes
        let sequence: Int64
    }

    static let placeStatement = TypedStatement<Int64, UUIDBytes, UUIDBytes>(
        name: "webhook_event_place",
        sql: "SELECT v.sequence FROM event AS v WHERE v.subject_id = $2 AND v.event_id = $1"
    )

    private func place(of event: UUIDBytes, in subject: UUIDBytes?) async throws(StoreError) -> Place? {
        guard let subject else { return nil }
        return try await client.work(PostgresWebhookStore.placeStatement(event, subject)).single()
            .map { Place(event: event, subject: subject, sequence: $0) }
    }

    /// How many events are looked at by one statement.
    private static let reach = 10_000

    /// An operator's wish is not worth an index that each purchase would pay for: an event is looked for in the month that its id is
    /// of, from the newest subject back, along the primary key, a part at a time.
    static let findEventStatement = TypedStatement<FoundEvent, UUIDBytes, Int64, UUIDBytes, Int>(
        name: "webhook_find_event",
        sql: """
            WITH s AS MATERIALIZED (
                SELECT v.subject_id, v.sequence, v.event_id = $3 AS is_it FROM event AS v
                WHERE v.subject_id <= $1 AND (v.subject_id, v.sequence) < ($1, $2)
                    AND v.event_id >= id_floor(date_trunc('month', id_moment($3), 'UTC'))
                    AND v.event_id < id_floor(date_trunc('month', id_moment($3), 'UTC') + interval '1 month')
                ORDER BY v.subject_id DESC, v.sequence DESC LIMIT $4
            )
            SELECT s.subject_id, s.sequence, s.is_it FROM s ORDER BY s.is_it DESC, s.subject_id, s.sequence LIMIT 1
            """
    ) { row in FoundEvent(subject: try row.next(), sequence: try row.next(), isIt: try row.next()) }

    /// The event, or the last of the part that does not have it.
    struct FoundEvent {
        let subject: UUIDBytes
        let sequence: Int64
        let isIt: Bool
    }

    private func find(_ event: UUIDBytes) async throws(StoreError) -> Place? {
        var (subject, sequence) = (UUIDBytes(high: .max, low: .max), Int64.max)
        while true {
            let call = PostgresWebhookStore.findEventStatement(subject, sequence, event, PostgresWebhookStore.reach)
            guard let found = try await client.work(call).single() else { return nil }
            (subject, sequence) = (found.subject, found.sequence)
            if found.isIt { return Place(event: event, subject: subject, sequence: sequence) }
        }
    }

    /// A queue that somebody is sending for is left alone: its event may arrive at any moment, and no two of a session may be
    /// on their way.
    static let replayEventStatement = TypedStatement<(queues: Int, all: Int), UUIDBytes, Int64, UUIDBytes, UUIDBytes?>(
        name: "webhook_replay_event",
        sql: """
            WITH n AS MATERIALIZED (
                SELECT e.endpoint_id, (
                    SELECT max(x.sequence) FROM event AS x
                    WHERE x.subject_id = $1 AND x.event_id >= id_before($3) AND \(wants("e", "x.type"))) AS tail
                FROM event AS v JOIN webhook_endpoint AS e ON e.removed_at IS NULL AND \(wants("e", "v.type"))
                WHERE v.subject_id = $1 AND v.sequence = $2 AND v.event_id = $3 AND ($4 IS NULL OR e.endpoint_id = $4)
            ), u AS (
                INSERT INTO event_queue AS w (receiver_id, subject_id, head_id, head, tail, next_at, since, failures)
                SELECT n.endpoint_id, $1, $3, $2, n.tail, statement_timestamp(), statement_timestamp(), 0
                FROM n ORDER BY n.endpoint_id
                ON CONFLICT (receiver_id, subject_id) DO UPDATE SET
                    head_id = CASE WHEN w.head < excluded.head THEN w.head_id ELSE excluded.head_id END, head = least(w.head, excluded.head),
                    tail = greatest(w.tail, excluded.tail), attempt_id = NULL, dead_at = NULL, failures = 0,
                    next_at = excluded.next_at, since = excluded.since
                WHERE w.attempt_id IS NULL OR w.next_at <= statement_timestamp()
                RETURNING 1
            )
            SELECT (SELECT count(*) FROM u), (SELECT count(*) FROM n)
            """
    ) { row in (try row.next(), try row.next()) }

    private func replay(
        from place: Place,
        to endpoint: UUIDBytes?
    ) async throws(StoreError) -> WebhookReplayed {
        let call = PostgresWebhookStore.replayEventStatement(place.subject, place.sequence, place.event, endpoint)
        let (queues, all) = try await client.work(call, isLastStep: true).first()
        return WebhookReplayed(queues: queues, underWay: all - queues)
    }
}
