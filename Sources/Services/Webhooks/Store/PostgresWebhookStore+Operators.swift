import Postgres
package import Primitives

// What operators ask for. These statements run one at a time on the connection for work that takes long, and lock queues in the
// order in which writers of events do; what may be much is done in batches, each in a commit of its own.
extension PostgresWebhookStore {
    // MARK: Endpoints

    static let addStatement = TypedStatement<Void, UUIDBytes, String, String, String, [UInt8]>(
        name: "webhook_add",
        sql: """
            INSERT INTO webhook_endpoint (endpoint_id, created_at, url, types, key_id, secret)
            VALUES ($1, statement_timestamp(), $2, string_to_array($3, ','), $4, $5)
            """
    )

    /// Adds an endpoint; it gets the events from now on.
    ///
    /// - Parameters:
    ///   - url: Where events go, checked.
    ///   - types: Which events; empty for all.
    /// - Throws: What hinders the database.
    package func add(
        _ endpoint: UUIDBytes,
        url: String,
        types: [WebhookEventType],
        key: SealedWebhookKey
    ) async throws(StoreError) {
        let types = types.map(\.text).joined(separator: ",")
        _ = try await client.work(
            PostgresWebhookStore.addStatement(endpoint, url, types, key.id, key.sealed),
            isLastStep: true
        )
    }

    static let endpointsStatement = TypedStatement<WebhookEndpoint>(
        name: "webhook_endpoints",
        sql: """
            SELECT e.endpoint_id, e.url, array_to_string(e.types, ','), e.created_at, e.key_id,
                CASE WHEN statement_timestamp() < e.previous_until THEN e.previous_key_id END,
                count(w.subject_id), count(w.dead_at), min(w.since)
            FROM webhook_endpoint AS e LEFT JOIN event_queue AS w ON w.receiver_id = e.endpoint_id
            WHERE e.removed_at IS NULL
            GROUP BY e.endpoint_id ORDER BY e.created_at, e.endpoint_id
            """
    ) { row in
        WebhookEndpoint(
            id: try row.next(),
            url: try row.next(),
            types: try row.next(String.self).split(separator: ",").map(String.init),
            createdAt: try row.next(),
            keyID: try row.next(),
            previousKeyID: try row.next(),
            waiting: try row.next(),
            deadLettered: try row.next(),
            waitingSince: try row.next()
        )
    }

    /// Every endpoint that has not been removed.
    ///
    /// - Returns: The oldest first.
    /// - Throws: What hinders the database.
    package func endpoints() async throws(StoreError) -> [WebhookEndpoint] {
        try await client.work(PostgresWebhookStore.endpointsStatement(), isLastStep: true).all()
    }

    static let targetStatement = TypedStatement<(url: String, keys: [SealedWebhookKey]), UUIDBytes>(
        name: "webhook_target",
        sql: """
            SELECT e.url, e.key_id, e.secret,
                CASE WHEN statement_timestamp() < e.previous_until THEN e.previous_key_id END, e.previous_secret
            FROM webhook_endpoint AS e WHERE e.endpoint_id = $1 AND e.removed_at IS NULL
            """
    ) { row in (try row.next(), try keys(&row)) }

    /// Where something that is no event is sent, and what it is signed with.
    ///
    /// - Returns: The address and one or two keys, or `nil` where there is no such endpoint.
    /// - Throws: What hinders the database.
    package func target(
        of endpoint: UUIDBytes
    ) async throws(StoreError) -> (url: String, keys: [SealedWebhookKey])? {
        try await client.work(PostgresWebhookStore.targetStatement(endpoint), isLastStep: true).single()
    }

    static let rotateStatement = TypedStatement<WallTime, UUIDBytes, String, [UInt8], Duration>(
        name: "webhook_rotate",
        sql: """
            UPDATE webhook_endpoint AS e SET previous_key_id = e.key_id, previous_secret = e.secret,
                previous_until = statement_timestamp() + $4 * interval '1 second', key_id = $2, secret = $3
            WHERE e.endpoint_id = $1 AND e.removed_at IS NULL
            RETURNING e.previous_until
            """
    )

    /// Gives an endpoint another key; the one before signs too for a while, the one before that no longer.
    ///
    /// - Parameters:
    ///   - overlap: How long both sign.
    /// - Returns: The end of that, or `nil` where there is no such endpoint.
    /// - Throws: What hinders the database.
    package func rotate(
        _ endpoint: UUIDBytes,
        to key: SealedWebhookKey,
        overlap: Duration
    ) async throws(StoreError) -> WallTime? {
        let call = PostgresWebhookStore.rotateStatement(endpoint, key.id, key.sealed, overlap)
        return try await client.work(call, isLastStep: true).single()
    }

    /// From here on nothing is sent, and no event makes a queue; what is there is removed after that.
    static let removeStatement = TypedStatement<Void, UUIDBytes>(
        name: "webhook_remove",
        sql: """
            UPDATE webhook_endpoint AS e SET removed_at = statement_timestamp(), secret = '', previous_key_id = NULL,
                previous_secret = NULL
            WHERE e.endpoint_id = $1 AND e.removed_at IS NULL
            RETURNING 1
            """
    )

    static let removeQueuesStatement = TypedStatement<Int, UUIDBytes, Int>(
        name: "webhook_remove_queues",
        sql: """
            WITH l AS (
                SELECT w.subject_id FROM event_queue AS w
                WHERE w.receiver_id = $1 AND EXISTS (
                    SELECT FROM webhook_endpoint AS e WHERE e.endpoint_id = $1 AND e.removed_at IS NOT NULL)
                ORDER BY w.subject_id LIMIT $2 FOR UPDATE
            ), d AS (
                DELETE FROM event_queue AS w USING l
                WHERE w.receiver_id = $1 AND w.subject_id = l.subject_id RETURNING 1
            )
            SELECT count(*) FROM d
            """
    )

    /// Removes an endpoint with all that it has not got; where that was broken off, the rest.
    ///
    /// - Returns: For how many sessions something had not arrived, or `nil` where there is no such endpoint.
    /// - Throws: What hinders the database; the endpoint may be removed already.
    package func remove(_ endpoint: UUIDBytes) async throws(StoreError) -> Int? {
        let isNew = try await client.work(PostgresWebhookStore.removeStatement(endpoint), isLastStep: true).count == 1
        let count = try await untilNoneIsLeft(
            PostgresWebhookStore.removeQueuesStatement(endpoint, PostgresWebhookStore.batch)
        )
        return isNew || count > 0 ? count : nil
    }

    // MARK: Queues

    static let queuesStatement = TypedStatement<WaitingQueue, UUIDBytes?, Bool, Int>(
        name: "webhook_queues",
        sql: """
            SELECT w.receiver_id, w.subject_id, v.event_id, v.type, w.head, w.tail, w.failures::bigint,
                w.last_status::bigint, w.last_error, CASE WHEN w.dead_at IS NULL THEN w.next_at END, w.since
            FROM event_queue AS w LEFT JOIN LATERAL (
                SELECT x.event_id, x.type FROM event AS x
                WHERE x.subject_id = w.subject_id AND x.sequence = w.head AND x.event_id = w.head_id OFFSET 0) AS v ON true
            WHERE ($1 IS NULL OR w.subject_id = $1) AND (NOT $2 OR w.dead_at IS NOT NULL) AND EXISTS (
                SELECT FROM webhook_endpoint AS e WHERE e.endpoint_id = w.receiver_id AND e.removed_at IS NULL)
            ORDER BY w.since, w.subject_id, w.receiver_id LIMIT $3
            """
    ) { row in
        let (endpoint, subject) = (try row.next(UUIDBytes.self), try row.next(UUIDBytes.self))
        let (event, type) = (try row.next(UUIDBytes?.self), try row.next(String?.self))
        let (head, tail, failures) = (try row.next(Int64.self), try row.next(Int64.self), try row.next(Int.self))
        let last = DeliveryFailure(status: try row.next(), error: try row.next())
        return WaitingQueue(
            endpoint: endpoint,
            subject: subject,
            event: event,
            type: type,
            places: head...max(head, tail),
            failures: failures,
            last: last,
            nextAt: try row.next(),
            since: try row.next()
        )
    }

    /// What has not arrived.
    ///
    /// - Parameters:
    ///   - onlyDeadLettered: Only what is not sent any more.
    ///   - limit: How many queues at most.
    /// - Returns: Those that have been waiting longest first.
    /// - Throws: What hinders the database.
    package func queues(
        of subject: UUIDBytes?,
        onlyDeadLettered: Bool,
        limit: Int
    ) async throws(StoreError) -> [WaitingQueue] {
        try await client.work(PostgresWebhookStore.queuesStatement(subject, onlyDeadLettered, limit), isLastStep: true)
            .all()
    }
}
