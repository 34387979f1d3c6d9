package import Postgres
import Primitives

/// Makes partitions ahead of time and drops those past retention.
///
/// Making and dropping are calls of their own, hence transactions of their own: whatever hinders a drop never hinders making.
/// All run on the connection for upkeep. One per loop, not `Sendable`.
package final class PostgresPartitionStore {
    /// Every statement that it sends.
    static let statements: [Statement] = [
        makeStatement,
        marginStatement,
        dropWebviewSessionsStatement,
        dropOrdersStatement,
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
        /// Rows of the ledger that were deleted because their orders are gone.
        package var deleted = 0
        /// Why the first that could not be dropped was not; `nil` also where somebody reads its table.
        package var problem: String?

        /// What was dropped.
        package init(count: Int = 0, overdue: Int = 0, deleted: Int = 0, problem: String? = nil) {
            self.count = count
            self.overdue = overdue
            self.deleted = deleted
            self.problem = problem
        }

        /// Whether another call may find something to do.
        package var hasMore: Bool { count + deleted > 0 }

        /// Adds a later call, which knows better what is left.
        package static func += (all: inout Dropped, step: Dropped) {
            all = Dropped(
                count: all.count + step.count,
                overdue: step.overdue,
                deleted: all.deleted + step.deleted,
                problem: step.problem
            )
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

    static let makeStatement = Statement(
        name: "partition_make",
        sql: "SELECT made, failed, problem FROM partition_make_due()"
    )

    /// Makes the partitions that are due, each by itself.
    package func make() async throws(PostgresError) -> Made {
        let rows = try await client.work(PostgresPartitionStore.makeStatement)
        return Made(
            count: Int(try rows.int64(0, 0)),
            failed: Int(try rows.int64(0, 1)),
            problem: try rows.optionalText(0, 2)
        )
    }

    static let marginStatement = Statement(
        name: "partition_days_left",
        sql: "SELECT relation, days, is_missing FROM partition_days_left()"
    )

    /// For how long inserts find a partition.
    package func margin() async throws(PostgresError) -> Margin {
        let rows = try await client.work(PostgresPartitionStore.marginStatement)
        return Margin(table: try rows.text(0, 0), days: Int(try rows.int64(0, 1)), isMissing: try rows.bool(0, 2))
    }

    static let dropWebviewSessionsStatement = Statement(
        name: "flow_drop_expired",
        sql: """
            SELECT dropped, overdue, 0, problem
            FROM flow_drop_expired($1 * interval '1 second', $2 * interval '1 second')
            """,
        parameterTypes: [.int8, .int8]
    )

    /// Drops one partition of webview sessions, trail or sealed data past retention, so that no lock is held while another is
    /// waited for.
    ///
    /// - Parameters:
    ///   - keep: For webview sessions and trail, counted from the end of their month; at least 30 and 90 days are kept.
    ///   - keepPrivate: For sealed data, counted from the end of their day; at least a day.
    package func dropWebviewSessions(keep: Duration, keepPrivate: Duration) async throws(PostgresError) -> Dropped {
        var parameters = Parameters()
        parameters.append(seconds: keep)
        parameters.append(seconds: keepPrivate)
        return try await drop(PostgresPartitionStore.dropWebviewSessionsStatement, parameters)
    }

    static let dropOrdersStatement = Statement(
        name: "merchant_drop_expired",
        sql: "SELECT dropped, overdue, deleted, problem FROM merchant_drop_expired($1 * interval '1 second')",
        parameterTypes: [.int8]
    )

    /// Drops one partition of orders past retention, or deletes a thousand rows that the ledger has of dropped ones.
    ///
    /// - Parameter keep: Counted from the end of their month; at least 180 days are kept.
    package func dropOrders(keep: Duration) async throws(PostgresError) -> Dropped {
        var parameters = Parameters()
        parameters.append(seconds: keep)
        return try await drop(PostgresPartitionStore.dropOrdersStatement, parameters)
    }

    private func drop(_ statement: Statement, _ parameters: Parameters) async throws(PostgresError) -> Dropped {
        let rows = try await client.work(statement, parameters)
        return Dropped(
            count: Int(try rows.int64(0, 0)),
            overdue: Int(try rows.int64(0, 1)),
            deleted: Int(try rows.int64(0, 2)),
            problem: try rows.optionalText(0, 3)
        )
    }
}
