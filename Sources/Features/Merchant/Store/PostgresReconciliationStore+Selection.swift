import MerchantOrders
import Postgres
package import Primitives

// Which older orders a report compares.
extension PostgresReconciliationStore {
    /// How long recovery goes on, so that what began that much earlier may have ended in the time of a report.
    private static let reach = Duration.seconds(2 * 86_400)
    /// How far back a sample goes: as long as money can be refunded.
    private static let sampledTime = Duration.seconds(180 * 86_400)
    private static let page = 5_000

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

    static let paidStatement = TypedStatement<UUIDBytes, UUIDBytes, UUIDBytes, WallTime, WallTime>(
        name: "reconciliation_paid",
        sql: """
            SELECT o.webview_session_id FROM merchant_order AS o
            WHERE o.webview_session_id >= $1 AND o.webview_session_id < $2 AND o.updated_at >= $3 AND o.updated_at < $4
            """
    )

    /// Hour by hour, so that no statement reads more than the orders of one.
    private func addPaid(_ terms: Terms, _ webviewSessions: inout Set<UUIDBytes>) async throws(StoreError) {
        let hour = Duration.seconds(3_600)
        var start = PostgresReconciliationStore.reached(terms)
        while start < terms.since {
            let end = min(start + hour, terms.since)
            let call = PostgresReconciliationStore.paidStatement(
                UUIDBytes(leastAt: start),
                UUIDBytes(leastAt: end),
                terms.since,
                terms.until
            )
            webviewSessions.formUnion(try await client.read(call).all())
            start = end
        }
    }

    static let operatedStatement = TypedStatement<(UUIDBytes, UUIDBytes), UUIDBytes, UUIDBytes, UUIDBytes, Int>(
        name: "reconciliation_operated",
        sql: """
            SELECT p.operation_id, p.webview_session_id FROM payment_operation AS p
            WHERE p.operation_id > $1 AND p.operation_id < $2 AND p.webview_session_id < $3
            ORDER BY p.operation_id LIMIT $4
            """
    ) { row in (try row.next(), try row.next()) }

    private func addOperated(_ terms: Terms, _ webviewSessions: inout Set<UUIDBytes>) async throws(StoreError) {
        var last = UUIDBytes(leastAt: PostgresReconciliationStore.reached(terms))
        while true {
            let call = PostgresReconciliationStore.operatedStatement(
                last,
                UUIDBytes(leastAt: terms.until),
                UUIDBytes(leastAt: terms.since),
                PostgresReconciliationStore.page
            )
            let operations = try await client.read(call).all()
            webviewSessions.formUnion(operations.map(\.1))
            guard operations.count == PostgresReconciliationStore.page, let end = operations.last else { return }
            last = end.0
        }
    }

    static let notifiedStatement = TypedStatement<(WallTime, UUIDBytes), WallTime, WallTime, UUIDBytes, Int>(
        name: "reconciliation_notified",
        sql: """
            SELECT n.received_at, n.webview_session_id FROM notification AS n
            WHERE n.received_at > $1 AND n.received_at < $2 AND n.webview_session_id < $3
            ORDER BY n.received_at FETCH FIRST $4 ROWS WITH TIES
            """
    ) { row in (try row.next(), try row.next()) }

    private func addNotified(_ terms: Terms, _ webviewSessions: inout Set<UUIDBytes>) async throws(StoreError) {
        var last = terms.since + .microseconds(-1)
        while true {
            let call = PostgresReconciliationStore.notifiedStatement(
                last,
                terms.until,
                UUIDBytes(leastAt: terms.since),
                PostgresReconciliationStore.page
            )
            let messages = try await client.read(call).all()
            webviewSessions.formUnion(messages.map(\.1))
            guard messages.count >= PostgresReconciliationStore.page, let end = messages.last else { return }
            last = end.0
        }
    }

    static let sampleStatement = TypedStatement<UUIDBytes, UUIDBytes, UUIDBytes>(
        name: "reconciliation_sample",
        sql: """
            SELECT o.webview_session_id FROM merchant_order AS o
            WHERE o.webview_session_id < $1 AND o.webview_session_id >= $2 AND o.captured > 0 ORDER BY o.webview_session_id DESC LIMIT 1
            """
    )

    /// One of each of as many equal parts of the time: the last with captured money before a point that follows from the terms.
    private func addSample(_ terms: Terms, _ webviewSessions: inout Set<UUIDBytes>) async throws(StoreError) {
        guard terms.sample > 0 else { return }
        let part = PostgresReconciliationStore.sampledTime / terms.sample
        // Spread over all values by the golden ratio, so that each report draws others.
        let share = Double(UInt64(bitPattern: terms.until.microseconds) &* 0x9E37_79B9_7F4A_7C15) / 0x1p64
        for number in 0..<terms.sample {
            let end = terms.since + part * -(Double(number) + share)
            let call = PostgresReconciliationStore.sampleStatement(
                UUIDBytes(leastAt: end),
                UUIDBytes(leastAt: end + part * -1)
            )
            webviewSessions.formUnion(try await client.read(call).all())
        }
    }
}

extension UUIDBytes {
    /// The least id that can have been made at a time.
    fileprivate init(leastAt time: WallTime) {
        self.init(high: UInt64(max(0, time.microseconds / 1_000)) << 16, low: 0)
    }
}
