package import MerchantOrders
package import Postgres
import Primitives
package import SessionBroker

/// Keeps what only flows have that a merchant's program opened: their terms.
///
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresOpeningStore {
    let client: PostgresClient

    /// A store on a client of the same loop.
    ///
    /// - Parameter client: Started by the caller.
    package init(client: PostgresClient) {
        self.client = client
    }

    private static let termsStatement = Statement(
        name: "flow_terms",
        sql: "SELECT f.terms FROM flow AS f WHERE f.flow_id = $1",
        parameterTypes: [.uuid]
    )

    /// The terms of a flow.
    ///
    /// - Parameter flow: Any id.
    /// - Returns: JSON; `nil` for a flow of the shop itself, and for one that is not there.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func terms(of flow: FlowID) async throws(MerchantStoreError) -> [UInt8]? {
        var parameters = Parameters()
        parameters.append(uuid: flow)
        do throws(PostgresError) {
            let rows = try await client.read(PostgresOpeningStore.termsStatement, parameters)
            guard rows.rowCount == 1 else { return nil }
            return try rows.optional(0, 0) { row, column throws(PostgresError) in try rows.json(row, column) }
        } catch {
            throw StoreFailure.merchant(error)
        }
    }
}
