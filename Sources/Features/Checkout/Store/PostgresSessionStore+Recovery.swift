import MerchantOrders
import Postgres
package import Primitives
package import SessionBroker

extension PostgresSessionStore {
    // MARK: Recovery

    static let takeUpStatement = TypedStatement<
        LazyRow, Guarded, UUIDBytes, Duration, Duration, KnownWords<ClientKind>
    >(
        name: "webview_session_take_up_purchase",
        sql: """
            WITH l AS MATERIALIZED (
                -- A row that somebody has locked comes later; buyers' statements of the same group do not wait for it.
                SELECT f.webview_session_id FROM webview_session AS f
                WHERE f.webview_session_id = $1 AND f.state = 'purchasing' AND f.lease_until <= statement_timestamp()
                    AND f.client::text = ANY ($7::text[])
                FOR UPDATE SKIP LOCKED
            ), u AS (
                UPDATE webview_session AS f SET
                    outcome = 'recover', events = f.events + 1, attempt_id = $4,
                    lease_until = statement_timestamp() + $5 * interval '1 second'
                WHERE f.webview_session_id = $1 AND EXISTS (SELECT FROM l)
                \(SQLText.returning("f"))
            ), q AS (
                -- A look that a message asked for is none of the schedule's.
                UPDATE webview_session_purchase AS q SET
                    recoveries = q.recoveries + CASE WHEN q.woken THEN 0 ELSE 1 END, woken = false, failures = 0,
                    next_at = statement_timestamp() + $6 * interval '1 second'
                WHERE q.webview_session_id = $1 AND EXISTS (SELECT FROM u)
            ), \(SQLText.audit("'recover'"))
            SELECT \(WebviewSessionColumns.whole("u")) FROM u
            """
    )

    /// Takes the lease of a purchase whose lease is over, for the recovery task; `nil` when it is not.
    ///
    /// Counts one recovery, and lets the purchase be overdue again only after the pause. A row that somebody has locked is not
    /// to be had: nobody's lock is waited for.
    func takeOver(
        _ webviewSession: WebviewSessionID,
        freshAttempt: UUIDBytes,
        pause: Duration,
        by caller: Caller
    ) async throws(StoreError) -> PurchaseAttempt? {
        let call = PostgresSessionStore.takeUpStatement(
            Guarded("recover", webviewSession, caller, marker),
            freshAttempt,
            policy.times.lease,
            pause,
            KnownWords(ClientKind.self)
        )
        let written = try await write(call, as: "recover", of: webviewSession, by: caller)
        guard let cells = try written.rows.single() else { return nil }
        let row = WebviewSessionRow(cells: cells, webviewSession: webviewSession)
        let attempt = try StoreError.decoding { () throws(PostgresError) in try row.attempt() }
        return attempt.id == freshAttempt ? attempt : nil
    }

    /// The row of the webview session is not touched: a lock on it, or a refusal of its update, keeps no other
    /// from being claimed.
    static let claimStatement = TypedStatement<OverduePurchase, Int, Duration, KnownWords<ClientKind>, OrderAccount>(
        name: "webview_session_claim_overdue",
        sql: """
            WITH d AS MATERIALIZED (
                SELECT q.webview_session_id FROM webview_session_purchase AS q, LATERAL (
                    -- OFFSET keeps it one look by key for each of the few, whatever the planner believes of the tables.
                    SELECT f.state, f.lease_until, f.client FROM webview_session AS f
                    WHERE f.webview_session_id = q.webview_session_id OFFSET 0) AS f
                WHERE q.stuck_at IS NULL AND q.next_at <= statement_timestamp()
                    AND f.state = 'purchasing' AND f.lease_until <= statement_timestamp()
                    AND f.client::text = ANY ($3::text[])
                    AND \(RecoverySQL.isOwn("q.webview_session_id", ("$4", "$5")))
                ORDER BY q.next_at, f.lease_until LIMIT $1 FOR UPDATE OF q SKIP LOCKED
            )
            UPDATE webview_session_purchase AS q SET next_at = statement_timestamp() + $2 * interval '1 second'
            FROM d WHERE q.webview_session_id = d.webview_session_id
            RETURNING q.webview_session_id, q.recoveries, \(RecoverySQL.age("q.since")), q.woken
            """
    ) { row in
        OverduePurchase(
            webviewSession: try row.next(),
            recoveries: try row.next(),
            age: try row.next(),
            isWoken: try row.next()
        )
    }

    /// Claims purchases whose lease and pause are over and that were not given up, longest due first: none is claimed again
    /// within half a minute.
    ///
    /// Waits for no lock, and passes over clients that this version does not know.
    package func claimOverdue(limit: Int = 16) async throws(StoreError) -> [OverduePurchase] {
        let call = PostgresSessionStore.claimStatement(
            limit,
            RecoverySQL.pause,
            KnownWords(ClientKind.self),
            account
        )
        return try await client.write(call, key: RecoverySQL.last).all()
    }

    static let postponeStatement = TypedStatement<Void, WebviewSessionID, Duration>(
        name: "webview_session_postpone",
        sql: """
            UPDATE webview_session_purchase AS q SET failures = q.failures + 1, next_at = \(RecoverySQL.backOff("q.failures", "$2"))
            WHERE q.webview_session_id = (
                SELECT l.webview_session_id FROM webview_session_purchase AS l WHERE l.webview_session_id = $1 AND l.stuck_at IS NULL
                FOR UPDATE SKIP LOCKED)
            """
    )

    /// Puts a purchase off that could not be taken up.
    package func postpone(_ webviewSession: WebviewSessionID) async throws(StoreError) {
        let call = PostgresSessionStore.postponeStatement(webviewSession, RecoverySQL.pause)
        _ = try await client.write(call, key: RecoverySQL.last, isLastStep: true)
    }

    static let putBackStatement = TypedStatement<Void, Guarded, UUIDBytes, Int, Bool, Duration>(
        name: "webview_session_put_back",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET outcome = 'lapsed', events = f.events + 1, lease_until = statement_timestamp()
                WHERE f.webview_session_id = $1 AND f.attempt_id = $4 AND f.state = 'purchasing'
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), q AS (
                UPDATE webview_session_purchase AS q SET
                    recoveries = $5, woken = q.woken OR $6, next_at = statement_timestamp() + $7 * interval '1 second'
                WHERE q.webview_session_id = $1 AND q.stuck_at IS NULL AND EXISTS (SELECT FROM u)
            ), \(SQLText.audit("'lapse'", reason: "'held_back'"))
            SELECT u.outcome, u.state FROM u
            """
    )

    /// Lets a purchase be as it was before it was taken over, and overdue again in a moment: the provider was not asked.
    ///
    /// Does nothing for another attempt id; says whether it did.
    func putBack(
        _ purchase: OverduePurchase,
        attempt: UUIDBytes,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let call = PostgresSessionStore.putBackStatement(
            Guarded("lapse", purchase.webviewSession, caller, marker),
            attempt,
            purchase.recoveries,
            purchase.isWoken,
            PollSchedule.heldBack
        )
        return try await applies(call, "lapse", purchase.webviewSession, caller)
    }

    // MARK: The end of recovery

    /// What was noted before an operator took the purchase in hand again does not count.
    static let missingStatement = TypedStatement<Bool, WebviewSessionID, UUIDBytes>(
        name: "webview_session_note_missing",
        sql: """
            UPDATE webview_session_purchase AS q SET
                missing_since = CASE WHEN q.missing_since >= q.since THEN q.missing_since ELSE statement_timestamp() END
            WHERE q.webview_session_id = $1
                AND EXISTS (SELECT FROM webview_session AS f
                WHERE f.webview_session_id = $1 AND f.attempt_id = $2 AND f.state = 'purchasing')
            RETURNING q.missing_since <= statement_timestamp() - interval '1 hour'
            """
    )

    /// Notes that the provider denies the session of a purchase; says whether it has for an hour, which is no for a lost lease.
    func noteMissing(_ attempt: PurchaseAttempt) async throws(StoreError) -> Bool {
        let call = PostgresSessionStore.missingStatement(attempt.webviewSession, attempt.id)
        return try await client.write(call, key: attempt.webviewSession, isLastStep: true).single() ?? false
    }

    static let giveUpStatement = TypedStatement<Void, Guarded, UUIDBytes, String>(
        name: "webview_session_give_up",
        sql: """
            WITH u AS (
                UPDATE webview_session AS f SET outcome = 'stuck', events = f.events + 1
                WHERE f.webview_session_id = $1 AND f.attempt_id = $4 AND f.state = 'purchasing'
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), q AS (
                UPDATE webview_session_purchase AS q SET stuck_at = coalesce(q.stuck_at, statement_timestamp()), reason = $5
                WHERE q.webview_session_id = $1 AND EXISTS (SELECT FROM u)
            ), \(SQLText.audit("'give_up'", reason: "$5"))
            SELECT u.outcome, u.state FROM u
            """
    )

    /// Lets a purchase never be overdue again.
    ///
    /// Does nothing for another attempt id; says whether it did.
    func giveUp(
        _ webviewSession: WebviewSessionID,
        attempt: UUIDBytes,
        reason: String,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let call = PostgresSessionStore.giveUpStatement(
            Guarded("give_up", webviewSession, caller, marker),
            attempt,
            reason
        )
        return try await applies(call, "give_up", webviewSession, caller)
    }

    static let resumeStatement = TypedStatement<Void, Guarded, String>(
        name: "webview_session_resume",
        sql: """
            WITH l AS MATERIALIZED (
                -- The webview session before its purchase, as everybody locks them.
                SELECT f.webview_session_id FROM webview_session AS f WHERE f.webview_session_id = $1 AND f.state = 'purchasing' FOR UPDATE
            ), q AS (
                UPDATE webview_session_purchase AS q SET
                    stuck_at = NULL, reason = NULL, recoveries = 0, since = statement_timestamp(), next_at = statement_timestamp()
                FROM l WHERE q.webview_session_id = l.webview_session_id AND q.stuck_at IS NOT NULL
                RETURNING q.webview_session_id
            ), u AS (
                UPDATE webview_session AS f SET outcome = 'resumed', events = f.events + 1
                WHERE f.webview_session_id = $1 AND f.state = 'purchasing' AND EXISTS (SELECT FROM q)
                RETURNING f.webview_session_id, f.events, f.outcome, f.state
            ), \(SQLText.audit("'resume'", reason: "$4"))
            SELECT u.outcome, u.state FROM u
            """
    )

    /// Lets a purchase that was given up be overdue again, as if it had begun now; says whether it did.
    func resume(
        _ webviewSession: WebviewSessionID,
        reason: String,
        by caller: Caller
    ) async throws(StoreError) -> Bool {
        let call = PostgresSessionStore.resumeStatement(Guarded("resume", webviewSession, caller, marker), reason)
        return try await applies(call, "resume", webviewSession, caller)
    }

    static let stuckStatement = TypedStatement<StuckPurchase, Int>(
        name: "webview_session_given_up",
        sql: """
            SELECT q.webview_session_id, q.since, q.stuck_at, q.recoveries, f.order_ref, f.total, q.reason
            FROM webview_session_purchase AS q, LATERAL (
                SELECT f.order_ref, f.total FROM webview_session AS f
                WHERE f.webview_session_id = q.webview_session_id OFFSET 0) AS f
            WHERE q.stuck_at IS NOT NULL
            ORDER BY q.stuck_at LIMIT $1
            """
    ) { row in try stuck(&row) }

    /// The purchases that were given up, oldest first.
    package func stuckPurchases(limit: Int = 1_000) async throws(StoreError) -> [StuckPurchase] {
        try await client.read(PostgresSessionStore.stuckStatement(limit)).all()
    }

    /// A session can be read for 30 days, and one that is unknown or completed with another amount says the same every day.
    static let claimStuckStatement = TypedStatement<StuckPurchase, Int, OrderAccount>(
        name: "webview_session_claim_stuck",
        sql: """
            WITH d AS MATERIALIZED (
                SELECT q.webview_session_id, f.order_ref, f.total FROM webview_session_purchase AS q, LATERAL (
                    SELECT f.order_ref, f.total FROM webview_session AS f
                    WHERE f.webview_session_id = q.webview_session_id OFFSET 0) AS f
                WHERE q.stuck_at <= statement_timestamp() - interval '1 day'
                    AND q.stuck_at > statement_timestamp() - interval '30 days'
                    AND q.next_at <= statement_timestamp() AND coalesce(q.reason, 'time') = 'time'
                    AND \(RecoverySQL.isOwn("q.webview_session_id", ("$2", "$3")))
                ORDER BY q.next_at LIMIT $1 FOR UPDATE OF q SKIP LOCKED
            )
            UPDATE webview_session_purchase AS q SET next_at = statement_timestamp() + interval '1 day'
            FROM d WHERE q.webview_session_id = d.webview_session_id
            RETURNING q.webview_session_id, q.since, q.stuck_at, q.recoveries, d.order_ref, d.total, q.reason
            """
    ) { row in try stuck(&row) }

    /// Claims purchases that were given up for want of an answer and whose session can still be read: each once a day.
    ///
    /// Waits for no lock.
    package func claimStuck(limit: Int) async throws(StoreError) -> [StuckPurchase] {
        let call = PostgresSessionStore.claimStuckStatement(limit, account)
        return try await client.write(call, key: RecoverySQL.last).all()
    }

    static let putBackStuckStatement = TypedStatement<Void, WebviewSessionID, Duration>(
        name: "webview_session_put_back_stuck",
        sql: """
            UPDATE webview_session_purchase AS q SET next_at = statement_timestamp() + $2 * interval '1 second'
            WHERE q.webview_session_id = $1 AND q.stuck_at IS NOT NULL
            """
    )

    /// Lets a purchase that was given up be claimed again in a moment: its session was not read.
    package func putBackStuck(_ webviewSession: WebviewSessionID) async throws(StoreError) {
        let call = PostgresSessionStore.putBackStuckStatement(webviewSession, PollSchedule.heldBack)
        _ = try await client.write(call, key: webviewSession, isLastStep: true)
    }

    private static func stuck(_ row: inout RowReader) throws(PostgresError) -> StuckPurchase {
        StuckPurchase(
            webviewSession: try row.next(),
            since: try row.next(),
            stuckAt: try row.next(),
            recoveries: try row.next(),
            orderReference: try row.next(),
            total: try row.next(),
            reason: try row.next()
        )
    }
}
