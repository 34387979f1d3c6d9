package import Postgres
package import Primitives
import StrictJSON

/// Keeps endpoints and queues in PostgreSQL; docs/schema.md has the tables.
///
/// What a dispatcher asks goes over the connection for upkeep, and none of it waits for a row that somebody else has locked: a
/// queue that a purchase is adding an event to is passed over and asked for again. So neither waits for the other.
///
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresWebhookStore {
    /// Every statement that it sends.
    package static let statements: [Statement] =
        subscriberStatements + [
            addStatement.statement,
            endpointsStatement.statement,
            targetStatement.statement,
            rotateStatement.statement,
            removeStatement.statement,
            removeQueuesStatement.statement,
            queuesStatement.statement,
            replayEndpointStatement.statement,
            replaySubjectStatement.statement,
            placeStatement.statement,
            findEventStatement.statement,
            replayEventStatement.statement,
            claimStatement.statement,
            deliveredStatement.statement,
            failedStatement.statement,
            postponedStatement.statement,
            retryNowStatement.statement,
            backlogStatement.statement,
            purgeStatement.statement,
        ]

    let client: PostgresClient

    /// A store on a client of the same loop.
    package init(client: PostgresClient) {
        self.client = client
    }

    /// The statements that are run for each event, for tests that ask the database how it would run them.
    package static let dispatcherStatements: [Statement] = [
        claimStatement.statement, deliveredStatement.statement, failedStatement.statement, postponedStatement.statement,
    ]

    /// Whether an endpoint wants a type of event.
    static func wants(_ endpoint: String, _ type: String) -> String {
        "(\(endpoint).types = '{}' OR \(type) = ANY (\(endpoint).types))"
    }
}

extension PostgresWebhookStore: WebhookStore {
    // MARK: Claim

    /// Asks each endpoint for its own queues, so that thousands of one that fails are not in the way of another's few.
    ///
    /// What is locked is passed over.
    static let claimStatement = TypedStatement<
        DueDelivery, UUIDBytes, Duration, Int, Int, [UUIDBytes], String
    >(
        name: "webhook_claim",
        sql: """
            WITH due AS (
                SELECT d.receiver_id, d.subject_id
                FROM webhook_endpoint AS e
                LEFT JOIN unnest($5, string_to_array($6, ',')::bigint[]) AS a (endpoint_id, queues)
                    ON a.endpoint_id = e.endpoint_id, LATERAL (
                    SELECT w.receiver_id, w.subject_id, w.next_at FROM event_queue AS w
                    WHERE w.receiver_id = e.endpoint_id AND w.dead_at IS NULL AND w.next_at <= statement_timestamp()
                    ORDER BY w.next_at LIMIT coalesce(a.queues, $4)
                    FOR UPDATE SKIP LOCKED) AS d
                WHERE e.removed_at IS NULL
                ORDER BY d.next_at LIMIT $3
            ), l AS (
                UPDATE event_queue AS w SET attempt_id = $1, next_at = statement_timestamp() + $2 * interval '1 second'
                FROM due WHERE w.receiver_id = due.receiver_id AND w.subject_id = due.subject_id
                RETURNING w.receiver_id, w.subject_id, w.head_id, w.head, w.failures
            )
            SELECT l.receiver_id, l.failures::bigint, e.url, e.key_id, e.secret,
                CASE WHEN statement_timestamp() < e.previous_until THEN e.previous_key_id END, e.previous_secret,
                l.subject_id, v.event_id, v.sequence, v.subject_kind, v.type, v.at, v.data
            FROM l JOIN webhook_endpoint AS e ON e.endpoint_id = l.receiver_id, LATERAL (
                -- OFFSET keeps it one look by key for each of the few, whatever the planner believes of the partitions.
                SELECT x.* FROM event AS x
                WHERE x.subject_id = l.subject_id AND x.sequence = l.head AND x.event_id = l.head_id OFFSET 0) AS v
            """
    ) { row in
        DueDelivery(
            endpoint: try row.next(),
            failures: try row.next(),
            url: try row.next(),
            keys: try keys(&row),
            subject: try row.next(),
            event: try EventRow(&row)
        )
    }

    /// A delivery as the claim returns it.
    struct DueDelivery {
        let endpoint: UUIDBytes
        let failures: Int
        let url: String
        let keys: [SealedWebhookKey]
        let subject: UUIDBytes
        let event: EventRow
    }

    package func claim(
        _ demand: ClaimDemand,
        attempt: UUIDBytes
    ) async throws(StoreError) -> [ClaimedDelivery] {
        let call = PostgresWebhookStore.claimStatement(
            attempt,
            demand.lease,
            demand.limit,
            demand.share,
            demand.allowances.map(\.key),
            demand.allowances.map { String($0.value) }.joined(separator: ",")
        )
        return try await client.work(call).all()
            .map { due in
                ClaimedDelivery(
                    attempt: attempt,
                    endpoint: due.endpoint,
                    url: due.url,
                    keys: due.keys,
                    event: due.event.event(of: due.subject),
                    failures: due.failures
                )
            }
    }

    /// The keys of an endpoint from four columns: name and secret, and those of the one before.
    static func keys(_ row: inout RowReader) throws(PostgresError) -> [SealedWebhookKey] {
        let key = SealedWebhookKey(id: try row.next(), sealed: try row.next())
        let (previous, sealed) = (try row.next(String?.self), try row.next([UInt8]?.self))
        guard let previous, let sealed else { return [key] }
        return [key, SealedWebhookKey(id: previous, sealed: sealed)]
    }

    // MARK: Outcomes

    /// The queue as it is when it is locked, if it is the caller's and nobody is at it.
    private static let ours = """
        l AS (
            SELECT w.head_id, w.tail FROM event_queue AS w
            WHERE w.receiver_id = $1 AND w.subject_id = $2 AND w.attempt_id = $3 AND w.head = $4
            FOR UPDATE SKIP LOCKED
        )
        """

    /// Whether the queue is the caller's, locked or not.
    private static let isOurs = """
        EXISTS (
            SELECT FROM event_queue AS w
            WHERE w.receiver_id = $1 AND w.subject_id = $2 AND w.attempt_id = $3 AND w.head = $4)
        """

    static let deliveredStatement = TypedStatement<SettledQueue, DeliveryFence, Duration>(
        name: "webhook_delivered",
        sql: next("webhook_endpoint", "endpoint_id")
    ) { row in try SettledQueue(&row) }

    /// Goes on behind the first event of a queue.
    ///
    /// An event that came after the snapshot shows in the queue's tail, which is read when it is locked, but not among the
    /// events: then nothing is done, and the next try sees both.
    ///
    /// - Parameters:
    ///   - receivers: The table that has the receiver with the types that it wants.
    ///   - key: The column of its id.
    static func next(_ receivers: String, _ key: String) -> String {
        """
        WITH \(ours), n AS (
            SELECT v.* FROM l, \(receivers) AS e, LATERAL (
                SELECT v.* FROM event AS v
                WHERE v.subject_id = $2 AND v.sequence > $4 AND v.event_id >= id_before(l.head_id) AND \(wants("e", "v.type"))
                ORDER BY v.sequence LIMIT 1) AS v
            WHERE e.\(key) = $1
        ), u AS (
            UPDATE event_queue AS w SET head_id = n.event_id, head = n.sequence, since = n.at, failures = 0, last_status = NULL,
                last_error = NULL, next_at = statement_timestamp() + $5 * interval '1 second'
            FROM n WHERE w.receiver_id = $1 AND w.subject_id = $2
        ), d AS (
            DELETE FROM event_queue AS w USING l
            WHERE w.receiver_id = $1 AND w.subject_id = $2 AND l.tail <= $4 AND NOT EXISTS (SELECT FROM n)
        )
        SELECT CASE WHEN n.sequence IS NOT NULL THEN 'next' WHEN l.tail <= $4 THEN 'over' ELSE 'busy' END,
            n.event_id, n.sequence, n.subject_kind, n.type, n.at, n.data
        FROM (SELECT) AS one LEFT JOIN l ON true LEFT JOIN n ON true
        WHERE l.tail IS NOT NULL OR \(isOurs)
        """
    }

    package func delivered(
        _ delivery: ClaimedDelivery,
        lease: Duration
    ) async throws(StoreError) -> QueueStep {
        let fence = DeliveryFence(delivery)
        return try await done(fence, PostgresWebhookStore.deliveredStatement(fence, lease))
    }

    /// Writes down that the first event of a queue is done with.
    func done(_ fence: DeliveryFence, _ call: StatementCall<SettledQueue>) async throws(StoreError) -> QueueStep {
        guard let next = try await settle(call)?.next else { return .over }
        return .next(next.event(of: fence.subject))
    }

    static let failedStatement = TypedStatement<SettledQueue, DeliveryFence, Int32?, String?, Int64?>(
        name: "webhook_failed",
        sql: """
            WITH \(ours), u AS (
                UPDATE event_queue AS w SET attempt_id = NULL, failures = w.failures + 1, last_status = $5,
                    last_error = $6,
                    next_at = statement_timestamp() + coalesce($7, 0) * interval '1 millisecond',
                    dead_at = CASE WHEN $7 IS NULL THEN statement_timestamp() END
                FROM l WHERE w.receiver_id = $1 AND w.subject_id = $2
            )
            SELECT CASE WHEN l.tail IS NULL THEN 'busy' ELSE 'over' END
            FROM (SELECT) AS one LEFT JOIN l ON true
            WHERE l.tail IS NOT NULL OR \(isOurs)
            """
    ) { row in SettledQueue(isBusy: try row.next(String.self) == "busy") }

    package func failed(
        _ delivery: ClaimedDelivery,
        _ failure: DeliveryFailure,
        again pause: Duration?
    ) async throws(StoreError) {
        try await failed(DeliveryFence(delivery), failure, again: pause)
    }

    /// Writes down that the first event of a queue is not done with.
    ///
    /// - Parameter pause: Until the next try; `nil` parks the queue.
    func failed(_ fence: DeliveryFence, _ failure: DeliveryFailure, again pause: Duration?) async throws(StoreError) {
        let call = PostgresWebhookStore.failedStatement(
            fence,
            failure.status.map { Int32($0) },
            failure.error,
            pause.map { Int64($0 / .milliseconds(1)) }
        )
        _ = try await settle(call)
    }

    static let postponedStatement = TypedStatement<SettledQueue, DeliveryFence, Int64>(
        name: "webhook_postponed",
        sql: """
            WITH \(ours), u AS (
                UPDATE event_queue AS w SET attempt_id = NULL,
                    next_at = statement_timestamp() + $5 * interval '1 millisecond'
                FROM l WHERE w.receiver_id = $1 AND w.subject_id = $2
            )
            SELECT CASE WHEN l.tail IS NULL THEN 'busy' ELSE 'over' END
            FROM (SELECT) AS one LEFT JOIN l ON true
            WHERE l.tail IS NOT NULL OR \(isOurs)
            """
    ) { row in SettledQueue(isBusy: try row.next(String.self) == "busy") }

    package func postponed(_ delivery: ClaimedDelivery, for pause: Duration) async throws(StoreError) {
        let milliseconds = Int64(pause / .milliseconds(1))
        _ = try await settle(PostgresWebhookStore.postponedStatement(DeliveryFence(delivery), milliseconds))
    }

    /// What a queue has become, or that somebody else has locked it.
    struct SettledQueue {
        let isBusy: Bool
        var next: EventRow?

        init(isBusy: Bool) { self.isBusy = isBusy }

        /// What `next` tells.
        init(_ row: inout RowReader) throws(PostgresError) {
            let word: String = try row.next()
            isBusy = word == "busy"
            if word == "next" { next = try EventRow(&row) }
        }
    }

    /// When to ask again for a queue that somebody else has locked: a statement that adds an event to it ends in milliseconds.
    private static let retryPauses: [Duration] = [
        .milliseconds(5), .milliseconds(20), .milliseconds(50), .milliseconds(100), .milliseconds(250), .seconds(1),
    ]

    /// Writes an outcome down; `nil` where the queue is not the caller's any more.
    private func settle(_ call: StatementCall<SettledQueue>) async throws(StoreError) -> SettledQueue? {
        var pauses = PostgresWebhookStore.retryPauses[...]
        while true {
            guard let settled = try await client.work(call, isLastStep: true).single() else { return nil }
            guard settled.isBusy else { return settled }
            guard let pause = pauses.popFirst() else {
                throw StoreError(.unavailable, "a queue stays locked")
            }
            await client.pause(for: pause)
        }
    }

    // MARK: All queues

    /// The longest waiting first; a queue that somebody has locked keeps its time.
    static let retryNowStatement = TypedStatement<Int, UUIDBytes, Int>(
        name: "webhook_retry_now",
        sql: """
            WITH l AS (
                SELECT w.subject_id FROM event_queue AS w
                WHERE w.receiver_id = $1 AND w.dead_at IS NULL AND w.attempt_id IS NULL
                    AND w.next_at > statement_timestamp()
                ORDER BY w.next_at LIMIT $2 FOR UPDATE SKIP LOCKED
            ), u AS (
                UPDATE event_queue AS w SET next_at = statement_timestamp() FROM l
                WHERE w.receiver_id = $1 AND w.subject_id = l.subject_id
                RETURNING 1
            )
            SELECT count(*) FROM u
            """
    )

    /// Makes everything due that waits for another try at an endpoint.
    package func retryNow(_ endpoint: UUIDBytes) async throws(StoreError) {
        _ = try await untilNoneIsLeft(PostgresWebhookStore.retryNowStatement(endpoint, PostgresWebhookStore.batch))
    }

    static let backlogStatement = TypedStatement<WebhookBacklog>(
        name: "webhook_backlog",
        sql: """
            SELECT greatest(0, extract(epoch FROM
                    statement_timestamp() - min(w.since) FILTER (WHERE w.dead_at IS NULL AND isfinite(w.since))))::bigint,
                count(*) FILTER (WHERE w.dead_at IS NOT NULL)
            FROM event_queue AS w JOIN webhook_endpoint AS e ON e.endpoint_id = w.receiver_id AND e.removed_at IS NULL
            """
    ) { row in WebhookBacklog(lag: try row.next(), deadLettered: try row.next()) }

    package func backlog() async throws(StoreError) -> WebhookBacklog {
        try await client.work(PostgresWebhookStore.backlogStatement()).first()
    }

    /// Events go with their month and a queue waits for days at most, unless it is dead-lettered: only queues whose
    /// first event is a month old are looked up.
    static let purgeStatement = TypedStatement<Int, Int>(
        name: "webhook_purge",
        sql: """
            WITH gone AS (
                SELECT w.receiver_id, w.subject_id FROM event_queue AS w
                WHERE NOT EXISTS (
                    SELECT FROM webhook_endpoint AS e WHERE e.endpoint_id = w.receiver_id AND e.removed_at IS NULL)
                AND NOT EXISTS (SELECT FROM event_subscriber AS s WHERE s.subscriber_id = w.receiver_id)
                -- Not an EXISTS: with many queues the planner would read all events there are into memory instead.
                OR w.head_id < id_floor(statement_timestamp() - interval '30 days') AND (
                    SELECT 1 FROM event AS v
                    WHERE v.subject_id = w.subject_id AND v.sequence = w.head AND v.event_id = w.head_id) IS NULL
                LIMIT $1 FOR UPDATE SKIP LOCKED
            ), d AS (
                DELETE FROM event_queue AS w USING gone
                WHERE w.receiver_id = gone.receiver_id AND w.subject_id = gone.subject_id
                RETURNING 1
            )
            SELECT count(*) FROM d
            """
    )

    /// Removes queues whose receiver is gone or whose events are past retention; how many.
    package func purge() async throws(StoreError) -> Int {
        try await untilNoneIsLeft(PostgresWebhookStore.purgeStatement(PostgresWebhookStore.batch))
    }

    // MARK: Batches

    /// How many queues one statement changes at most: it ends in milliseconds, and holds up nobody.
    static let batch = 1000

    /// Runs a statement that changes at most a batch of queues and returns how many, until it finds less than one.
    ///
    /// - Parameter call: Of a statement that finds nothing twice.
    /// - Returns: How many queues were changed in all.
    /// - Throws: What hinders the database; what was done stays.
    func untilNoneIsLeft(_ call: StatementCall<Int>) async throws(StoreError) -> Int {
        var total = 0
        while true {
            let count = try await client.work(call).first()
            total += count
            if count < PostgresWebhookStore.batch { return total }
        }
    }
}

/// An event from six columns: id, sequence, kind of the subject, type, time, data.
struct EventRow {
    private let id: UUIDBytes
    private let sequence: Int64
    private let kind: String
    private let type: String
    private let time: WallTime
    private let data: StoredJSON

    init(_ row: inout RowReader) throws(PostgresError) {
        id = try row.next()
        sequence = try row.next()
        kind = try row.next()
        type = try row.next()
        time = try row.next()
        data = try row.next()
    }

    /// Data that cannot be read, which no statement of ours writes, is sent as `null`: one bad row must not stop all others.
    func event(of subject: UUIDBytes) -> WebhookEvent {
        WebhookEvent(
            id: id,
            type: type,
            subject: EventSubject(kind, subject),
            sequence: sequence,
            at: time,
            data: (try? JSONParser.parse(data.utf8)) ?? .null
        )
    }
}

/// Four parameters by which a queue is still the caller's: receiver, subject, attempt and the number of the event.
struct DeliveryFence: StatementInput {
    static var parameterTypes: [PostgresType] { [.uuid, .uuid, .uuid, .int8] }
    static var parameterCount: Int { 4 }

    let receiver: UUIDBytes
    let subject: UUIDBytes
    let attempt: UUIDBytes
    let sequence: Int64

    func append(to parameters: inout Parameters) {
        parameters.append(uuid: receiver)
        parameters.append(uuid: subject)
        parameters.append(uuid: attempt)
        parameters.append(int64: sequence)
    }
}

extension DeliveryFence {
    init(_ delivery: ClaimedDelivery) {
        self.init(
            receiver: delivery.endpoint,
            subject: delivery.event.subject.id,
            attempt: delivery.attempt,
            sequence: delivery.event.sequence
        )
    }
}
