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
        claimStatement.statement,
        againStatement.statement,
        missingStatement.statement,
        putBackStatement.statement,
        expiringStatement.statement,
        releaseStatement.statement,
        endStatement.statement,
    ]

    private let client: PostgresClient
    private let account: OrderAccount

    /// How long a reading may take before somebody else makes it.
    private static let lease = Duration.seconds(120)

    /// A store on a client of the same loop.
    package init(client: PostgresClient, account: OrderAccount = .none) {
        self.client = client
        self.account = account
    }

    static let claimStatement = TypedStatement<
        DuePoll?, Int, UUIDBytes, Duration, KnownWords<ObjectKind>, OrderAccount
    >(
        name: "poll_claim",
        sql: """
            WITH d AS MATERIALIZED (
                SELECT q.object_id, q.notified, \(RecoverySQL.isOwn("q.webview_session_id", ("$5", "$6"))) AS own
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
            RETURNING q.object_id, q.kind, q.webview_session_id, q.polls, q.failures,
                greatest(0, \(RecoverySQL.age("q.since"))), d.notified,
                (SELECT o.state FROM payment_object AS o WHERE o.object_id = q.object_id),
                CASE WHEN q.missing_since IS NOT NULL THEN \(RecoverySQL.age("q.missing_since")) END, d.own, q.namings,
                CASE WHEN q.namings IS NOT NULL THEN (
                    SELECT o.reference FROM merchant_order AS o WHERE o.webview_session_id = q.webview_session_id) END
            """
    ) { row in
        let (id, kind, order) = (try row.next(String.self), try row.next(ObjectKind.self), try row.next(UUIDBytes.self))
        let (polls, failures, age) = (try row.next(Int.self), try row.next(Int.self), try row.next(Duration.self))
        let (isNotified, state) = (try row.next(Bool.self), try row.next(String?.self))
        let (missing, isOwn) = (try row.next(Duration?.self), try row.next(Bool.self))
        let (namings, reference) = (try row.next(Int?.self), try row.next(String?.self))
        guard isOwn else { return nil }
        var naming: DueNaming?
        if kind == .permission, let namings, let reference { naming = DueNaming(reference: reference, tries: namings) }
        return DuePoll(
            kind,
            id,
            of: order,
            state: state.map { ObjectState(rawValue: $0) },
            history: PollHistory(polls: polls, failures: failures, age: age, missing: missing),
            isNotified: isNotified,
            naming: naming
        )
    }

    /// Takes objects that are due, so that nobody else reads them.
    ///
    /// - Parameters:
    ///   - limit: How many at most.
    ///   - attempt: Fresh; to be shown again to `conclude`.
    /// - Returns: Longest due first, more or less; none where nothing is due.
    /// - Throws: `StoreError`.
    package func claim(limit: Int, attempt: UUIDBytes) async throws(StoreError) -> [DuePoll] {
        let call = PostgresPollStore.claimStatement(
            limit,
            attempt,
            PostgresPollStore.lease,
            KnownWords(ObjectKind.self),
            account
        )
        while true {
            let rows = try await client.work(call)
            let polls = try rows.all().compactMap(\.self)
            // Each that is of another account was put off.
            if !polls.isEmpty || rows.count < limit { return polls }
        }
    }

    // A message that came while the object was read asks for another reading, whatever this one brought.
    static let againStatement = TypedStatement<Void, String, UUIDBytes, Duration, Int, Int, Int?>(
        name: "poll_again",
        sql: """
            UPDATE payment_poll AS q SET
                lease_until = NULL, attempt_id = NULL, polls = $4, failures = $5, namings = $6, missing_since = NULL,
                next_at = CASE WHEN q.notified THEN statement_timestamp()
                    ELSE statement_timestamp() + $3 * interval '1 second' END
            WHERE q.object_id = $1 AND q.attempt_id = $2
            """
    )

    static let missingStatement = TypedStatement<Void, String, UUIDBytes, Duration>(
        name: "poll_missing",
        sql: """
            UPDATE payment_poll AS q SET
                lease_until = NULL, attempt_id = NULL, missing_since = coalesce(q.missing_since, statement_timestamp()),
                next_at = CASE WHEN q.notified THEN statement_timestamp()
                    ELSE statement_timestamp() + $3 * interval '1 second' END
            WHERE q.object_id = $1 AND q.attempt_id = $2
            """
    )

    // A message that asked for the reading asks still.
    static let putBackStatement = TypedStatement<Void, String, UUIDBytes, Duration, Bool>(
        name: "poll_put_back",
        sql: """
            UPDATE payment_poll AS q SET
                lease_until = NULL, attempt_id = NULL, notified = q.notified OR $4,
                next_at = statement_timestamp() + $3 * interval '1 second'
            WHERE q.object_id = $1 AND q.attempt_id = $2
            """
    )

    // The ledger has moved the row on. Where it has not, the row must not be due at once again.
    static let releaseStatement = TypedStatement<Void, String, UUIDBytes>(
        name: "poll_release",
        sql: """
            UPDATE payment_poll AS q SET
                lease_until = NULL, attempt_id = NULL,
                next_at = CASE WHEN q.notified THEN q.next_at
                    ELSE greatest(q.next_at, statement_timestamp() + interval '30 seconds') END
            WHERE q.object_id = $1 AND q.attempt_id = $2
            """
    )

    static let endStatement = TypedStatement<Void, String, UUIDBytes>(
        name: "poll_end",
        sql: """
            WITH d AS (
                DELETE FROM payment_poll AS q WHERE q.object_id = $1 AND q.attempt_id = $2 AND NOT q.notified
                RETURNING 1 AS gone
            )
            UPDATE payment_poll AS q SET lease_until = NULL, attempt_id = NULL
            WHERE q.object_id = $1 AND q.attempt_id = $2 AND q.notified
            """
    )

    /// Moves the schedule of an object on; nothing happens where somebody else has taken it since.
    ///
    /// - Parameters:
    ///   - poll: From `claim`.
    /// - Throws: `StoreError`; the object is read again when the lease is over.
    package func conclude(
        _ poll: DuePoll,
        attempt: UUIDBytes,
        _ step: PollOutcome.Step
    ) async throws(StoreError) {
        let call =
            switch step {
            case .again(let pause, let polls, let failures, let namings):
                PostgresPollStore.againStatement(poll.id, attempt, pause, polls, failures, namings)
            case .againIfMissing(let pause): PostgresPollStore.missingStatement(poll.id, attempt, pause)
            case .putBack:
                PostgresPollStore.putBackStatement(poll.id, attempt, PollSchedule.heldBack, poll.isNotified)
            case .release: PostgresPollStore.releaseStatement(poll.id, attempt)
            case .end: PostgresPollStore.endStatement(poll.id, attempt)
            }
        _ = try await client.work(call)
    }

    static let expiringStatement = TypedStatement<Bool, String, Duration>(
        name: "poll_announce_expiring",
        sql: "SELECT payment_announce_expiring($1, $2 * interval '1 second')"
    )

    /// Announces to the merchant that an authorised charge is about to pass a limit, once for each limit.
    ///
    /// - Returns: False where nothing is due, or it was announced before.
    /// - Throws: `StoreError`.
    package func announceExpiring(_ charge: String) async throws(StoreError) -> Bool {
        try await client.work(PostgresPollStore.expiringStatement(charge, PollSchedule.expiryNotice)).first()
    }
}
