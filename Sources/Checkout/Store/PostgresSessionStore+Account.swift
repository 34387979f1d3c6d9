package import MerchantOrders
import Postgres
package import Primitives

extension PostgresSessionStore {
    static let newestAccountStatement = Statement(
        name: "order_newest_account",
        sql: "SELECT o.account, o.environment FROM merchant_order AS o ORDER BY o.flow_id DESC LIMIT 1"
    )

    /// The account that the newest order was made under.
    ///
    /// - Returns: `nil` where there is none.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func newestAccount() async throws(StoreError) -> OrderAccount? {
        let rows = try await read(PostgresSessionStore.newestAccountStatement, Parameters())
        guard rows.rowCount == 1 else { return nil }
        return try StoreError.decoding { () throws(PostgresError) in
            OrderAccount(merchantID: try rows.text(0, 0), environment: try rows.text(0, 1))
        }
    }
}
