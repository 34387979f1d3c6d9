package import MerchantOrders
package import Postgres
package import Primitives

extension PostgresSessionStore {
    static let newestAccountStatement = TypedStatement<OrderAccount>(
        name: "order_newest_account",
        sql: "SELECT o.account, o.environment FROM merchant_order AS o ORDER BY o.webview_session_id DESC LIMIT 1"
    ) { row in OrderAccount(merchantID: try row.next(), environment: try row.next()) }

    /// The account that the newest order was made under.
    ///
    /// - Returns: `nil` where there is none.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    package func newestAccount() async throws(StoreError) -> OrderAccount? {
        try await client.read(PostgresSessionStore.newestAccountStatement()).single()
    }
}

/// Merchant id and environment: two parameters.
extension OrderAccount: StatementInput {
    package static var parameterTypes: [PostgresType] { [.text, .text] }
    package static var parameterCount: Int { 2 }

    package func append(to parameters: inout Parameters) {
        parameters.append(text: merchantID)
        parameters.append(text: environment)
    }
}
