import Postgres
import Primitives

/// What the sender of pushes asks the database.
enum PushStatement {
    static let all = [
        next.statement, claim.statement, settle.statement, drop.statement, backlog.statement, prune.statement,
    ]

    /// Milliseconds until something of a type is due, zero where it is already; no row where nothing waits.
    static let next = TypedStatement<Int, String>(
        name: "wallet_push_next",
        sql: """
            SELECT greatest(0, ceil(extract(epoch FROM j.due_at - statement_timestamp()) * 1000))::bigint
            FROM wallet_push_job AS j WHERE j.pass_type = $1 ORDER BY j.due_at LIMIT 1
            """
    )

    /// Takes the oldest due jobs of a type, $3 at most, for $4 seconds; what is locked is passed over.
    ///
    /// Drops those that are over, whose phone is gone, or that are older than the question that phones ask by themselves. The rows are
    /// found by their places: the table is empty most of the time, and what PostgreSQL then knows of it would have it look through all
    /// that is due for each row.
    static let claim = TypedStatement<PushJob, String, UUIDBytes, Int, Duration>(
        name: "wallet_push_claim",
        sql: """
            WITH due AS (
                SELECT j.ctid AS place FROM wallet_push_job AS j
                WHERE j.pass_type = $1 AND j.due_at <= statement_timestamp()
                ORDER BY j.due_at LIMIT $3 FOR UPDATE SKIP LOCKED
            ), live AS (
                UPDATE wallet_push_job AS j SET claim_id = $2, is_again = false,
                    due_at = statement_timestamp() + $4 * interval '1 second'
                FROM wallet_device AS d
                WHERE j.ctid = ANY (ARRAY(SELECT due.place FROM due)) AND d.device = j.device AND d.pass_type = j.pass_type
                    AND NOT j.is_sent AND j.since > statement_timestamp() - interval '48 hours'
                RETURNING j.device, d.push_token, d.token_at, j.attempts, j.since, d.accepted_at IS NOT NULL AS was_accepted
            ), over AS (
                DELETE FROM wallet_push_job AS j
                WHERE j.ctid = ANY (ARRAY(SELECT due.place FROM due)) AND NOT EXISTS (
                    SELECT FROM live AS l WHERE l.device = j.device)
            )
            SELECT $2::uuid, $1::text, l.device, l.push_token, l.token_at, l.attempts::bigint, l.since, l.was_accepted
            FROM live AS l
            """
    ) { row in
        PushJob(
            claim: try row.next(),
            passType: try row.next(),
            device: try row.next(),
            token: try row.next(),
            tokenStored: try row.next(),
            attempts: try row.next(),
            since: try row.next(),
            wasAccepted: try row.next()
        )
    }

    /// Writes down what became of pushes, given as JSON; returns the places of those whose rows somebody else has locked.
    ///
    /// One whose claim is another's is passed over.
    static let settle = TypedStatement<Int, String>(
        name: "wallet_push_settle",
        sql: "SELECT wallet_push_settle($1::json)"
    )

    /// Takes a phone away whose token is dead; false where it has another token since.
    static let drop = TypedStatement<Bool, String, String, UUIDBytes, WallTime, Int>(
        name: "wallet_push_drop",
        sql: "SELECT wallet_push_drop($1, $2, $3, $4, $5 * interval '1 millisecond')"
    )

    /// Deletes what has been due for longer than a change is sent, as nobody sends for its type any more.
    ///
    /// Of each type $1 at most; gives how many.
    static let prune = TypedStatement<Int, Int>(
        name: "wallet_push_prune",
        sql: """
            WITH over AS (
                DELETE FROM wallet_push_job AS j USING (
                    SELECT w.device, w.pass_type FROM (SELECT DISTINCT m.pass_type FROM wallet_template AS m) AS t
                    CROSS JOIN LATERAL (
                        SELECT o.device, o.pass_type FROM wallet_push_job AS o
                        WHERE o.pass_type = t.pass_type AND o.due_at < statement_timestamp() - interval '48 hours'
                            AND o.since < statement_timestamp() - interval '48 hours'
                        ORDER BY o.due_at LIMIT $1 FOR UPDATE SKIP LOCKED
                    ) AS w) AS old
                WHERE j.device = old.device AND j.pass_type = old.pass_type
                RETURNING j.device
            )
            SELECT count(*) FROM over
            """
    )

    /// How many jobs of a type wait, 10,000 at most, and for how many seconds the oldest one has been due.
    static let backlog = TypedStatement<PushBacklog, String>(
        name: "wallet_push_backlog",
        sql: """
            SELECT count(*), greatest(0, coalesce(extract(epoch FROM statement_timestamp() - min(w.due_at)), 0))::bigint
            FROM (SELECT j.due_at FROM wallet_push_job AS j WHERE j.pass_type = $1 AND NOT j.is_sent
                ORDER BY j.due_at LIMIT 10000) AS w
            """
    ) { row in PushBacklog(count: try row.next(), lag: try row.next()) }
}

/// A phone that is to be woken for the passes of a type.
struct PushJob: Sendable {
    let claim: UUIDBytes
    let passType: String
    let device: String
    /// Hexadecimal, lower case.
    let token: String
    let tokenStored: WallTime
    /// Answers so far that asked for patience.
    let attempts: Int
    /// Of the change that has waited longest.
    let since: WallTime
    /// Whether a push to this token was accepted before.
    let wasAccepted: Bool
}

/// What waits to be sent.
struct PushBacklog: Sendable {
    let count: Int
    let lag: Duration
}
