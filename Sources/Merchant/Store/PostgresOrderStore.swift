import Commerce
package import MerchantOrders
package import Postgres
package import Primitives

/// Keeps orders, their ledger and the operations on it in PostgreSQL.
///
/// The rules of the ledger are functions of the schema (`migrations/0009_merchant_order.sql`): they take several steps under
/// the lock of one order's row. Each call here is one statement, so one transaction.
///
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresOrderStore: OrderStore {
    /// Every statement that it sends.
    static let statements: [Statement] =
        listStatements
        + [
            givenUpStatement,
            reopenStatement,
            beginStatement,
            settleStatement,
            reusedStatement,
            claimStatement,
            postponeStatement,
            takeOverStatement,
            expireLeaseStatement,
            adoptStatement,
            recordStatement,
            ownStatement,
            readStatement,
            objectStatement,
            objectsStatement,
        ]

    let client: PostgresClient
    let account: OrderAccount
    /// How long the holder of an operation has it: longer than a call to the provider takes.
    static let lease = Duration.seconds(60)

    /// A store on a client of the same loop.
    ///
    /// - Parameters:
    ///   - client: Started by the caller.
    ///   - account: Whose operations are recovered.
    package init(client: PostgresClient, account: OrderAccount = .none) {
        self.client = client
        self.account = account
    }

    // MARK: Orders

    static let ownStatement = Statement(
        name: "order_own",
        sql: "SELECT 1 FROM merchant_order AS o WHERE o.flow_id = $1 AND o.account = $2 AND o.environment = $3",
        parameterTypes: [.uuid, .text, .text]
    )

    /// Whether an order was made under the store's account.
    ///
    /// - Parameter webviewSession: Any id.
    /// - Returns: False where there is no such order.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    func isOwn(_ webviewSession: UUIDBytes) async throws(StoreError) -> Bool {
        var parameters = Parameters()
        parameters.append(uuid: webviewSession)
        parameters.append(text: account.merchantID)
        parameters.append(text: account.environment)
        return try await read(PostgresOrderStore.ownStatement, parameters).rowCount == 1
    }

    /// A webview session knows its postage from the review on, its order from when the buyer agrees; where both do, the webview
    /// session's is the newer.
    private static let orderColumns = """
        o.flow_id, o.reference, order_standing(o.state, f.state, f.is_over), o.currency, o.subtotal, o.tax,
        coalesce(f.postage, o.postage), coalesce(f.total, o.total), o.captured, o.refunded, o.created_at, o.updated_at,
        f.ends_at, o.key_id, o.client, order_lines_data(o.lines, o.currency), o.metadata, o.note, o.checkout_session,
        o.charge_permission, o.environment, order_adjustments_data(o.adjustments, o.currency),
        \(needsAttention)
        """

    /// Whether the purchase or an operation of `o` was given up until a person decides.
    private static let needsAttention = """
        CASE WHEN f.state = 'purchasing' THEN EXISTS (
                SELECT FROM flow_purchasing AS s WHERE s.flow_id = o.flow_id AND s.stuck_at IS NOT NULL)
            WHEN o.charge_permission IS NOT NULL THEN EXISTS (
                SELECT FROM payment_object AS s WHERE s.flow_id = o.flow_id AND s.open_operation IS NOT NULL AND (
                    SELECT p.state FROM payment_operation AS p WHERE p.operation_id = s.open_operation) = 'stuck')
            ELSE false END
        """

    /// The webview session of `o`, which may be gone.
    ///
    /// OFFSET keeps it one look by key for each order.
    private static let webviewSessionOfOrder = """
        LEFT JOIN LATERAL (
            SELECT f.state, f.postage, f.total,
                CASE WHEN is_waiting(f.state) THEN least(f.idle_until, f.absolute_until) ELSE f.absolute_until END AS ends_at,
                statement_timestamp() >= least(f.idle_until, f.absolute_until) AND is_waiting(f.state) AS is_over
            FROM flow AS f WHERE f.flow_id = o.flow_id OFFSET 0) AS f ON true
        """

    static let readStatement = Statement(
        name: "order_look",
        sql: "SELECT \(orderColumns) FROM merchant_order AS o \(webviewSessionOfOrder) WHERE o.flow_id = $1",
        parameterTypes: [.uuid]
    )

    package func read(_ webviewSession: UUIDBytes) async throws(StoreError) -> MerchantOrder? {
        var parameters = Parameters()
        parameters.append(uuid: webviewSession)
        let rows = try await read(PostgresOrderStore.readStatement, parameters)
        guard rows.rowCount == 1 else { return nil }
        var order = try decoding { () throws(PostgresError) in try PostgresOrderStore.order(rows, 0) }
        order.charges = try await charges(of: [webviewSession])
        return order
    }

    /// How many orders one page looks through at most for those in some states.
    package static let lookedThrough = 1_000

    /// A part of the list: orders between two ids, the greater excluded.
    ///
    /// Both bounds and the name are plain comparisons, because the plan is made without knowing the values: what may be NULL
    /// bounds no index.
    private static func pageStatement(_ name: String, named: Bool) -> Statement {
        Statement(
            name: name,
            sql: """
                SELECT \(orderColumns) FROM merchant_order AS o \(webviewSessionOfOrder)
                WHERE o.flow_id < $1 AND o.flow_id >= $2 \(named ? "AND o.reference = $6" : "")
                    AND ($3 IS NULL OR order_standing(o.state, f.state, f.is_over)::text = ANY (string_to_array($3, ',')))
                    AND ($5 IS NULL OR o.updated_at > $5)
                ORDER BY o.flow_id DESC LIMIT $4
                """,
            parameterTypes: [.uuid, .uuid, .text, .int8, .timestamptz] + (named ? [.text] : [])
        )
    }

    /// The last of the orders that a page looks through.
    private static func reachStatement(_ name: String, named: Bool) -> Statement {
        Statement(
            name: name,
            sql: """
                SELECT o.flow_id FROM merchant_order AS o
                WHERE o.flow_id < $1 \(named ? "AND o.reference = $2" : "")
                ORDER BY o.flow_id DESC OFFSET \(lookedThrough - 1) LIMIT 1
                """,
            parameterTypes: [.uuid] + (named ? [.text] : [])
        )
    }

    private static let allStatements = (
        page: pageStatement("order_part", named: false), reach: reachStatement("order_reach", named: false)
    )
    private static let namedStatements = (
        page: pageStatement("order_part_named", named: true), reach: reachStatement("order_reach_named", named: true)
    )

    /// The statements that list orders, for tests that look at their plans.
    package static let listStatements: [Statement] = [
        allStatements.page, allStatements.reach, namedStatements.page, namedStatements.reach,
    ]

    package func page(_ query: OrderQuery) async throws(StoreError) -> OrderPage {
        let statements = query.reference == nil ? PostgresOrderStore.allStatements : PostgresOrderStore.namedStatements
        let newest = query.cursor?.webviewSession ?? UUIDBytes(high: .max, low: .max)
        // Every order is a hit where neither a state nor a change is asked for, so the page itself is the bound.
        let takesAll = query.states.isEmpty && query.updatedAfter == nil
        let end = takesAll ? nil : try await reach(statements.reach, newest, query.reference)
        var parameters = Parameters()
        parameters.append(uuid: newest)
        parameters.append(uuid: end ?? UUIDBytes(high: 0, low: 0))
        parameters.append(
            text: query.states.isEmpty ? nil : query.states.map(\.rawValue).joined(separator: ",")
        )
        // One more than asked for, to learn whether there is a next page.
        parameters.append(int64: Int64(query.limit) + 1)
        parameters.append(timestamp: query.updatedAfter)
        if let reference = query.reference { parameters.append(text: reference) }
        let rows = try await read(statements.page, parameters)
        var orders = try decoding { () throws(PostgresError) in
            var orders: [MerchantOrder] = []
            for row in 0..<min(rows.rowCount, query.limit) { orders.append(try PostgresOrderStore.order(rows, row)) }
            return orders
        }
        let charges = Dictionary(grouping: try await charges(of: orders.map(\.webviewSession)), by: \.webviewSession)
        for index in orders.indices { orders[index].charges = charges[orders[index].webviewSession] ?? [] }
        let next = rows.rowCount > query.limit ? orders.last?.webviewSession : end
        return OrderPage(orders, next: next.map { OrderCursor(after: $0) })
    }

    private func reach(
        _ statement: Statement,
        _ newest: UUIDBytes,
        _ reference: String?
    ) async throws(StoreError) -> UUIDBytes? {
        var parameters = Parameters()
        parameters.append(uuid: newest)
        if let reference { parameters.append(text: reference) }
        let rows = try await read(statement, parameters)
        return try decoding { () throws(PostgresError) in rows.rowCount == 1 ? try rows.uuid(0, 0) : nil }
    }

    private static func order(_ rows: ResultSet, _ row: Int) throws(PostgresError) -> MerchantOrder {
        let currency: Currency = try rows.word(row, 3)
        var sums = MerchantOrder.Sums(
            subtotal: try rows.money(row, 4, currency),
            tax: try rows.money(row, 5, currency)
        )
        sums.postage = try rows.optional(row, 6) { (row, column) throws(PostgresError) in
            try rows.money(row, column, currency)
        }
        sums.total = try rows.optional(row, 7) { (row, column) throws(PostgresError) in
            try rows.money(row, column, currency)
        }
        sums.captured = try rows.money(row, 8, currency)
        sums.refunded = try rows.money(row, 9, currency)
        let times = MerchantOrder.Times(
            created: try rows.timestamp(row, 10),
            updated: try rows.timestamp(row, 11),
            expires: try rows.optional(row, 12) { (row, column) throws(PostgresError) in
                try rows.timestamp(row, column)
            }
        )
        var order = MerchantOrder(
            webviewSession: try rows.uuid(row, 0),
            reference: try rows.text(row, 1),
            state: try rows.word(row, 2),
            sums: sums,
            times: times
        )
        order.key = try rows.optional(row, 13) { (row, column) throws(PostgresError) in try rows.uuid(row, column) }
        order.client = try rows.text(row, 14)
        order.lines = try rows.json(row, 15)
        order.metadata = try rows.optional(row, 16) { (row, column) throws(PostgresError) in
            try rows.json(row, column)
        }
        order.note = try rows.optionalText(row, 17)
        order.checkoutSession = try rows.optionalText(row, 18)
        order.permission = try rows.optionalText(row, 19)
        order.environment = try rows.text(row, 20)
        order.adjustments = try rows.optional(row, 21) { (row, column) throws(PostgresError) in
            try rows.json(row, column)
        }
        order.needsAttention = try rows.bool(row, 22)
        return order
    }
}

extension PostgresOrderStore {
    // MARK: The ledger

    private static let objectColumns = """
        p.object_id, p.flow_id, p.kind, p.state, p.currency, p.amount, p.captured, p.refunded, p.reserved,
        p.open_operation IS NOT NULL, p.parent, p.reason, p.created_at, coalesce(p.object_updated_at, p.observed_at)
        """

    static let objectStatement = Statement(
        name: "ledger_object",
        sql: "SELECT \(objectColumns) FROM payment_object AS p WHERE p.object_id = $1",
        parameterTypes: [.text]
    )

    package func object(_ id: String) async throws(StoreError) -> LedgerObject? {
        var parameters = Parameters()
        parameters.append(text: id)
        return try await objects(PostgresOrderStore.objectStatement, parameters).first
    }

    static let objectsStatement = Statement(
        name: "ledger_objects",
        sql: """
            SELECT \(objectColumns) FROM payment_object AS p
            WHERE p.flow_id = ANY ($1) AND ($2 IS NULL OR p.kind::text = $2)
            ORDER BY p.created_at, p.object_id
            """,
        parameterTypes: [.uuidArray, .text]
    )

    package func objects(of webviewSession: UUIDBytes) async throws(StoreError) -> [LedgerObject] {
        var parameters = Parameters()
        parameters.append(uuids: [webviewSession])
        parameters.append(text: nil)
        return try await objects(PostgresOrderStore.objectsStatement, parameters)
    }

    func charges(of webviewSessions: [UUIDBytes]) async throws(StoreError) -> [LedgerObject] {
        var parameters = Parameters()
        parameters.append(uuids: webviewSessions)
        parameters.append(text: ObjectKind.charge.rawValue)
        return try await objects(PostgresOrderStore.objectsStatement, parameters)
    }

    private func objects(
        _ statement: Statement,
        _ parameters: Parameters
    ) async throws(StoreError) -> [LedgerObject] {
        let rows = try await read(statement, parameters)
        return try decoding { () throws(PostgresError) in
            var objects: [LedgerObject] = []
            for row in 0..<rows.rowCount { objects.append(try PostgresOrderStore.object(rows, row)) }
            return objects
        }
    }

    private static func object(_ rows: ResultSet, _ row: Int) throws(PostgresError) -> LedgerObject {
        let currency: Currency = try rows.word(row, 4)
        var ledger = LedgerRow(
            try rows.word(row, 2),
            ObjectState(rawValue: try rows.text(row, 3)),
            try rows.money(row, 5, currency)
        )
        ledger.capturedUnits = try rows.int64(row, 6)
        ledger.refundedUnits = try rows.int64(row, 7)
        ledger.reservedUnits = try rows.int64(row, 8)
        ledger.hasOpenOperation = try rows.bool(row, 9)
        var object = LedgerObject(
            try rows.text(row, 0),
            of: try rows.uuid(row, 1),
            ledger,
            created: try rows.timestamp(row, 12),
            updated: try rows.timestamp(row, 13)
        )
        object.parent = try rows.optionalText(row, 10)
        object.reason = try rows.optionalText(row, 11)
        return object
    }

    // MARK: Running statements

    func read(_ statement: Statement, _ parameters: Parameters) async throws(StoreError) -> ResultSet {
        do {
            return try await client.read(statement, parameters)
        } catch {
            throw StoreError(error)
        }
    }

    func work(_ statement: Statement, _ parameters: Parameters) async throws(StoreError) -> ResultSet {
        do {
            return try await client.work(statement, parameters)
        } catch {
            throw StoreError(error)
        }
    }

    func decoding<Value>(_ body: () throws(PostgresError) -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }
}

extension ResultSet {
    /// A `bigint` of minor units.
    func money(_ row: Int, _ column: Int, _ currency: Currency) throws(PostgresError) -> Money {
        let units = try int64(row, column)
        guard let money = Money(units: units, currency) else { throw PostgresError(.decoding, "\(units) is no sum") }
        return money
    }
}
