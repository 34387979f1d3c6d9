package import MerchantOrders
package import Postgres
import Primitives

/// Keeps in PostgreSQL what the reports came to that compare orders with the provider's objects.
///
/// One per loop, not `Sendable`.
package final class PostgresReconciliationStore {
    private let client: PostgresClient

    /// A store on a client of the same loop.
    ///
    /// - Parameter client: Started by the caller.
    package init(client: PostgresClient) {
        self.client = client
    }

    private static let beginStatement = Statement(
        name: "reconciliation_begin",
        sql: """
            INSERT INTO reconciliation_run AS r (day, started_at, compared, differences)
            VALUES ($1::date, statement_timestamp(), 0, 0)
            ON CONFLICT (day) DO UPDATE SET started_at = excluded.started_at, ended_at = NULL, compared = 0, differences = 0
            """,
        parameterTypes: [.text]
    )

    /// Notes that a report begins; one of the same day before it is forgotten.
    ///
    /// - Parameter day: `YYYY-MM-DD`, of the first orders that are compared.
    /// - Throws: `MerchantStoreError`.
    package func begin(_ day: String) async throws(MerchantStoreError) {
        var parameters = Parameters()
        parameters.append(text: day)
        _ = try await write(PostgresReconciliationStore.beginStatement, parameters)
    }

    private static let endStatement = Statement(
        name: "reconciliation_end",
        sql: """
            UPDATE reconciliation_run AS r SET ended_at = statement_timestamp(), compared = $2, differences = $3
            WHERE r.day = $1::date
            """,
        parameterTypes: [.text, .int8, .int8]
    )

    /// Notes what a report came to.
    ///
    /// - Parameters:
    ///   - day: As it began.
    ///   - compared: How many objects were compared.
    ///   - differences: How many differences are left.
    /// - Throws: `MerchantStoreError`.
    package func end(_ day: String, compared: Int, differences: Int) async throws(MerchantStoreError) {
        var parameters = Parameters()
        parameters.append(text: day)
        parameters.append(int64: Int64(compared))
        parameters.append(int64: Int64(differences))
        _ = try await write(PostgresReconciliationStore.endStatement, parameters)
    }

    private static let newestStatement = Statement(
        name: "reconciliation_newest",
        sql: """
            SELECT r.differences FROM reconciliation_run AS r
            WHERE r.ended_at IS NOT NULL ORDER BY r.ended_at DESC LIMIT 1
            """
    )

    /// What the newest report came to.
    ///
    /// - Returns: How many differences were left; `nil` where there was no report.
    /// - Throws: `MerchantStoreError`.
    package func newestDifferences() async throws(MerchantStoreError) -> Int? {
        do throws(PostgresError) {
            let rows = try await client.read(PostgresReconciliationStore.newestStatement)
            return rows.rowCount == 0 ? nil : Int(try rows.int64(0, 0))
        } catch {
            throw StoreFailure.merchant(error)
        }
    }

    private func write(
        _ statement: Statement,
        _ parameters: Parameters
    ) async throws(MerchantStoreError) -> ResultSet {
        do {
            return try await client.work(statement, parameters)
        } catch {
            throw StoreFailure.merchant(error)
        }
    }
}
