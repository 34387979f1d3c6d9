package import Postgres
package import Primitives

/// Keeps in PostgreSQL what operators decide, by whom.
///
/// The service role adds through functions of the schema alone. One per loop, not `Sendable`.
package final class PostgresOperatorStore {
    /// A decision, as it was written down.
    package struct Event: Sendable, Hashable {
        /// When it was made.
        package let at: WallTime
        /// When it had been carried out; `nil` where it was cut off: it may have been carried out or not.
        package let ended: WallTime?
        /// Who made it.
        package let operatorName: String
        /// The command, for example `stuck --decline`.
        package let command: String
        /// The id of what it is about.
        package let target: String
        /// Why; `nil` where nobody has said so.
        package let reason: String?
        /// As it was found, as JSON.
        package let before: [UInt8]?
        /// What it came to, as JSON.
        package let after: [UInt8]?
    }

    /// Every statement that it sends.
    package static let statements: [Statement] = [
        beginStatement.statement, endStatement.statement, listStatement.statement, pruneStatement.statement,
    ]

    private let client: PostgresClient

    /// How many decisions one `prune` forgets at most.
    package static let pruneLimit = 1_000

    /// A store on a client of the same loop.
    package init(client: PostgresClient) {
        self.client = client
    }

    /// A decision that is being carried out: its number, and the secret that completes it.
    package struct Opened: Sendable {
        fileprivate let event: Int64
        fileprivate let secret: UUIDBytes
    }

    static let beginStatement = TypedStatement<Opened, String, String, String, String?, String?>(
        name: "operator_begin",
        sql: "SELECT b.event, b.secret FROM operator_begin($1, $2, $3, $4, $5::json) AS b"
    ) { row in Opened(event: try row.next(), secret: try row.next()) }

    /// Writes a decision down that is about to be carried out.
    ///
    /// - Parameters:
    ///   - target: The id of what it is about.
    ///   - before: As it was found, as JSON.
    /// - Returns: What `end` needs; nobody else can complete the decision.
    /// - Throws: `StoreError`.
    package func begin(
        _ name: String,
        _ command: String,
        _ target: String,
        reason: String? = nil,
        before: String?
    ) async throws(StoreError) -> Opened {
        try await client.work(PostgresOperatorStore.beginStatement(name, command, target, reason, before)).first()
    }

    static let endStatement = TypedStatement<Bool, Int64, String, UUIDBytes>(
        name: "operator_end",
        sql: "SELECT operator_end($1, $2::json, $3)"
    )

    /// Completes a decision that was carried out.
    ///
    /// - Parameters:
    ///   - opened: Of `begin`.
    ///   - after: What it came to, as JSON.
    /// - Throws: `StoreError`; `fault` where it is not open any more.
    package func end(_ opened: Opened, after: String) async throws(StoreError) {
        let call = PostgresOperatorStore.endStatement(opened.event, after, opened.secret)
        guard try await client.work(call).first() else {
            throw StoreError(
                .fault,
                "decision \(opened.event) was carried out, but somebody else has completed its record"
            )
        }
    }

    static let listStatement = TypedStatement<Event, WallTime, Int>(
        name: "operator_list",
        sql: """
            SELECT e.at, e.ended_at, e.operator, e.command, e.target, e.reason, e.before, e.after FROM operator_event AS e
            WHERE e.at >= $1 ORDER BY e.at DESC LIMIT $2
            """
    ) { row in
        Event(
            at: try row.next(),
            ended: try row.next(),
            operatorName: try row.next(),
            command: try row.next(),
            target: try row.next(),
            reason: try row.next(),
            before: try row.next(StoredJSON?.self)?.utf8,
            after: try row.next(StoredJSON?.self)?.utf8
        )
    }

    /// The decisions since a time, newest first.
    ///
    /// - Parameters:
    ///   - limit: How many at most.
    /// - Throws: `StoreError`.
    package func list(since: WallTime, limit: Int) async throws(StoreError) -> [Event] {
        try await client.read(PostgresOperatorStore.listStatement(since, limit)).all()
    }

    static let pruneStatement = TypedStatement<Int, Duration>(
        name: "operator_prune",
        sql: "SELECT operator_prune($1 * interval '1 second')::bigint"
    )

    /// Forgets decisions that are older, `pruneLimit` at most; never those of the last 400 days.
    ///
    /// - Returns: How many; as many as that means that there may be more.
    /// - Throws: `StoreError`.
    package func prune(keep: Duration) async throws(StoreError) -> Int {
        try await client.work(PostgresOperatorStore.pruneStatement(keep)).first()
    }
}
