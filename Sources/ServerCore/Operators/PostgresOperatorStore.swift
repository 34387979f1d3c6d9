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
    ///
    /// - Parameter client: Started by the caller.
    package init(client: PostgresClient) {
        self.client = client
    }

    static let beginStatement = TypedStatement<Int64, String, String, String, String?>(
        name: "operator_begin",
        sql: "SELECT operator_begin($1, $2, $3, $4::json)"
    )

    /// Writes a decision down that is about to be carried out.
    ///
    /// - Parameters:
    ///   - name: Who made it.
    ///   - command: The command.
    ///   - target: The id of what it is about.
    ///   - before: As it was found, as JSON.
    /// - Returns: Names it to `end`.
    /// - Throws: `StoreError`.
    package func begin(
        _ name: String,
        _ command: String,
        _ target: String,
        before: String?
    ) async throws(StoreError) -> Int64 {
        try await client.work(PostgresOperatorStore.beginStatement(name, command, target, before)).first()
    }

    static let endStatement = TypedStatement<Void, Int64, String>(
        name: "operator_end",
        sql: "SELECT 1 FROM operator_end($1, $2::json)"
    )

    /// Completes a decision that was carried out.
    ///
    /// - Parameters:
    ///   - event: Of `begin`.
    ///   - after: What it came to, as JSON.
    /// - Throws: `StoreError`.
    package func end(_ event: Int64, after: String) async throws(StoreError) {
        _ = try await client.work(PostgresOperatorStore.endStatement(event, after))
    }

    static let listStatement = TypedStatement<Event, WallTime, Int>(
        name: "operator_list",
        sql: """
            SELECT e.at, e.ended_at, e.operator, e.command, e.target, e.before, e.after FROM operator_event AS e
            WHERE e.at >= $1 ORDER BY e.at DESC LIMIT $2
            """
    ) { row in
        Event(
            at: try row.next(),
            ended: try row.next(),
            operatorName: try row.next(),
            command: try row.next(),
            target: try row.next(),
            before: try row.next(StoredJSON?.self)?.utf8,
            after: try row.next(StoredJSON?.self)?.utf8
        )
    }

    /// The decisions since a time, newest first.
    ///
    /// - Parameters:
    ///   - since: How far to look back.
    ///   - limit: How many at most.
    /// - Throws: `StoreError`.
    package func list(since: WallTime, limit: Int) async throws(StoreError) -> [Event] {
        try await client.read(PostgresOperatorStore.listStatement(since, limit)).all()
    }

    static let pruneStatement = TypedStatement<Int, Duration>(
        name: "operator_prune",
        sql: "SELECT operator_prune($1 * interval '1 second')::bigint"
    )

    /// Forgets decisions that are past the retention of orders, `pruneLimit` at most; never those of the last 400 days.
    ///
    /// - Parameter keep: For how long orders are kept.
    /// - Returns: How many; as many as that means that there may be more.
    /// - Throws: `StoreError`.
    package func prune(keep: Duration) async throws(StoreError) -> Int {
        try await client.work(PostgresOperatorStore.pruneStatement(keep)).first()
    }
}
