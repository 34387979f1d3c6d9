import Postgres
import Primitives
package import SessionBroker

extension PostgresSessionStore {
    /// How many sessions of one name are told at most: a merchant may open several for one reference.
    package static let namesakeLimit = 100

    /// By index each: a permission, charge or refund, an order's reference, and the handful of purchases that are under way or given up.
    static let namedStatement = Statement(
        name: "flow_named",
        sql: """
            SELECT n.flow_id FROM (
                SELECT p.flow_id FROM payment_object AS p WHERE p.object_id = $1
                UNION SELECT o.flow_id FROM merchant_order AS o WHERE o.reference IN ($1, $2)
                UNION SELECT q.flow_id FROM flow_purchasing AS q, LATERAL (
                    SELECT f.order_ref FROM flow AS f WHERE f.flow_id = q.flow_id OFFSET 0) AS f WHERE f.order_ref = $1
            ) AS n ORDER BY n.flow_id DESC LIMIT $3
            """,
        parameterTypes: [.text, .text, .int8]
    )

    /// Finds sessions by what people have of them.
    ///
    /// - Parameter name: Id of a charge permission, charge or refund; the number or reference of an order; or the checkout session of a
    ///   purchase that is under way or was given up.
    /// - Returns: The newest first.
    /// - Throws: `BrokerError`.
    package func sessions(named name: String) async throws(BrokerError) -> [FlowID] {
        var parameters = Parameters()
        parameters.append(text: name)
        parameters.append(text: OrderNumber(typed: name)?.description ?? name)
        parameters.append(int64: Int64(PostgresSessionStore.namesakeLimit))
        let rows = try await read(PostgresSessionStore.namedStatement, parameters)
        return try StoreFailure.decoding { () throws(PostgresError) in
            var flows: [FlowID] = []
            for row in 0..<rows.rowCount { flows.append(try rows.uuid(row, 0)) }
            return flows
        }
    }
}
