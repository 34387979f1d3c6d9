import Commerce
package import MerchantOrders
package import Postgres
package import Primitives

/// Keeps orders, their ledger and the operations on it in PostgreSQL.
///
/// The rules of the ledger are functions of the schema (`migrations/merchant/functions`, `migrations/checkout/functions`): they
/// take several steps under the lock of one order's row. Each call here is one statement, so one transaction.
///
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresOrderStore: OrderStore {
    /// Every statement that it sends.
    static let statements: [Statement] =
        listStatements + lookUpStatements
        + [
            givenUpStatement.statement,
            reopenStatement.statement,
            beginStatement.statement,
            settleStatement.statement,
            reusedStatement.statement,
            claimStatement.statement,
            postponeStatement.statement,
            takeOverStatement.statement,
            expireLeaseStatement.statement,
            putBackStatement.statement,
            adoptStatement.statement,
            recordStatement.statement,
            ownStatement.statement,
            knownStatement.statement,
            readStatement.statement,
            objectStatement.statement,
            objectsStatement.statement,
            pruneLedgerStatement.statement,
        ]

    let client: PostgresClient
    let account: OrderAccount
    /// How long the holder of an operation has it: longer than a call to the provider takes.
    static let lease = Duration.seconds(60)

    /// A store on a client of the same loop.
    package init(client: PostgresClient, account: OrderAccount = .none) {
        self.client = client
        self.account = account
    }

    static let pruneLedgerStatement = TypedStatement<Int, Duration>(
        name: "ledger_prune",
        sql: "SELECT ledger_prune($1 * interval '1 second')::bigint"
    )

    /// Deletes rows of the ledger whose orders are gone, a thousand at most.
    ///
    /// - Parameter keep: For orders, counted from the end of their month; at least 180 days are kept.
    /// - Returns: How many; none where there are no more.
    package func pruneLedger(keep: Duration) async throws(StoreError) -> Int {
        try await client.work(PostgresOrderStore.pruneLedgerStatement(keep)).first()
    }

    // MARK: Orders

    static let ownStatement = TypedStatement<Void, UUIDBytes, OrderAccount>(
        name: "order_own",
        sql:
            "SELECT 1 FROM merchant_order AS o WHERE o.webview_session_id = $1 AND o.account = $2 AND o.environment = $3"
    )

    /// Whether an order was made under the store's account.
    ///
    /// - Returns: False where there is no such order.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    func isOwn(_ webviewSession: UUIDBytes) async throws(StoreError) -> Bool {
        let call = PostgresOrderStore.ownStatement(webviewSession, account)
        return try await client.read(call).count == 1
    }

    static let knownStatement = TypedStatement<Void, UUIDBytes>(
        name: "order_known",
        sql: "SELECT 1 FROM merchant_order AS o WHERE o.webview_session_id = $1"
    )

    /// Whether there is such an order, under whichever account.
    ///
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    func isKnown(_ webviewSession: UUIDBytes) async throws(StoreError) -> Bool {
        try await client.read(PostgresOrderStore.knownStatement(webviewSession)).count == 1
    }

    /// A webview session knows its postage from the review on, its order from when the buyer agrees; where both do, the webview
    /// session's is the newer.
    private static let orderColumns = Columns(
        Column("o.webview_session_id", UUIDBytes.self),
        Column("o.reference", String.self),
        Column("order_status(o.state, f.state, f.is_over)", OrderState.self),
        Column("o.currency", Currency.self),
        Column("o.subtotal", Int64.self),
        Column("order_tax(o.tax, o.taxes, coalesce(f.postage, o.postage))", Int64.self),
        Column("\ncoalesce(f.postage, o.postage)", Int64?.self),
        Column("coalesce(f.total, o.total)", Int64?.self),
        Column("o.captured", Int64.self),
        Column("o.refunded", Int64.self),
        Column("o.created_at", WallTime.self),
        Column("o.updated_at", WallTime.self),
        Column("\nf.ends_at", WallTime?.self),
        Column("o.key_id", UUIDBytes?.self),
        Column("o.client", String.self),
        Column("order_lines_data(o.lines, o.currency)", StoredJSON.self),
        Column("o.metadata", StoredJSON?.self),
        Column("o.note", String?.self),
        Column("o.checkout_session", String?.self),
        Column("\no.charge_permission", String?.self),
        Column("o.environment", String.self),
        Column("order_adjustments_data(o.adjustments, o.currency)", StoredJSON?.self),
        Column("order_taxes_data(o.taxes, coalesce(f.postage, o.postage), o.currency)", StoredJSON?.self),
        Column("(o.taxes ->> 'postage')::bigint", Int64?.self),
        Column(
            "\norder_needs_attention(o.webview_session_id, o.charge_permission, o.state, o.declined_at, f.state)",
            Bool.self
        ),
        Column("CASE WHEN f.terms IS NOT NULL THEN coalesce(f.terms ->> 'capture', 'manual') END", String?.self),
        Column("f.terms ->> 'returnUrl'", String?.self),
        Column("CASE WHEN f.terms IS NOT NULL THEN coalesce((f.terms ->> 'delivery')::boolean, true) END", Bool?.self),
        Column("f.terms -> 'deliveryRestrictions'", StoredJSON?.self),
        Column("o.decline_reason", String?.self),
        Column("o.declined_at", WallTime?.self),
        Column(
            "\nCASE WHEN f.terms IS NOT NULL THEN coalesce((f.terms ->> 'uniqueReference')::boolean, false) END",
            Bool?.self
        ),
        // As a value it is one look by key, and none before there is a permission.
        Column(
            "(SELECT s.stated_reason FROM payment_object AS s WHERE s.object_id = o.charge_permission)",
            String?.self
        ),
        Column("o.account_id", UUIDBytes?.self)
    )

    /// The webview session of `o`, which may be gone.
    ///
    /// OFFSET keeps it one look by key for each order.
    private static let webviewSessionOfOrder = """
        LEFT JOIN LATERAL (
            SELECT f.state, f.postage, f.total, f.terms,
                CASE WHEN is_waiting(f.state) AND statement_timestamp() < least(f.idle_until, f.absolute_until)
                    THEN least(f.idle_until, f.absolute_until) END AS ends_at,
                statement_timestamp() >= least(f.idle_until, f.absolute_until) AND is_waiting(f.state) AS is_over
            FROM webview_session AS f WHERE f.webview_session_id = o.webview_session_id OFFSET 0) AS f ON true
        """

    static let readStatement = TypedStatement<MerchantOrder, UUIDBytes>(
        name: "order_read",
        sql:
            "SELECT \(orderColumns.sql) FROM merchant_order AS o \(webviewSessionOfOrder) WHERE o.webview_session_id = $1"
    ) { row in try order(&row) }

    package func read(_ webviewSession: UUIDBytes) async throws(StoreError) -> MerchantOrder? {
        let call = PostgresOrderStore.readStatement(webviewSession)
        guard var order = try await client.read(call).single() else { return nil }
        order.take(try await payments(of: [webviewSession]))
        return order
    }

    /// How many orders one page looks through at most for those in some states.
    package static let lookedThrough = 1_000

    /// A part of the list: orders between two ids, the greater excluded.
    ///
    /// Both bounds and the reference are plain comparisons, because the plan is made without knowing the values: what may be
    /// NULL bounds no index.
    private static func pageSQL(named: Bool) -> String {
        """
        SELECT \(orderColumns.sql) FROM merchant_order AS o \(webviewSessionOfOrder)
        WHERE o.webview_session_id < $1 AND o.webview_session_id >= $2 \(named ? "AND o.reference = $8" : "")
            AND ($3 IS NULL OR order_status(o.state, f.state, f.is_over)::text = ANY (string_to_array($3, ',')))
            AND ($5 IS NULL OR o.updated_at > $5)
            AND ($6 IS NULL OR o.created_at >= $6) AND ($7 IS NULL OR o.created_at < $7)
        ORDER BY o.webview_session_id DESC LIMIT $4
        """
    }

    /// The last of the orders that a page looks through.
    private static func reachSQL(named: Bool) -> String {
        """
        SELECT o.webview_session_id FROM merchant_order AS o
        WHERE o.webview_session_id < $1 \(named ? "AND o.reference = $2" : "")
        ORDER BY o.webview_session_id DESC OFFSET \(lookedThrough - 1) LIMIT 1
        """
    }

    private static let pageStatement = TypedStatement<MerchantOrder, PageBounds>(
        name: "order_part",
        sql: pageSQL(named: false)
    ) { row in try order(&row) }

    private static let namedPageStatement = TypedStatement<MerchantOrder, PageBounds, String>(
        name: "order_part_named",
        sql: pageSQL(named: true)
    ) { row in try order(&row) }

    private static let reachStatement = TypedStatement<UUIDBytes, UUIDBytes>(
        name: "order_reach",
        sql: reachSQL(named: false)
    )

    private static let namedReachStatement = TypedStatement<UUIDBytes, UUIDBytes, String>(
        name: "order_reach_named",
        sql: reachSQL(named: true)
    )

    /// The statements that list orders, for tests that look at their plans.
    package static let listStatements: [Statement] = [
        pageStatement.statement, reachStatement.statement, namedPageStatement.statement, namedReachStatement.statement,
    ]

    package func page(_ query: OrderQuery) async throws(StoreError) -> OrderPage {
        var part =
            if let sessions = query.among { try await part(of: query, among: sessions) } else {
                try await part(of: query)
            }
        guard !part.orders.isEmpty else { return OrderPage([], next: part.next.map { OrderCursor(after: $0) }) }
        let payments = Dictionary(
            grouping: try await payments(of: part.orders.map(\.webviewSession)),
            by: \.webviewSession
        )
        for index in part.orders.indices {
            part.orders[index].take(payments[part.orders[index].webviewSession] ?? [])
        }
        return OrderPage(part.orders, next: part.next.map { OrderCursor(after: $0) })
    }

    /// Orders without their charges, and the id to go on below.
    private typealias Part = (orders: [MerchantOrder], next: UUIDBytes?)

    private func part(of query: OrderQuery) async throws(StoreError) -> Part {
        // Every order is a hit where neither a state nor a time is asked for, so the page itself is the bound.
        let reached = query.takesAll ? nil : try await client.read(reach(query.end, query.reference)).single()
        let least = max(reached ?? query.least, query.least)
        let rows = try await client.read(call(query, least: least, end: query.end))
        let orders = try rows.all(limit: query.limit)
        // Below the least id there is nothing to go on with.
        let rest = reached.flatMap { $0 > query.least ? $0 : nil }
        return (orders, rows.count > query.limit ? orders.last?.webviewSession : rest)
    }

    /// Of orders that were looked up; nearly always one.
    private func part(of query: OrderQuery, among sessions: [UUIDBytes]) async throws(StoreError) -> Part {
        var orders: [MerchantOrder] = []
        for session in Set(sessions).sorted(by: >) where session < query.end && session >= query.least {
            orders += try await client.read(call(query, least: session, end: session.next)).all()
        }
        guard orders.count > query.limit else { return (orders, nil) }
        let first = Array(orders.prefix(query.limit))
        return (first, first.last?.webviewSession)
    }

    private func call(_ query: OrderQuery, least: UUIDBytes, end: UUIDBytes) -> StatementCall<MerchantOrder> {
        let bounds = PageBounds(query: query, least: least, end: end)
        guard let reference = query.reference else { return PostgresOrderStore.pageStatement(bounds) }
        return PostgresOrderStore.namedPageStatement(bounds, reference)
    }

    private func reach(_ end: UUIDBytes, _ reference: String?) -> StatementCall<UUIDBytes> {
        guard let reference else { return PostgresOrderStore.reachStatement(end) }
        return PostgresOrderStore.namedReachStatement(end, reference)
    }

    private static func order(_ row: inout RowReader) throws(PostgresError) -> MerchantOrder {
        let (
            webviewSession, reference, state, currency, subtotal, tax, postage, total, captured, refunded, created,
            updated,
            expires, key, client, lines, metadata, note, checkoutSession, permission, environment, adjustments,
            taxes, postageRate, needsAttention, captureMode, returnURL, hasDelivery, restrictions, declineReason,
            declined, hasUniqueReference, closeReason, account
        ) = try orderColumns.read(&row)
        var sums = MerchantOrder.Sums(
            subtotal: try .stored(subtotal, currency),
            tax: try .stored(tax, currency)
        )
        sums.postage = try .stored(postage, currency)
        sums.total = try .stored(total, currency)
        sums.captured = try .stored(captured, currency)
        sums.refunded = try .stored(refunded, currency)
        var order = MerchantOrder(
            webviewSession: webviewSession,
            reference: reference,
            state: state,
            sums: sums,
            times: MerchantOrder.Times(created: created, updated: updated, expires: expires)
        )
        order.key = key
        order.client = client
        order.lines = lines.utf8
        order.metadata = metadata?.utf8
        order.note = note
        order.checkoutSession = checkoutSession
        order.permission = permission
        order.environment = environment
        order.adjustments = adjustments?.utf8
        order.taxes = taxes?.utf8
        order.postageRate = postageRate.map(Int.init)
        order.needsAttention = needsAttention
        order.captureMode = captureMode
        order.returnURL = returnURL
        order.hasDelivery = hasDelivery
        order.restrictions = restrictions?.utf8
        order.hasUniqueReference = hasUniqueReference
        order.closeReason = closeReason
        order.account = account
        order.lastDecline = declined.map { MerchantOrder.Decline(reason: declineReason ?? "Declined", at: $0) }
        return order
    }
}

extension PostgresOrderStore {
    // MARK: The ledger

    private static let objectColumns = Columns(
        Column("p.object_id", String.self),
        Column("p.webview_session_id", UUIDBytes.self),
        Column("p.kind", ObjectKind.self),
        Column("p.state", String.self),
        Column("p.currency", Currency.self),
        Column("p.amount", Int64.self),
        Column("p.captured", Int64.self),
        Column("p.refunded", Int64.self),
        Column("p.reserved", Int64.self),
        Column("\np.open_operation IS NOT NULL", Bool.self),
        Column("p.parent", String?.self),
        Column("p.reason", String?.self),
        Column("p.created_at", WallTime.self),
        Column("coalesce(p.object_updated_at, p.observed_at)", WallTime.self),
        Column("p.captured_at", WallTime?.self),
        Column("p.stated_reason", String?.self),
        Column("p.metadata", StoredJSON?.self)
    )

    static let objectStatement = TypedStatement<LedgerObject, String>(
        name: "ledger_object",
        sql: "SELECT \(objectColumns.sql) FROM payment_object AS p WHERE p.object_id = $1"
    ) { row in try object(&row) }

    package func object(_ id: String) async throws(StoreError) -> LedgerObject? {
        try await client.read(PostgresOrderStore.objectStatement(id)).single()
    }

    static let objectsStatement = TypedStatement<LedgerObject, [UUIDBytes], String?>(
        name: "ledger_objects",
        sql: """
            SELECT \(objectColumns.sql) FROM payment_object AS p
            WHERE p.webview_session_id = ANY ($1) AND ($2 IS NULL OR p.kind::text = ANY (string_to_array($2, ',')))
            ORDER BY p.ordinal
            """
    ) { row in try object(&row) }

    package func objects(of webviewSession: UUIDBytes) async throws(StoreError) -> [LedgerObject] {
        try await client.read(PostgresOrderStore.objectsStatement([webviewSession], nil)).all()
    }

    /// Charges and refunds of some orders; those of each in the order in which they were written down.
    func payments(of webviewSessions: [UUIDBytes]) async throws(StoreError) -> [LedgerObject] {
        let kinds = [ObjectKind.charge, .refund].map(\.rawValue).joined(separator: ",")
        return try await client.read(PostgresOrderStore.objectsStatement(webviewSessions, kinds)).all()
    }

    /// The refunds of a charge, in the order in which they were written down.
    func refunds(of charge: LedgerObject) async throws(StoreError) -> [LedgerObject] {
        let call = PostgresOrderStore.objectsStatement([charge.webviewSession], ObjectKind.refund.rawValue)
        return try await client.read(call).all().filter { $0.parent?.octets == charge.id.octets }
    }

    private static func object(_ row: inout RowReader) throws(PostgresError) -> LedgerObject {
        let (
            id, webviewSession, kind, state, currency, amount, captured, refunded, reserved, hasOpenOperation, parent,
            reason, created, updated, capturedAt, statedReason, metadata
        ) = try objectColumns.read(&row)
        var ledger = LedgerRow(kind, ObjectState(rawValue: state), try .stored(amount, currency))
        ledger.capturedUnits = captured
        ledger.refundedUnits = refunded
        ledger.reservedUnits = reserved
        ledger.hasOpenOperation = hasOpenOperation
        var object = LedgerObject(id, of: webviewSession, ledger, created: created, updated: updated)
        object.parent = parent
        object.reason = reason
        object.capturedAt = capturedAt
        object.memo = PaymentMemo(reason: statedReason, metadata: metadata?.utf8)
        return object
    }
}

extension MerchantOrder {
    /// Takes in what belongs to its payment.
    fileprivate mutating func take(_ payments: [LedgerObject]) {
        charges = payments.filter { $0.row.kind == .charge }
        refunds = payments.filter { $0.row.kind == .refund }
    }
}

extension Money {
    /// A sum of minor units that a column holds.
    static func stored(_ units: Int64, _ currency: Currency) throws(PostgresError) -> Money {
        guard let money = Money(units: units, currency) else { throw PostgresError(.decoding, "\(units) is no sum") }
        return money
    }

    /// The same where it may be NULL.
    static func stored(_ units: Int64?, _ currency: Currency) throws(PostgresError) -> Money? {
        guard let units else { return nil }
        let money: Money = try stored(units, currency)
        return money
    }
}

extension RowReader {
    /// A sum from two columns: minor units, which may be NULL, and the currency.
    mutating func money() throws(PostgresError) -> Money? {
        let units: Int64? = try next()
        return try .stored(units, try next())
    }
}

/// What bounds a page of the list: the first seven parameters of its statements.
private struct PageBounds: StatementInput {
    static let parameterTypes: [PostgresType] = [.uuid, .uuid, .text, .int8, .timestamptz, .timestamptz, .timestamptz]
    static var parameterCount: Int { parameterTypes.count }

    /// Their states, times and number.
    let query: OrderQuery
    /// The least id.
    let least: UUIDBytes
    /// Above all ids.
    let end: UUIDBytes

    func append(to parameters: inout Parameters) {
        end.append(to: &parameters)
        least.append(to: &parameters)
        (query.states.isEmpty ? nil : query.states.map(\.rawValue).joined(separator: ",")).append(to: &parameters)
        // One more than asked for, to learn whether there is a next page.
        (query.limit + 1).append(to: &parameters)
        query.updatedAfter.append(to: &parameters)
        query.createdAfter.append(to: &parameters)
        query.createdBefore.append(to: &parameters)
    }
}
