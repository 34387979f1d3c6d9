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
    package static let statements: [Statement] = [
        addStatement,
        endpointsStatement,
        targetStatement,
        rotateStatement,
        removeStatement,
        removeQueuesStatement,
        queuesStatement,
        replayEndpointStatement,
        replaySubjectStatement,
        placeStatement,
        findEventStatement,
        replayEventStatement,
        claimStatement,
        deliveredStatement,
        failedStatement,
        postponedStatement,
        retryNowStatement,
        backlogStatement,
        purgeStatement,
    ]

    let client: PostgresClient

    /// A store on a client of the same loop.
    ///
    /// - Parameter client: Started by the caller.
    package init(client: PostgresClient) {
        self.client = client
    }

    /// The statements that are run for each event, for tests that ask the database how it would run them.
    package static let dispatcherStatements: [Statement] = [
        claimStatement, deliveredStatement, failedStatement, postponedStatement,
    ]

    /// Whether an endpoint wants a type of event.
    static func wants(_ endpoint: String, _ type: String) -> String {
        "(\(endpoint).types = '{}' OR \(type) = ANY (\(endpoint).types))"
    }

    func work(
        _ statement: Statement,
        _ parameters: Parameters,
        isLastStep: Bool = false
    ) async throws(StoreError) -> ResultSet {
        do {
            return try await client.work(statement, parameters, isLastStep: isLastStep)
        } catch {
            throw StoreError(error)
        }
    }

    func decoding<Value>(_ body: () throws(PostgresError) -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }
}

extension PostgresWebhookStore: WebhookStore {
    // MARK: Claim

    /// Asks each endpoint for its own queues, so that thousands of one that fails are not in the way of another's few.
    ///
    /// What is locked is passed over.
    static let claimStatement = Statement(
        name: "webhook_claim",
        sql: """
            WITH due AS (
                SELECT d.endpoint_id, d.flow_id
                FROM webhook_endpoint AS e
                LEFT JOIN unnest($5, string_to_array($6, ',')::bigint[]) AS a (endpoint_id, queues)
                    ON a.endpoint_id = e.endpoint_id, LATERAL (
                    SELECT w.endpoint_id, w.flow_id, w.next_at FROM webhook_lane AS w
                    WHERE w.endpoint_id = e.endpoint_id AND w.parked_at IS NULL AND w.next_at <= statement_timestamp()
                    ORDER BY w.next_at LIMIT coalesce(a.queues, $4)
                    FOR UPDATE SKIP LOCKED) AS d
                WHERE e.removed_at IS NULL
                ORDER BY d.next_at LIMIT $3
            ), l AS (
                UPDATE webhook_lane AS w SET attempt_id = $1, next_at = statement_timestamp() + $2 * interval '1 second'
                FROM due WHERE w.endpoint_id = due.endpoint_id AND w.flow_id = due.flow_id
                RETURNING w.endpoint_id, w.flow_id, w.head, w.failures
            )
            SELECT l.endpoint_id, l.failures::bigint, e.url, e.key_id, e.secret,
                CASE WHEN statement_timestamp() < e.previous_until THEN e.previous_key_id END, e.previous_secret,
                l.flow_id, v.event_id, v.sequence, v.type, v.at, v.data
            FROM l JOIN webhook_endpoint AS e ON e.endpoint_id = l.endpoint_id, LATERAL (
                -- OFFSET keeps it one look by key for each of the few, whatever the planner believes of the partitions.
                SELECT x.* FROM merchant_event AS x WHERE x.flow_id = l.flow_id AND x.sequence = l.head OFFSET 0) AS v
            """,
        parameterTypes: [.uuid, .int8, .int8, .int8, .uuidArray, .text]
    )

    package func claim(
        _ demand: ClaimDemand,
        attempt: UUIDBytes
    ) async throws(StoreError) -> [ClaimedDelivery] {
        var parameters = Parameters()
        parameters.append(uuid: attempt)
        parameters.append(seconds: demand.lease)
        parameters.append(int64: Int64(demand.limit))
        parameters.append(int64: Int64(demand.share))
        parameters.append(uuids: demand.allowances.map(\.key))
        parameters.append(text: demand.allowances.map { String($0.value) }.joined(separator: ","))
        let rows = try await work(PostgresWebhookStore.claimStatement, parameters)
        return try decoding { () throws(PostgresError) in
            var claimed: [ClaimedDelivery] = []
            for row in 0..<rows.rowCount { claimed.append(try Self.delivery(rows, row, attempt)) }
            return claimed
        }
    }

    private static func delivery(
        _ rows: ResultSet,
        _ row: Int,
        _ attempt: UUIDBytes
    ) throws(PostgresError) -> ClaimedDelivery {
        ClaimedDelivery(
            attempt: attempt,
            endpoint: try rows.uuid(row, 0),
            url: try rows.text(row, 2),
            keys: try keys(rows, row, from: 3),
            event: try event(rows, row, of: try rows.uuid(row, 7), from: 8),
            failures: Int(try rows.int64(row, 1))
        )
    }

    /// The keys of an endpoint from four columns: name and secret, and those of the one before.
    static func keys(
        _ rows: ResultSet,
        _ row: Int,
        from column: Int
    ) throws(PostgresError) -> [SealedWebhookKey] {
        let key = SealedWebhookKey(id: try rows.text(row, column), sealed: try rows.bytes(row, column + 1))
        guard let previous = try rows.optionalText(row, column + 2),
            let sealed = try rows.optionalBytes(row, column + 3)
        else { return [key] }
        return [key, SealedWebhookKey(id: previous, sealed: sealed)]
    }

    /// An event from five columns: id, sequence, type, time, data.
    ///
    /// Data that cannot be read, which no statement of ours writes, is sent as `null`: one bad row must not stop all others.
    private static func event(
        _ rows: ResultSet,
        _ row: Int,
        of subject: UUIDBytes,
        from column: Int
    ) throws(PostgresError) -> WebhookEvent {
        let text = try rows.json(row, column + 4)
        return WebhookEvent(
            id: try rows.uuid(row, column),
            type: try rows.text(row, column + 2),
            subject: subject,
            sequence: try rows.int64(row, column + 1),
            at: try rows.timestamp(row, column + 3),
            data: (try? JSONParser.parse(text)) ?? .null
        )
    }

    // MARK: Verdicts

    /// The queue as it is when it is locked, if it is the caller's and nobody is at it.
    private static let ours = """
        l AS (
            SELECT w.tail FROM webhook_lane AS w
            WHERE w.endpoint_id = $1 AND w.flow_id = $2 AND w.attempt_id = $3 AND w.head = $4
            FOR UPDATE SKIP LOCKED
        )
        """

    /// Whether the queue is the caller's, locked or not.
    private static let isOurs = """
        EXISTS (
            SELECT FROM webhook_lane AS w
            WHERE w.endpoint_id = $1 AND w.flow_id = $2 AND w.attempt_id = $3 AND w.head = $4)
        """

    /// An event that came after the snapshot shows in the queue's tail, which is read when it is locked, but not among the
    /// events: then nothing is done, and the next try sees both.
    static let deliveredStatement = Statement(
        name: "webhook_delivered",
        sql: """
            WITH \(ours), n AS (
                SELECT v.event_id, v.sequence, v.type, v.at, v.data
                FROM merchant_event AS v JOIN webhook_endpoint AS e ON e.endpoint_id = $1
                WHERE v.flow_id = $2 AND v.sequence > $4 AND \(wants("e", "v.type")) AND EXISTS (SELECT FROM l)
                ORDER BY v.sequence LIMIT 1
            ), u AS (
                UPDATE webhook_lane AS w SET head = n.sequence, since = n.at, failures = 0, last_status = NULL,
                    last_error = NULL, next_at = statement_timestamp() + $5 * interval '1 second'
                FROM n WHERE w.endpoint_id = $1 AND w.flow_id = $2
            ), d AS (
                DELETE FROM webhook_lane AS w USING l
                WHERE w.endpoint_id = $1 AND w.flow_id = $2 AND l.tail <= $4 AND NOT EXISTS (SELECT FROM n)
            )
            SELECT CASE WHEN n.sequence IS NOT NULL THEN 'next' WHEN l.tail <= $4 THEN 'over' ELSE 'busy' END,
                n.event_id, n.sequence, n.type, n.at, n.data
            FROM (SELECT) AS one LEFT JOIN l ON true LEFT JOIN n ON true
            WHERE l.tail IS NOT NULL OR \(isOurs)
            """,
        parameterTypes: [.uuid, .uuid, .uuid, .int8, .int8]
    )

    package func delivered(
        _ delivery: ClaimedDelivery,
        lease: Duration
    ) async throws(StoreError) -> QueueStep {
        var parameters = PostgresWebhookStore.fence(of: delivery)
        parameters.append(seconds: lease)
        guard let rows = try await settle(PostgresWebhookStore.deliveredStatement, parameters) else { return .over }
        return try decoding { () throws(PostgresError) in
            guard try rows.text(0, 0) == "next" else { return .over }
            return .next(try PostgresWebhookStore.event(rows, 0, of: delivery.event.subject, from: 1))
        }
    }

    static let failedStatement = Statement(
        name: "webhook_failed",
        sql: """
            WITH \(ours), u AS (
                UPDATE webhook_lane AS w SET attempt_id = NULL, failures = w.failures + 1, last_status = $5,
                    last_error = $6,
                    next_at = statement_timestamp() + coalesce($7, 0) * interval '1 millisecond',
                    parked_at = CASE WHEN $7 IS NULL THEN statement_timestamp() END
                FROM l WHERE w.endpoint_id = $1 AND w.flow_id = $2
            )
            SELECT CASE WHEN l.tail IS NULL THEN 'busy' ELSE 'over' END
            FROM (SELECT) AS one LEFT JOIN l ON true
            WHERE l.tail IS NOT NULL OR \(isOurs)
            """,
        parameterTypes: [.uuid, .uuid, .uuid, .int8, .int4, .text, .int8]
    )

    package func failed(
        _ delivery: ClaimedDelivery,
        _ failure: DeliveryFailure,
        again pause: Duration?
    ) async throws(StoreError) {
        var parameters = PostgresWebhookStore.fence(of: delivery)
        parameters.append(int32: failure.status.map { Int32($0) })
        parameters.append(text: failure.error)
        parameters.append(int64: pause.map { Int64($0 / .milliseconds(1)) })
        _ = try await settle(PostgresWebhookStore.failedStatement, parameters)
    }

    static let postponedStatement = Statement(
        name: "webhook_postponed",
        sql: """
            WITH \(ours), u AS (
                UPDATE webhook_lane AS w SET attempt_id = NULL,
                    next_at = statement_timestamp() + $5 * interval '1 millisecond'
                FROM l WHERE w.endpoint_id = $1 AND w.flow_id = $2
            )
            SELECT CASE WHEN l.tail IS NULL THEN 'busy' ELSE 'over' END
            FROM (SELECT) AS one LEFT JOIN l ON true
            WHERE l.tail IS NOT NULL OR \(isOurs)
            """,
        parameterTypes: [.uuid, .uuid, .uuid, .int8, .int8]
    )

    package func postponed(_ delivery: ClaimedDelivery, for pause: Duration) async throws(StoreError) {
        var parameters = PostgresWebhookStore.fence(of: delivery)
        parameters.append(int64: Int64(pause / .milliseconds(1)))
        _ = try await settle(PostgresWebhookStore.postponedStatement, parameters)
    }

    private static func fence(of delivery: ClaimedDelivery) -> Parameters {
        var parameters = Parameters()
        parameters.append(uuid: delivery.endpoint)
        parameters.append(uuid: delivery.event.subject)
        parameters.append(uuid: delivery.attempt)
        parameters.append(int64: delivery.event.sequence)
        return parameters
    }

    /// When to ask again for a queue that somebody else has locked: a statement that adds an event to it ends in milliseconds.
    private static let laterLooks: [Duration] = [
        .milliseconds(5), .milliseconds(20), .milliseconds(50), .milliseconds(100), .milliseconds(250), .seconds(1),
    ]

    /// Writes a verdict down; `nil` where the queue is not the caller's any more.
    private func settle(
        _ statement: Statement,
        _ parameters: Parameters
    ) async throws(StoreError) -> ResultSet? {
        var looks = PostgresWebhookStore.laterLooks[...]
        while true {
            let rows = try await work(statement, parameters, isLastStep: true)
            guard rows.rowCount == 1 else { return nil }
            guard try decoding({ () throws(PostgresError) in try rows.text(0, 0) }) == "busy" else { return rows }
            guard let pause = looks.popFirst() else {
                throw StoreError(.unavailable, "a queue stays locked")
            }
            await client.pause(for: pause)
        }
    }

    // MARK: Looking after all

    /// The longest waiting first; a queue that somebody has locked keeps its time.
    static let retryNowStatement = Statement(
        name: "webhook_retry_now",
        sql: """
            WITH l AS (
                SELECT w.flow_id FROM webhook_lane AS w
                WHERE w.endpoint_id = $1 AND w.parked_at IS NULL AND w.attempt_id IS NULL
                    AND w.next_at > statement_timestamp()
                ORDER BY w.next_at LIMIT $2 FOR UPDATE SKIP LOCKED
            ), u AS (
                UPDATE webhook_lane AS w SET next_at = statement_timestamp() FROM l
                WHERE w.endpoint_id = $1 AND w.flow_id = l.flow_id
                RETURNING 1
            )
            SELECT count(*) FROM u
            """,
        parameterTypes: [.uuid, .int8]
    )

    /// Makes everything due that waits for another try at an endpoint.
    package func retryNow(_ endpoint: UUIDBytes) async throws(StoreError) {
        var parameters = Parameters()
        parameters.append(uuid: endpoint)
        parameters.append(int64: PostgresWebhookStore.batch)
        _ = try await untilNoneIsLeft(PostgresWebhookStore.retryNowStatement, parameters)
    }

    static let backlogStatement = Statement(
        name: "webhook_backlog",
        sql: """
            SELECT greatest(0, extract(epoch FROM
                    statement_timestamp() - min(w.since) FILTER (WHERE w.parked_at IS NULL)))::bigint,
                count(*) FILTER (WHERE w.parked_at IS NOT NULL)
            FROM webhook_lane AS w JOIN webhook_endpoint AS e ON e.endpoint_id = w.endpoint_id AND e.removed_at IS NULL
            """
    )

    package func backlog() async throws(StoreError) -> WebhookBacklog {
        let rows = try await work(PostgresWebhookStore.backlogStatement, Parameters())
        return try decoding { () throws(PostgresError) in
            WebhookBacklog(lag: .seconds(try rows.int64(0, 0)), deadLettered: Int(try rows.int64(0, 1)))
        }
    }

    /// Events go with their month and a queue waits for days at most, unless it is dead-lettered: only queues of webview
    /// sessions that are a month old are looked up.
    static let purgeStatement = Statement(
        name: "webhook_purge",
        sql: """
            WITH gone AS (
                SELECT w.endpoint_id, w.flow_id FROM webhook_lane AS w
                WHERE EXISTS (
                    SELECT FROM webhook_endpoint AS e WHERE e.endpoint_id = w.endpoint_id AND e.removed_at IS NOT NULL)
                -- Not an EXISTS: with many queues the planner would read all events there are into memory instead.
                OR w.flow_id < flow_floor(statement_timestamp() - interval '30 days') AND (
                    SELECT 1 FROM merchant_event AS v WHERE v.flow_id = w.flow_id AND v.sequence = w.head) IS NULL
                LIMIT $1 FOR UPDATE SKIP LOCKED
            ), d AS (
                DELETE FROM webhook_lane AS w USING gone
                WHERE w.endpoint_id = gone.endpoint_id AND w.flow_id = gone.flow_id
                RETURNING 1
            )
            SELECT count(*) FROM d
            """,
        parameterTypes: [.int8]
    )

    /// Removes queues whose endpoint is gone or whose events are past retention; how many.
    package func purge() async throws(StoreError) -> Int {
        var parameters = Parameters()
        parameters.append(int64: PostgresWebhookStore.batch)
        return try await untilNoneIsLeft(PostgresWebhookStore.purgeStatement, parameters)
    }

    // MARK: Batches

    /// How many queues one statement changes at most: it ends in milliseconds, and holds up nobody.
    static let batch: Int64 = 1000

    /// Runs a statement that changes at most a batch of queues and returns how many, until it finds less than one.
    ///
    /// - Parameters:
    ///   - statement: Finds nothing twice.
    ///   - parameters: The same each time.
    /// - Returns: How many queues were changed in all.
    /// - Throws: What hinders the database; what was done stays.
    func untilNoneIsLeft(
        _ statement: Statement,
        _ parameters: Parameters
    ) async throws(StoreError) -> Int {
        var total = 0
        while true {
            let rows = try await work(statement, parameters)
            let count = try decoding { () throws(PostgresError) in try rows.int64(0, 0) }
            total += Int(count)
            if count < PostgresWebhookStore.batch { return total }
        }
    }
}
