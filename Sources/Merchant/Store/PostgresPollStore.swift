import Checkout
package import MerchantOrders
package import Postgres
package import Primitives

/// Keeps in PostgreSQL which objects are to be read at the provider, and when.
///
/// Rows come by themselves: a trigger follows the ledger, and a message brings its object forward. Here they are claimed, one
/// reader each, and moved on. All times are the database's. One per loop, not `Sendable`.
package final class PostgresPollStore {
    /// Every statement that it sends.
    static let statements: [Statement] = [
        claimStatement,
        againStatement,
        missingStatement,
        expiringStatement,
        releaseStatement,
        endStatement,
    ]

    private let client: PostgresClient
    private let account: OrderAccount

    /// How long a reading may take before somebody else makes it.
    private static let lease = Duration.seconds(120)

    /// A store on a client of the same loop.
    ///
    /// - Parameters:
    ///   - client: Started by the caller.
    ///   - account: Whose objects are read.
    package init(client: PostgresClient, account: OrderAccount = .none) {
        self.client = client
        self.account = account
    }

    static let claimStatement = Statement(
        name: "poll_claim",
        sql: """
            WITH d AS MATERIALIZED (
                SELECT q.object_id, q.notified, \(RecoverySQL.isOwn("q.flow_id", ("$5", "$6"))) AS own
                FROM payment_poll AS q
                WHERE q.next_at <= statement_timestamp()
                    AND (q.lease_until IS NULL OR q.lease_until <= statement_timestamp())
                    AND q.kind::text = ANY ($4::text[])
                ORDER BY q.next_at LIMIT $1 FOR UPDATE SKIP LOCKED
            )
            UPDATE payment_poll AS q SET
                attempt_id = CASE WHEN d.own THEN $2 END,
                lease_until = CASE WHEN d.own THEN statement_timestamp() + $3 * interval '1 second' END,
                notified = q.notified AND NOT d.own,
                -- What is of another account stands in nobody's way.
                next_at = CASE WHEN d.own THEN q.next_at ELSE statement_timestamp() + interval '1 hour' END
            FROM d WHERE q.object_id = d.object_id
            RETURNING q.object_id, q.kind, q.flow_id, q.polls, q.failures,
                greatest(0, extract(epoch FROM statement_timestamp() - q.since))::bigint, d.notified,
                (SELECT o.state FROM payment_object AS o WHERE o.object_id = q.object_id),
                extract(epoch FROM statement_timestamp() - q.missing_since)::bigint, d.own
            """,
        parameterTypes: [.int8, .uuid, .int8, .text, .text, .text]
    )

    /// Takes objects that are due, so that nobody else reads them.
    ///
    /// - Parameters:
    ///   - limit: How many at most.
    ///   - attempt: Fresh; to be shown again to `conclude`.
    /// - Returns: Longest due first, more or less; none where nothing is due.
    /// - Throws: `StoreError`.
    package func claim(limit: Int, attempt: UUIDBytes) async throws(StoreError) -> [DuePoll] {
        var parameters = Parameters()
        parameters.append(int64: Int64(limit))
        parameters.append(uuid: attempt)
        parameters.append(seconds: PostgresPollStore.lease)
        parameters.append(knownWords: ObjectKind.self)
        parameters.append(text: account.merchantID)
        parameters.append(text: account.environment)
        while true {
            let rows = try await write(PostgresPollStore.claimStatement, parameters)
            do throws(PostgresError) {
                var polls: [DuePoll] = []
                for row in 0..<rows.rowCount where try rows.bool(row, 9) {
                    polls.append(try PostgresPollStore.poll(rows, row))
                }
                // Each that is of another account was put off.
                if !polls.isEmpty || rows.rowCount < limit { return polls }
            } catch {
                throw StoreError(error)
            }
        }
    }

    private static func poll(_ rows: ResultSet, _ row: Int) throws(PostgresError) -> DuePoll {
        DuePoll(
            try rows.word(row, 1),
            try rows.text(row, 0),
            of: try rows.uuid(row, 2),
            state: try rows.optionalText(row, 7).map { ObjectState(rawValue: $0) },
            history: PollHistory(
                polls: Int(try rows.int64(row, 3)),
                failures: Int(try rows.int64(row, 4)),
                age: .seconds(try rows.int64(row, 5)),
                missing: try rows.optional(row, 8) { (row, column) throws(PostgresError) in
                    .seconds(try rows.int64(row, column))
                }
            ),
            isNotified: try rows.bool(row, 6)
        )
    }

    // A message that came while the object was read asks for another reading, whatever this one brought.
    static let againStatement = Statement(
        name: "poll_again",
        sql: """
            UPDATE payment_poll AS q SET
                lease_until = NULL, attempt_id = NULL, polls = $4, failures = $5, missing_since = NULL,
                next_at = CASE WHEN q.notified THEN statement_timestamp()
                    ELSE statement_timestamp() + $3 * interval '1 second' END
            WHERE q.object_id = $1 AND q.attempt_id = $2
            """,
        parameterTypes: [.text, .uuid, .int8, .int8, .int8]
    )

    static let missingStatement = Statement(
        name: "poll_missing",
        sql: """
            UPDATE payment_poll AS q SET
                lease_until = NULL, attempt_id = NULL, missing_since = coalesce(q.missing_since, statement_timestamp()),
                next_at = CASE WHEN q.notified THEN statement_timestamp()
                    ELSE statement_timestamp() + $3 * interval '1 second' END
            WHERE q.object_id = $1 AND q.attempt_id = $2
            """,
        parameterTypes: [.text, .uuid, .int8]
    )

    // The ledger has moved the row on. Where it has not, the row must not be due at once again.
    static let releaseStatement = Statement(
        name: "poll_release",
        sql: """
            UPDATE payment_poll AS q SET
                lease_until = NULL, attempt_id = NULL,
                next_at = CASE WHEN q.notified THEN q.next_at
                    ELSE greatest(q.next_at, statement_timestamp() + interval '30 seconds') END
            WHERE q.object_id = $1 AND q.attempt_id = $2
            """,
        parameterTypes: [.text, .uuid]
    )

    static let endStatement = Statement(
        name: "poll_end",
        sql: """
            WITH d AS (
                DELETE FROM payment_poll AS q WHERE q.object_id = $1 AND q.attempt_id = $2 AND NOT q.notified
                RETURNING 1 AS gone
            )
            UPDATE payment_poll AS q SET lease_until = NULL, attempt_id = NULL
            WHERE q.object_id = $1 AND q.attempt_id = $2 AND q.notified
            """,
        parameterTypes: [.text, .uuid]
    )

    /// Moves the schedule of an object on; nothing happens where somebody else has taken it since.
    ///
    /// - Parameters:
    ///   - poll: From `claim`.
    ///   - attempt: As it was claimed.
    ///   - step: What became of the reading.
    /// - Throws: `StoreError`; the object is read again when the lease is over.
    package func conclude(
        _ poll: DuePoll,
        attempt: UUIDBytes,
        _ step: PollOutcome.Step
    ) async throws(StoreError) {
        var parameters = Parameters()
        parameters.append(text: poll.id)
        parameters.append(uuid: attempt)
        switch step {
        case .again(let pause, let polls, let failures):
            parameters.append(seconds: pause)
            parameters.append(int64: Int64(polls))
            parameters.append(int64: Int64(failures))
            _ = try await write(PostgresPollStore.againStatement, parameters)
        case .againIfMissing(let pause):
            parameters.append(seconds: pause)
            _ = try await write(PostgresPollStore.missingStatement, parameters)
        case .release: _ = try await write(PostgresPollStore.releaseStatement, parameters)
        case .end: _ = try await write(PostgresPollStore.endStatement, parameters)
        }
    }

    static let expiringStatement = Statement(
        name: "poll_announce_expiring",
        sql: "SELECT payment_announce_expiring($1, $2 * interval '1 second')",
        parameterTypes: [.text, .int8]
    )

    /// Announces to the merchant that an authorised charge is about to pass a limit, once for each limit.
    ///
    /// - Parameter charge: The provider's id.
    /// - Returns: False where nothing is due, or it was announced before.
    /// - Throws: `StoreError`.
    package func announceExpiring(_ charge: String) async throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.append(text: charge)
        parameters.append(seconds: PollSchedule.expiryNotice)
        let rows = try await write(PostgresPollStore.expiringStatement, parameters)
        do throws(PostgresError) {
            return try rows.bool(0, 0)
        } catch {
            throw StoreError(error)
        }
    }

    private func write(
        _ statement: Statement,
        _ parameters: Parameters
    ) async throws(StoreError) -> ResultSet {
        do {
            return try await client.work(statement, parameters)
        } catch {
            throw StoreError(error)
        }
    }
}
