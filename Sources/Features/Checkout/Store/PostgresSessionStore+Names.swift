import Postgres
import Primitives
import SessionBroker

extension PostgresSessionStore {
    /// How many sessions of one name are listed at most: a merchant may open several for one reference.
    static let namesakeLimit = 100

    /// By index each: a permission, charge or refund, an order's reference, and its checkout session.
    static let namedStatement = TypedStatement<WebviewSessionID, String, String, Int>(
        name: "webview_session_named",
        sql: """
            SELECT n.webview_session_id FROM (
                SELECT p.webview_session_id FROM payment_object AS p WHERE p.object_id = $1
                UNION SELECT o.webview_session_id FROM merchant_order AS o WHERE o.reference IN ($1, $2)
                UNION SELECT o.webview_session_id FROM merchant_order AS o WHERE o.checkout_session = $1
            ) AS n ORDER BY n.webview_session_id DESC LIMIT $3
            """
    )

    /// Orders that may have a number, by index.
    static let orderNumberedStatement = TypedStatement<WebviewSessionID, [UInt8]>(
        name: "webview_session_order_numbered",
        sql: "SELECT o.webview_session_id FROM merchant_order AS o WHERE \(OrderSQL.numberBytes) = $1"
    )

    /// How many ids are read at once: far below what a statement may take, on a slow machine too.
    private static let pageLimit = 50_000

    /// The ids of a page, the newest first, that may have a number, and the page's last: nothing but an operator's question
    /// asks for a session without an order, so no write of one pays for an index.
    static let numberedStatement = TypedStatement<WebviewSessionID, WebviewSessionID, Int, [UInt8]>(
        name: "webview_session_numbered",
        sql: """
            WITH page AS MATERIALIZED (
                SELECT n.webview_session_id FROM (
                    SELECT f.webview_session_id FROM webview_session AS f WHERE f.webview_session_id < $1
                    UNION ALL SELECT o.webview_session_id FROM merchant_order AS o WHERE o.webview_session_id < $1
                ) AS n ORDER BY n.webview_session_id DESC LIMIT $2
            )
            SELECT DISTINCT p.webview_session_id FROM page AS p
            WHERE substring(uuid_send(p.webview_session_id) FROM 11) = $3
                OR p.webview_session_id = (SELECT q.webview_session_id FROM page AS q ORDER BY q.webview_session_id LIMIT 1)
            ORDER BY p.webview_session_id DESC
            """
    )

    /// Finds sessions by what people have of them.
    ///
    /// - Parameter name: Id of a charge permission, charge or refund; the number or reference of an order; or its checkout
    ///   session. A number that no order has is looked for along all ids: a session of the program's own shop has its order
    ///   when the buyer agrees.
    /// - Returns: The newest first.
    /// - Throws: `StoreError`.
    func sessions(named name: String) async throws(StoreError) -> [WebviewSessionID] {
        let number = OrderNumber(typed: name)
        let call = PostgresSessionStore.namedStatement(
            name,
            number?.description ?? name,
            PostgresSessionStore.namesakeLimit
        )
        let found = try await client.read(call).all()
        guard found.isEmpty, let number else { return found }
        let orders = try await client.read(PostgresSessionStore.orderNumberedStatement(number.lastBytes)).all()
            .filter { OrderNumber($0) == number }
        return orders.isEmpty ? try await sessions(numbered: number) : orders
    }

    /// Goes along the ids, from which alone the numbers are made: the newest first, until one has it.
    private func sessions(numbered number: OrderNumber) async throws(StoreError) -> [WebviewSessionID] {
        var end = WebviewSessionID(high: .max, low: .max)
        while true {
            let call = PostgresSessionStore.numberedStatement(end, PostgresSessionStore.pageLimit, number.lastBytes)
            let page = try await client.read(call).all()
            let found = page.filter { OrderNumber($0) == number }
            guard found.isEmpty, let last = page.last else { return found }
            end = last
        }
    }
}
