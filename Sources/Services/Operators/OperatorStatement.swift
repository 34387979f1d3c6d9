import Postgres
import Primitives

/// What is sent to the database.
enum OperatorStatement {
    static let all = [
        open.statement, read.statement, note.statement, close.statement, list.statement, end.statement,
        endOthers.statement, prune.statement, audit.statement, auditOf.statement,
    ]

    /// Opens a session: hash of its token, id, name, hash of the key, network of the client.
    static let open = TypedStatement<Void, Digest32, UUIDBytes, String, Digest32, String>(
        name: "operator_session_open",
        sql: """
            INSERT INTO operator_session (session_hash, session_id, name, key_hash, network)
            VALUES ($1, $2, $3, $4, $5)
            """
    )

    /// A session as it is found.
    struct Found: Sendable {
        let id: UUIDBytes
        let name: String
        let key: Digest32
        let notice: String?
    }

    /// Finds a session that has not ended by idle and absolute time, keeps it alive, and takes its notice.
    static let read = TypedStatement<Found, Digest32, Duration, Duration>(
        name: "operator_session_read",
        sql: """
            WITH f AS (
                SELECT o.session_hash, o.notice FROM operator_session AS o
                WHERE o.session_hash = $1 AND o.seen_at > statement_timestamp() - $2 * interval '1 second'
                    AND o.opened_at > statement_timestamp() - $3 * interval '1 second' FOR UPDATE)
            UPDATE operator_session AS s SET seen_at = statement_timestamp(), notice = NULL FROM f
            WHERE s.session_hash = f.session_hash RETURNING s.session_id, s.name, s.key_hash, f.notice
            """
    ) { row in Found(id: try row.next(), name: try row.next(), key: try row.next(), notice: try row.next()) }

    static let note = TypedStatement<Void, Digest32, String>(
        name: "operator_session_note",
        sql: "UPDATE operator_session SET notice = $2 WHERE session_hash = $1"
    )

    static let close = TypedStatement<Void, Digest32>(
        name: "operator_session_close",
        sql: "DELETE FROM operator_session WHERE session_hash = $1"
    )

    /// A session of a person's own list.
    struct Listed: Sendable {
        let id: UUIDBytes
        let opened: WallTime
        let seen: WallTime
        let network: String
    }

    static let list = TypedStatement<Listed, String, Duration, Duration>(
        name: "operator_session_list",
        sql: """
            SELECT s.session_id, s.opened_at, s.seen_at, s.network FROM operator_session AS s
            WHERE s.name = $1 AND s.seen_at > statement_timestamp() - $2 * interval '1 second'
                AND s.opened_at > statement_timestamp() - $3 * interval '1 second'
            ORDER BY s.opened_at DESC LIMIT 100
            """
    ) { row in Listed(id: try row.next(), opened: try row.next(), seen: try row.next(), network: try row.next()) }

    /// Ends a session of a person, by its id.
    static let end = TypedStatement<Void, UUIDBytes, String>(
        name: "operator_session_end",
        sql: "DELETE FROM operator_session WHERE session_id = $1 AND name = $2"
    )

    /// Ends all sessions of a person but one.
    static let endOthers = TypedStatement<Void, String, UUIDBytes>(
        name: "operator_session_end_others",
        sql: "DELETE FROM operator_session WHERE name = $1 AND session_id <> $2"
    )

    /// Forgets a batch of sessions that have ended, by idle and absolute time.
    static let prune = TypedStatement<Void, Duration, Duration>(
        name: "operator_session_prune",
        sql: """
            DELETE FROM operator_session AS s WHERE s.session_hash IN (
                SELECT o.session_hash FROM operator_session AS o
                WHERE o.seen_at < statement_timestamp() - $1 * interval '1 second'
                    OR o.opened_at < statement_timestamp() - $2 * interval '1 second' LIMIT 500)
            """
    )

    /// A row of the record of decisions.
    struct Decision: Sendable {
        let number: Int64
        let at: WallTime
        let ended: WallTime?
        let name: String
        let command: String
        let target: String
        let reason: String?
        /// Why nothing was changed; `nil` where something was.
        let refusal: String?
    }

    private static let decision: @Sendable (inout RowReader) throws -> Decision = { row in
        Decision(
            number: try row.next(),
            at: try row.next(),
            ended: try row.next(),
            name: try row.next(),
            command: try row.next(),
            target: try row.next(),
            reason: try row.next(),
            refusal: try row.next()
        )
    }

    /// The decisions before a number, newest first.
    static let audit = TypedStatement<Decision, Int64, Int>(
        name: "operator_audit",
        sql: """
            SELECT e.event_id, e.at, e.ended_at, e.operator, e.command, e.target, e.reason, e.after ->> 'refused'
            FROM operator_event AS e
            WHERE e.event_id < $1 ORDER BY e.event_id DESC LIMIT $2
            """,
        row: decision
    )

    /// The same of one person.
    static let auditOf = TypedStatement<Decision, String, Int64, Int>(
        name: "operator_audit_of",
        sql: """
            SELECT e.event_id, e.at, e.ended_at, e.operator, e.command, e.target, e.reason, e.after ->> 'refused'
            FROM operator_event AS e
            WHERE e.operator = $1 AND e.event_id < $2 ORDER BY e.event_id DESC LIMIT $3
            """,
        row: decision
    )
}
