import Postgres
import Primitives

// Events for features of this program. They wait in the same queues as those for endpoints.
extension PostgresWebhookStore {
    /// Its statements.
    static let subscriberStatements: [Statement] = [
        subscribeStatement.statement, subscriberStatement.statement, claimSubscribedStatement.statement,
        handledStatement.statement, subscriberBacklogStatement.statement,
    ]

    static let subscribeStatement = TypedStatement<Void, String, String>(
        name: "event_subscribe",
        sql: """
            INSERT INTO event_subscriber AS s (subscriber_id, name, types) VALUES (id_new(), $1, string_to_array($2, ','))
            ON CONFLICT (name) DO UPDATE SET types = excluded.types WHERE s.types <> excluded.types
            """
    )

    /// Has the events of a subscription wait from now on; one that is there already gets the types of this program.
    func subscribe(_ subscription: EventSubscription) async throws(StoreError) {
        let types = subscription.types.map(\.text).joined(separator: ",")
        _ = try await client.work(PostgresWebhookStore.subscribeStatement(subscription.name, types), isLastStep: true)
    }

    static let subscriberStatement = TypedStatement<UUIDBytes, String>(
        name: "event_subscriber",
        sql: "SELECT s.subscriber_id FROM event_subscriber AS s WHERE s.name = $1"
    )

    /// The id that queues of a subscription have.
    func subscriber(named name: String) async throws(StoreError) -> UUIDBytes? {
        try await client.work(PostgresWebhookStore.subscriberStatement(name)).single()
    }

    /// What is locked is passed over.
    static let claimSubscribedStatement = TypedStatement<
        (failures: Int, subject: UUIDBytes, event: EventRow), UUIDBytes, UUIDBytes, Duration, Int
    >(
        name: "event_claim",
        sql: """
            WITH due AS (
                SELECT w.subject_id FROM event_queue AS w
                WHERE w.receiver_id = $2 AND w.dead_at IS NULL AND w.next_at <= statement_timestamp()
                ORDER BY w.next_at LIMIT $4
                FOR UPDATE SKIP LOCKED
            ), l AS (
                UPDATE event_queue AS w SET attempt_id = $1, next_at = statement_timestamp() + $3 * interval '1 second'
                FROM due WHERE w.receiver_id = $2 AND w.subject_id = due.subject_id
                RETURNING w.subject_id, w.head_id, w.head, w.failures
            )
            SELECT l.failures::bigint, l.subject_id, v.event_id, v.sequence, v.subject_kind, v.type, v.at, v.data
            FROM l, LATERAL (
                -- OFFSET keeps it one look by key for each of the few, whatever the planner believes of the partitions.
                SELECT x.* FROM event AS x
                WHERE x.subject_id = l.subject_id AND x.sequence = l.head AND x.event_id = l.head_id OFFSET 0) AS v
            """
    ) { row in (try row.next(), try row.next(), try EventRow(&row)) }

    /// Takes queues of a subscriber that are due, the longest due first.
    func claim(
        of subscriber: UUIDBytes,
        lease: Duration,
        limit: Int,
        attempt: UUIDBytes
    ) async throws(StoreError) -> [SubscribedEvent] {
        let call = PostgresWebhookStore.claimSubscribedStatement(attempt, subscriber, lease, limit)
        return try await client.work(call).all().map { failures, subject, event in
            SubscribedEvent(
                attempt: attempt,
                subscriber: subscriber,
                event: event.event(of: subject),
                failures: failures
            )
        }
    }

    static let handledStatement = TypedStatement<SettledQueue, DeliveryFence, Duration>(
        name: "event_handled",
        sql: next("event_subscriber", "subscriber_id")
    ) { row in try SettledQueue(&row) }

    /// Writes down that an event was handled.
    func handled(_ fence: DeliveryFence, lease: Duration) async throws(StoreError) -> QueueStep {
        try await done(fence, PostgresWebhookStore.handledStatement(fence, lease))
    }

    static let subscriberBacklogStatement = TypedStatement<SubscriberBacklog>(
        name: "event_subscriber_backlog",
        sql: """
            SELECT s.name, greatest(0, extract(epoch FROM statement_timestamp() - q.since))::bigint, q.failing
            FROM event_subscriber AS s, LATERAL (
                SELECT min(w.since) FILTER (WHERE isfinite(w.since)) AS since, count(*) FILTER (WHERE w.failures > 0) AS failing
                FROM event_queue AS w WHERE w.receiver_id = s.subscriber_id) AS q
            """
    ) { row in SubscriberBacklog(name: try row.next(), lag: try row.next(), failing: try row.next()) }

    /// What waits for each subscriber, also for those that no program has any more.
    func subscriberBacklogs() async throws(StoreError) -> [SubscriberBacklog] {
        try await client.work(PostgresWebhookStore.subscriberBacklogStatement()).all()
    }
}

/// The first event of a subject that a subscriber has claimed.
struct SubscribedEvent {
    let attempt: UUIDBytes
    let subscriber: UUIDBytes
    var event: WebhookEvent
    /// How often it was not handled.
    var failures: Int

    var fence: DeliveryFence {
        DeliveryFence(receiver: subscriber, subject: event.subject.id, attempt: attempt, sequence: event.sequence)
    }
}

/// What waits for a subscriber.
struct SubscriberBacklog {
    let name: String
    /// The age of the oldest; zero where none waits.
    let lag: Duration
    /// How many subjects have an event that could not be handled.
    let failing: Int
}
