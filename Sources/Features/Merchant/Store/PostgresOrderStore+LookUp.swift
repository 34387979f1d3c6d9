import Checkout
import MerchantOrders
package import Postgres
import Primitives
import SessionBroker

extension PostgresOrderStore {
    private static let objectOrderStatement = TypedStatement<UUIDBytes, String, OrderAccount>(
        name: "order_of_object",
        sql: """
            SELECT p.webview_session_id FROM payment_object AS p, LATERAL (
                SELECT FROM merchant_order AS o
                WHERE o.webview_session_id = p.webview_session_id AND o.account = $2 AND o.environment = $3 OFFSET 0) AS o
            WHERE p.object_id = $1
            """
    )

    private static let checkoutSessionStatement = TypedStatement<UUIDBytes, String, OrderAccount>(
        name: "order_of_checkout_session",
        sql: """
            SELECT o.webview_session_id FROM merchant_order AS o
            WHERE o.checkout_session = $1 AND o.account = $2 AND o.environment = $3
            """
    )

    private static let numberedStatement = TypedStatement<UUIDBytes, [UInt8], OrderAccount>(
        name: "order_numbered",
        sql: """
            SELECT o.webview_session_id FROM merchant_order AS o
            WHERE \(OrderSQL.numberBytes) = $1 AND o.account = $2 AND o.environment = $3
            """
    )

    /// The statements that look orders up, for tests that look at their plans.
    package static let lookUpStatements: [Statement] = [
        objectOrderStatement.statement, checkoutSessionStatement.statement, numberedStatement.statement,
    ]

    /// Orders of the store's account that have a name; nearly always one at most.
    ///
    /// - Returns: The ids of their sessions.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    func sessions(_ lookUp: OrderLookUp) async throws(StoreError) -> [UUIDBytes] {
        switch lookUp {
        case .object(let id):
            try await client.read(PostgresOrderStore.objectOrderStatement(id, account)).all()
        case .checkoutSession(let id):
            try await client.read(PostgresOrderStore.checkoutSessionStatement(id, account)).all()
        case .number(let number):
            // The bytes lack the first two bits of the number.
            try await client.read(PostgresOrderStore.numberedStatement(number.lastBytes, account)).all()
                .filter { OrderNumber($0) == number }
        }
    }
}
