import MerchantOrders
import Postgres
package import Primitives

// Which older orders a report compares.
extension PostgresReconciliationStore {
    /// How long recovery goes on, so that what began that much earlier may have ended in the time of a report.
    private static let reach = Duration.seconds(2 * 86_400)
    /// How far back a sample goes: as long as money can be refunded.
    private static let sampledTime = Duration.seconds(180 * 86_400)
    private static let page: Int64 = 5_000

    private static func reached(_ terms: Terms) -> WallTime { terms.since + reach * -1 }

    /// Orders made before the time of a report to which something happened in it, or that its sample draws.
    ///
    /// An order changes by its payment, by an operation, or because the provider was read; a reading takes the provider's word,
    /// and most follow a message. So no index on the time of changes is needed, which each update of an order would pay for.
    ///
    /// - Parameter terms: The same terms bring the same orders again, as far as rows are kept.
    /// - Returns: Newest first, each once.
    /// - Throws: `StoreError`.
    package func older(_ terms: Terms) async throws(StoreError) -> [UUIDBytes] {
        var webviewSessions: Set<UUIDBytes> = []
        try await addPaid(terms, &webviewSessions)
        try await addOperated(terms, &webviewSessions)
        try await addNotified(terms, &webviewSessions)
        try await addSample(terms, &webviewSessions)
        return webviewSessions.sorted(by: >)
    }

    static let paidStatement = Statement(
        name: "reconciliation_paid",
        sql: """
            SELECT o.flow_id FROM merchant_order AS o
            WHERE o.flow_id >= $1 AND o.flow_id < $2 AND o.updated_at >= $3 AND o.updated_at < $4
            """,
        parameterTypes: [.uuid, .uuid, .timestamptz, .timestamptz]
    )

    /// Hour by hour, so that no statement reads more than the orders of one.
    private func addPaid(_ terms: Terms, _ webviewSessions: inout Set<UUIDBytes>) async throws(StoreError) {
        let hour = Duration.seconds(3_600)
        var start = PostgresReconciliationStore.reached(terms)
        while start < terms.since {
            let end = min(start + hour, terms.since)
            var parameters = Parameters()
            parameters.append(uuid: UUIDBytes(leastAt: start))
            parameters.append(uuid: UUIDBytes(leastAt: end))
            parameters.append(timestamp: terms.since)
            parameters.append(timestamp: terms.until)
            let rows = try await select(PostgresReconciliationStore.paidStatement, parameters)
            try collect(rows, column: 0, &webviewSessions)
            start = end
        }
    }

    static let operatedStatement = Statement(
        name: "reconciliation_operated",
        sql: """
            SELECT p.operation_id, p.flow_id FROM payment_operation AS p
            WHERE p.operation_id > $1 AND p.operation_id < $2 AND p.flow_id < $3
            ORDER BY p.operation_id LIMIT $4
            """,
        parameterTypes: [.uuid, .uuid, .uuid, .int8]
    )

    private func addOperated(_ terms: Terms, _ webviewSessions: inout Set<UUIDBytes>) async throws(StoreError) {
        var last = UUIDBytes(leastAt: PostgresReconciliationStore.reached(terms))
        while true {
            var parameters = Parameters()
            parameters.append(uuid: last)
            parameters.append(uuid: UUIDBytes(leastAt: terms.until))
            parameters.append(uuid: UUIDBytes(leastAt: terms.since))
            parameters.append(int64: PostgresReconciliationStore.page)
            let rows = try await select(PostgresReconciliationStore.operatedStatement, parameters)
            try collect(rows, column: 1, &webviewSessions)
            guard rows.rowCount == PostgresReconciliationStore.page else { return }
            last = try decoding { () throws(PostgresError) in try rows.uuid(rows.rowCount - 1, 0) }
        }
    }

    static let notifiedStatement = Statement(
        name: "reconciliation_notified",
        sql: """
            SELECT n.received_at, n.flow_id FROM notification AS n
            WHERE n.received_at > $1 AND n.received_at < $2 AND n.flow_id < $3
            ORDER BY n.received_at FETCH FIRST $4 ROWS WITH TIES
            """,
        parameterTypes: [.timestamptz, .timestamptz, .uuid, .int8]
    )

    private func addNotified(_ terms: Terms, _ webviewSessions: inout Set<UUIDBytes>) async throws(StoreError) {
        var last = terms.since + .microseconds(-1)
        while true {
            var parameters = Parameters()
            parameters.append(timestamp: last)
            parameters.append(timestamp: terms.until)
            parameters.append(uuid: UUIDBytes(leastAt: terms.since))
            parameters.append(int64: PostgresReconciliationStore.page)
            let rows = try await select(PostgresReconciliationStore.notifiedStatement, parameters)
            try collect(rows, column: 1, &webviewSessions)
            guard rows.rowCount >= PostgresReconciliationStore.page else { return }
            last = try decoding { () throws(PostgresError) in try rows.timestamp(rows.rowCount - 1, 0) }
        }
    }

    static let sampleStatement = Statement(
        name: "reconciliation_sample",
        sql: """
            SELECT o.flow_id FROM merchant_order AS o
            WHERE o.flow_id < $1 AND o.flow_id >= $2 AND o.captured > 0 ORDER BY o.flow_id DESC LIMIT 1
            """,
        parameterTypes: [.uuid, .uuid]
    )

    /// One of each of as many equal parts of the time: the last with captured money before a point that follows from the terms.
    private func addSample(_ terms: Terms, _ webviewSessions: inout Set<UUIDBytes>) async throws(StoreError) {
        guard terms.sample > 0 else { return }
        let part = PostgresReconciliationStore.sampledTime / terms.sample
        // Spread over all values by the golden ratio, so that each report draws others.
        let share = Double(UInt64(bitPattern: terms.until.microseconds) &* 0x9E37_79B9_7F4A_7C15) / 0x1p64
        for number in 0..<terms.sample {
            let end = terms.since + part * -(Double(number) + share)
            var parameters = Parameters()
            parameters.append(uuid: UUIDBytes(leastAt: end))
            parameters.append(uuid: UUIDBytes(leastAt: end + part * -1))
            let rows = try await select(PostgresReconciliationStore.sampleStatement, parameters)
            try collect(rows, column: 0, &webviewSessions)
        }
    }

    // MARK: Rows

    private func collect(
        _ rows: ResultSet,
        column: Int,
        _ webviewSessions: inout Set<UUIDBytes>
    ) throws(StoreError) {
        let found = try decoding { () throws(PostgresError) in
            var found: [UUIDBytes] = []
            for row in 0..<rows.rowCount { found.append(try rows.uuid(row, column)) }
            return found
        }
        webviewSessions.formUnion(found)
    }

    private func select(_ statement: Statement, _ parameters: Parameters) async throws(StoreError) -> ResultSet {
        do {
            return try await client.read(statement, parameters)
        } catch {
            throw StoreError(error)
        }
    }

    private func decoding<Value>(_ body: () throws(PostgresError) -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }
}

extension UUIDBytes {
    /// The least id that can have been made at a time.
    fileprivate init(leastAt time: WallTime) {
        self.init(high: UInt64(max(0, time.microseconds / 1_000)) << 16, low: 0)
    }
}
