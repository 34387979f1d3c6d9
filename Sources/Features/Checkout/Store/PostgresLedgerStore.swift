import Commerce
package import MerchantOrders
package import Postgres
package import Primitives

/// Takes into the ledger of orders what the provider tells of their payments.
///
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresLedgerStore {
    /// Every statement that it sends.
    static let statements: [Statement] = [observeStatement.statement]

    private let client: PostgresClient

    /// A store on a client of the same loop.
    package init(client: PostgresClient) {
        self.client = client
    }

    static let observeStatement = TypedStatement<ObserveOutcome, ObservedObject>(
        name: "ledger_observe",
        sql: """
            SELECT v.outcome, v.webview_session FROM payment_observe($1::object_kind, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS v
            """
    ) { row in
        let word: String = try row.next()
        if word == "unknown" { return .unknown }
        let webviewSession: UUIDBytes = try row.next()
        switch word {
        case "changed": return .changed(webviewSession: webviewSession)
        case "same": return .same(webviewSession: webviewSession)
        case "older": return .older(webviewSession: webviewSession)
        default: throw PostgresError(.decoding, "\(word) is no outcome on a reading")
        }
    }

    /// Takes in what was read of an object.
    package func observe(_ object: ObservedObject) async throws(StoreError) -> ObserveOutcome {
        // It waits for the lock of the order, whose webview session nobody here knows: in a group of its own nobody waits with
        // it.
        try await client.work(PostgresLedgerStore.observeStatement(object)).first()
    }
}

/// What was read of an object of a payment.
extension ObservedObject: StatementInput {
    package static var parameterTypes: [PostgresType] {
        [.text, .text, .text, .text, .text, .timestamptz, .int8, .text, .int8, .int8, .timestamptz]
    }
    package static var parameterCount: Int { 11 }

    package func append(to parameters: inout Parameters) {
        let sum = amount ?? captured ?? refunded
        parameters.append(text: kind.rawValue)
        parameters.append(text: id)
        parameters.append(text: parent)
        parameters.append(text: version.state.rawValue)
        parameters.append(text: reason)
        parameters.append(timestamp: version.updated)
        parameters.append(int64: amount?.units)
        parameters.append(text: sum?.currency.rawValue)
        parameters.append(int64: captured?.units)
        parameters.append(int64: refunded?.units)
        parameters.append(timestamp: created)
    }
}
