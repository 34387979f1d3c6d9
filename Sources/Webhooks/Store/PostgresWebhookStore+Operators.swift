import Postgres
package import Primitives

// What operators ask for. These statements run one at a time on the connection for work that takes long, and lock queues in the
// order in which writers of events do; what may be much is done in batches, each in a commit of its own.
extension PostgresWebhookStore {
    private func run(
        _ statement: Statement,
        _ parameters: Parameters
    ) async throws(StoreError) -> ResultSet {
        try await work(statement, parameters, isLastStep: true)
    }

    // MARK: Endpoints

    static let addStatement = Statement(
        name: "webhook_add",
        sql: """
            INSERT INTO webhook_endpoint (endpoint_id, created_at, url, types, key_id, secret)
            VALUES ($1, statement_timestamp(), $2, string_to_array($3, ','), $4, $5)
            """,
        parameterTypes: [.uuid, .text, .text, .text, .bytea]
    )

    /// Adds an endpoint; it gets the events from now on.
    ///
    /// - Parameters:
    ///   - endpoint: A fresh id.
    ///   - url: Where events go, checked.
    ///   - types: Which events; empty for all.
    ///   - key: What they are signed with.
    /// - Throws: What hinders the database.
    package func add(
        _ endpoint: UUIDBytes,
        url: String,
        types: [WebhookEventType],
        key: SealedWebhookKey
    ) async throws(StoreError) {
        var parameters = Parameters()
        parameters.append(uuid: endpoint)
        parameters.append(text: url)
        parameters.append(text: types.map(\.text).joined(separator: ","))
        parameters.append(text: key.id)
        parameters.append(bytes: key.sealed)
        _ = try await run(PostgresWebhookStore.addStatement, parameters)
    }

    static let endpointsStatement = Statement(
        name: "webhook_endpoints",
        sql: """
            SELECT e.endpoint_id, e.url, array_to_string(e.types, ','), e.created_at, e.key_id,
                CASE WHEN statement_timestamp() < e.previous_until THEN e.previous_key_id END,
                count(w.flow_id), count(w.parked_at), min(w.since)
            FROM webhook_endpoint AS e LEFT JOIN webhook_lane AS w ON w.endpoint_id = e.endpoint_id
            WHERE e.removed_at IS NULL
            GROUP BY e.endpoint_id ORDER BY e.created_at, e.endpoint_id
            """
    )

    /// Every endpoint that has not been removed.
    ///
    /// - Returns: The oldest first.
    /// - Throws: What hinders the database.
    package func endpoints() async throws(StoreError) -> [WebhookEndpoint] {
        let rows = try await run(PostgresWebhookStore.endpointsStatement, Parameters())
        return try decoding { () throws(PostgresError) in
            var found: [WebhookEndpoint] = []
            for row in 0..<rows.rowCount {
                let isWaiting = try !rows.isNull(row, 8)
                let queues = (Int(try rows.int64(row, 6)), Int(try rows.int64(row, 7)))
                let endpoint = WebhookEndpoint(
                    id: try rows.uuid(row, 0),
                    url: try rows.text(row, 1),
                    types: try rows.text(row, 2).split(separator: ",").map(String.init),
                    createdAt: try rows.timestamp(row, 3),
                    keys: (current: try rows.text(row, 4), previous: try rows.optionalText(row, 5)),
                    queues: (queues.0, queues.1, since: isWaiting ? try rows.timestamp(row, 8) : nil)
                )
                found.append(endpoint)
            }
            return found
        }
    }

    static let targetStatement = Statement(
        name: "webhook_target",
        sql: """
            SELECT e.url, e.key_id, e.secret,
                CASE WHEN statement_timestamp() < e.previous_until THEN e.previous_key_id END, e.previous_secret
            FROM webhook_endpoint AS e WHERE e.endpoint_id = $1 AND e.removed_at IS NULL
            """,
        parameterTypes: [.uuid]
    )

    /// Where something that is no event is sent, and what it is signed with.
    ///
    /// - Parameter endpoint: Which.
    /// - Returns: The address and one or two keys, or `nil` where there is no such endpoint.
    /// - Throws: What hinders the database.
    package func target(
        of endpoint: UUIDBytes
    ) async throws(StoreError) -> (url: String, keys: [SealedWebhookKey])? {
        var parameters = Parameters()
        parameters.append(uuid: endpoint)
        let rows = try await run(PostgresWebhookStore.targetStatement, parameters)
        guard rows.rowCount == 1 else { return nil }
        return try decoding { () throws(PostgresError) in
            (try rows.text(0, 0), try PostgresWebhookStore.keys(rows, 0, from: 1))
        }
    }

    static let rotateStatement = Statement(
        name: "webhook_rotate",
        sql: """
            UPDATE webhook_endpoint AS e SET previous_key_id = e.key_id, previous_secret = e.secret,
                previous_until = statement_timestamp() + $4 * interval '1 second', key_id = $2, secret = $3
            WHERE e.endpoint_id = $1 AND e.removed_at IS NULL
            RETURNING e.previous_until
            """,
        parameterTypes: [.uuid, .text, .bytea, .int8]
    )

    /// Gives an endpoint another key; the one before signs too for a while, the one before that no longer.
    ///
    /// - Parameters:
    ///   - endpoint: Which.
    ///   - key: The new key.
    ///   - overlap: How long both sign.
    /// - Returns: The end of that, or `nil` where there is no such endpoint.
    /// - Throws: What hinders the database.
    package func rotate(
        _ endpoint: UUIDBytes,
        to key: SealedWebhookKey,
        overlap: Duration
    ) async throws(StoreError) -> WallTime? {
        var parameters = Parameters()
        parameters.append(uuid: endpoint)
        parameters.append(text: key.id)
        parameters.append(bytes: key.sealed)
        parameters.append(seconds: overlap)
        let rows = try await run(PostgresWebhookStore.rotateStatement, parameters)
        guard rows.rowCount == 1 else { return nil }
        return try decoding { () throws(PostgresError) in try rows.timestamp(0, 0) }
    }

    /// From here on nothing is sent, and no event makes a queue; what is there is removed after that.
    static let removeStatement = Statement(
        name: "webhook_remove",
        sql: """
            UPDATE webhook_endpoint AS e SET removed_at = statement_timestamp(), secret = '', previous_key_id = NULL,
                previous_secret = NULL
            WHERE e.endpoint_id = $1 AND e.removed_at IS NULL
            RETURNING 1
            """,
        parameterTypes: [.uuid]
    )

    static let removeQueuesStatement = Statement(
        name: "webhook_remove_queues",
        sql: """
            WITH l AS (
                SELECT w.flow_id FROM webhook_lane AS w
                WHERE w.endpoint_id = $1 AND EXISTS (
                    SELECT FROM webhook_endpoint AS e WHERE e.endpoint_id = $1 AND e.removed_at IS NOT NULL)
                ORDER BY w.flow_id LIMIT $2 FOR UPDATE
            ), d AS (
                DELETE FROM webhook_lane AS w USING l WHERE w.endpoint_id = $1 AND w.flow_id = l.flow_id RETURNING 1
            )
            SELECT count(*) FROM d
            """,
        parameterTypes: [.uuid, .int8]
    )

    /// Removes an endpoint with all that it has not got; where that was broken off, the rest.
    ///
    /// - Parameter endpoint: Which.
    /// - Returns: For how many sessions something had not arrived, or `nil` where there is no such endpoint.
    /// - Throws: What hinders the database; the endpoint may be removed already.
    package func remove(_ endpoint: UUIDBytes) async throws(StoreError) -> Int? {
        var parameters = Parameters()
        parameters.append(uuid: endpoint)
        let isNew = try await run(PostgresWebhookStore.removeStatement, parameters).rowCount == 1
        parameters.append(int64: PostgresWebhookStore.batch)
        let count = try await untilNoneIsLeft(PostgresWebhookStore.removeQueuesStatement, parameters)
        return isNew || count > 0 ? count : nil
    }

    // MARK: Queues

    static let queuesStatement = Statement(
        name: "webhook_queues",
        sql: """
            SELECT w.endpoint_id, w.flow_id, v.event_id, v.type, w.head, w.tail, w.failures::bigint,
                w.last_status::bigint, w.last_error, CASE WHEN w.parked_at IS NULL THEN w.next_at END, w.since
            FROM webhook_lane AS w LEFT JOIN LATERAL (
                SELECT x.event_id, x.type FROM merchant_event AS x
                WHERE x.flow_id = w.flow_id AND x.sequence = w.head OFFSET 0) AS v ON true
            WHERE ($1 IS NULL OR w.flow_id = $1) AND (NOT $2 OR w.parked_at IS NOT NULL) AND EXISTS (
                SELECT FROM webhook_endpoint AS e WHERE e.endpoint_id = w.endpoint_id AND e.removed_at IS NULL)
            ORDER BY w.since, w.flow_id, w.endpoint_id LIMIT $3
            """,
        parameterTypes: [.uuid, .bool, .int8]
    )

    /// What has not arrived.
    ///
    /// - Parameters:
    ///   - subject: Of one session, or of all.
    ///   - onlyDeadLettered: Only what is not sent any more.
    ///   - limit: How many queues at most.
    /// - Returns: Those that have been waiting longest first.
    /// - Throws: What hinders the database.
    package func queues(
        of subject: UUIDBytes?,
        onlyDeadLettered: Bool,
        limit: Int
    ) async throws(StoreError) -> [WaitingQueue] {
        var parameters = Parameters()
        parameters.append(uuid: subject)
        parameters.append(bool: onlyDeadLettered)
        parameters.append(int64: Int64(limit))
        let rows = try await run(PostgresWebhookStore.queuesStatement, parameters)
        return try decoding { () throws(PostgresError) in
            var found: [WaitingQueue] = []
            for row in 0..<rows.rowCount { found.append(try PostgresWebhookStore.queue(rows, row)) }
            return found
        }
    }

    private static func queue(_ rows: ResultSet, _ row: Int) throws(PostgresError) -> WaitingQueue {
        let hasEvent = try !rows.isNull(row, 2)
        let hasStatus = try !rows.isNull(row, 7)
        let isDeadLettered = try rows.isNull(row, 9)
        let head = try rows.int64(row, 4)
        let last = DeliveryFailure(
            status: hasStatus ? Int(try rows.int64(row, 7)) : nil,
            error: try rows.optionalText(row, 8)
        )
        return WaitingQueue(
            endpoint: try rows.uuid(row, 0),
            subject: try rows.uuid(row, 1),
            head: (event: hasEvent ? try rows.uuid(row, 2) : nil, type: try rows.optionalText(row, 3)),
            places: head...max(head, try rows.int64(row, 5)),
            tries: (failures: Int(try rows.int64(row, 6)), last: last),
            times: (next: isDeadLettered ? nil : try rows.timestamp(row, 9), since: try rows.timestamp(row, 10))
        )
    }
}
