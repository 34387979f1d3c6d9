package import Postgres
import Primitives

/// Makes partitions ahead of time and drops those past retention.
///
/// Making and dropping are calls of their own, hence transactions of their own: whatever hinders a drop never hinders making.
/// All run on the connection for upkeep. One per loop, not `Sendable`.
package final class PostgresPartitionStore {
    /// Every statement that it sends.
    package static let statements: [Statement] = [
        makeStatement.statement, marginStatement.statement, dropStatement.statement,
    ]

    /// Partitions made by one call.
    package struct Made: Sendable, Equatable {
        /// How many were made.
        package let count: Int
        /// How many are due and could not be made.
        package let failed: Int
        /// Why the first of those could not.
        package let problem: String?
    }

    /// Partitions dropped by a call, or by several.
    package struct Dropped: Sendable, Equatable {
        /// How many were dropped.
        package var count = 0
        /// How many past retention are left.
        package var overdue = 0
        /// Why the first that could not be dropped was not; `nil` also where somebody reads its table.
        package var problem: String?

        /// What was dropped.
        package init(count: Int = 0, overdue: Int = 0, problem: String? = nil) {
            self.count = count
            self.overdue = overdue
            self.problem = problem
        }

        /// Whether another call may find something to do.
        package var hasMore: Bool { count > 0 }

        /// Adds a later call, which knows better what is left.
        package static func += (all: inout Dropped, step: Dropped) {
            all = Dropped(count: all.count + step.count, overdue: step.overdue, problem: step.problem)
        }
    }

    /// For how long inserts find a partition, in the table where that ends first.
    package struct Margin: Sendable, Equatable {
        /// The table.
        package let table: String
        /// Whole days from now on.
        package let days: Int
        /// Whether an insert would fail now.
        package let isMissing: Bool

        /// A margin.
        package init(table: String, days: Int, isMissing: Bool) {
            self.table = table
            self.days = days
            self.isMissing = isMissing
        }
    }

    private let client: PostgresClient

    /// A store on a client of the same loop.
    package init(client: PostgresClient) {
        self.client = client
    }

    static let makeStatement = TypedStatement<Made>(
        name: "partition_make",
        sql: "SELECT made, failed, problem FROM partition_make_due()"
    ) { row in Made(count: try row.next(), failed: try row.next(), problem: try row.next()) }

    /// Makes the partitions that are due, each by itself.
    package func make() async throws(PostgresError) -> Made {
        try await row(of: PostgresPartitionStore.makeStatement())
    }

    static let marginStatement = TypedStatement<Margin>(
        name: "partition_days_left",
        sql: "SELECT relation, days, is_missing FROM partition_days_left()"
    ) { row in Margin(table: try row.next(), days: try row.next(), isMissing: try row.next()) }

    /// For how long inserts find a partition.
    package func margin() async throws(PostgresError) -> Margin {
        try await row(of: PostgresPartitionStore.marginStatement())
    }

    static let dropStatement = TypedStatement<Dropped, String>(
        name: "partition_drop_expired",
        sql: """
            SELECT d.dropped, d.overdue, d.problem FROM (
                SELECT array_agg(e.pair ->> 0 ORDER BY e.place) AS tables,
                    array_agg((e.pair ->> 1)::bigint * interval '1 second' ORDER BY e.place) AS keeps
                FROM json_array_elements($1::json) WITH ORDINALITY AS e (pair, place)) AS a, partition_drop_expired(a.tables, a.keeps) AS d
            """
    ) { row in Dropped(count: try row.next(), overdue: try row.next(), problem: try row.next()) }

    /// Drops one partition past retention, so that no lock is held while another is waited for.
    package func drop(_ retention: Retention) async throws(PostgresError) -> Dropped {
        try await row(of: PostgresPartitionStore.dropStatement(retention.json))
    }

    /// The row of a call; upkeep logs what the database said, so its failure stays as it is.
    private func row<Row>(of call: StatementCall<Row>) async throws(PostgresError) -> Row {
        try call.rows(try await client.work(call.statement, call.parameters)).decoded(0)
    }
}
