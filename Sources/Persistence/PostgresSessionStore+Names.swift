import Postgres
package import Primitives
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

    /// The eldest and the newest of all sessions that are kept, and of all orders; null where there is none.
    static let spanStatement = Statement(
        name: "flow_span",
        sql: """
            SELECT least(
                    (SELECT f.flow_id FROM flow AS f ORDER BY f.flow_id LIMIT 1),
                    (SELECT o.flow_id FROM merchant_order AS o ORDER BY o.flow_id LIMIT 1)
                ), greatest(
                    (SELECT f.flow_id FROM flow AS f ORDER BY f.flow_id DESC LIMIT 1),
                    (SELECT o.flow_id FROM merchant_order AS o ORDER BY o.flow_id DESC LIMIT 1)
                )
            """,
        parameterTypes: []
    )

    /// Along the ids of a span of time: nothing but an operator's question asks for them, so no write pays for an index.
    static let numberedStatement = Statement(
        name: "flow_numbered",
        sql: """
            SELECT f.flow_id FROM flow AS f
            WHERE f.flow_id >= $1 AND f.flow_id < $2 AND substring(uuid_send(f.flow_id) FROM 11) = $3
            UNION SELECT o.flow_id FROM merchant_order AS o
            WHERE o.flow_id >= $1 AND o.flow_id < $2 AND substring(uuid_send(o.flow_id) FROM 11) = $3
            """,
        parameterTypes: [.uuid, .uuid, .bytea]
    )

    /// Finds sessions by what people have of them.
    ///
    /// - Parameter name: Id of a charge permission, charge or refund; the number or reference of an order; or the checkout session of a
    ///   purchase that is under way or was given up. A number that is no order's reference is looked for along all ids, day by day.
    /// - Returns: The newest first.
    /// - Throws: `StoreError`.
    package func sessions(named name: String) async throws(StoreError) -> [FlowID] {
        var parameters = Parameters()
        parameters.append(text: name)
        parameters.append(text: OrderNumber(typed: name)?.description ?? name)
        parameters.append(int64: Int64(PostgresSessionStore.namesakeLimit))
        let found = try flows(try await read(PostgresSessionStore.namedStatement, parameters))
        guard found.isEmpty, let number = OrderNumber(typed: name) else { return found }
        return try await sessions(numbered: number)
    }

    /// Goes along the ids, from which alone the numbers are made: the newest day first, until one has it.
    private func sessions(numbered number: OrderNumber) async throws(StoreError) -> [FlowID] {
        let span = try await read(PostgresSessionStore.spanStatement, Parameters())
        let ends = try StoreError.decoding { () throws(PostgresError) in
            try span.isNull(0, 0) ? nil : (eldest: try span.uuid(0, 0), newest: try span.uuid(0, 1))
        }
        guard let ends else { return [] }
        let day: Int64 = 86_400_000_000
        var start = ends.newest.time.microseconds / day * day
        while start + day > ends.eldest.time.microseconds {
            var parameters = Parameters()
            parameters.append(uuid: UUIDBytes(firstAt: WallTime(microseconds: start)))
            parameters.append(uuid: UUIDBytes(firstAt: WallTime(microseconds: start + day)))
            parameters.append(bytes: number.lastBytes)
            let near = try flows(try await read(PostgresSessionStore.numberedStatement, parameters))
            let found = near.filter { OrderNumber($0) == number }
            guard found.isEmpty else { return found }
            start -= day
        }
        return []
    }

    private func flows(_ rows: ResultSet) throws(StoreError) -> [FlowID] {
        try StoreError.decoding { () throws(PostgresError) in
            var flows: [FlowID] = []
            for row in 0..<rows.rowCount { flows.append(try rows.uuid(row, 0)) }
            return flows
        }
    }
}
