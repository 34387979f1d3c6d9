import Commerce
package import MerchantOrders
package import Postgres
package import Primitives

/// Takes into the ledger of orders what the provider tells of their payments.
///
/// One per loop, with the loop's client. Not `Sendable`.
package final class PostgresLedgerStore {
    /// Every statement that it sends.
    static let statements: [Statement] = [observeStatement]

    private let client: PostgresClient

    /// A store on a client of the same loop.
    package init(client: PostgresClient) {
        self.client = client
    }

    /// The types of what `Parameters.append(object:)` appends.
    package static let objectTypes: [PostgresType] = [
        .text, .text, .text, .text, .text, .timestamptz, .int8, .text, .int8, .int8, .timestamptz,
    ]

    static let observeStatement = Statement(
        name: "ledger_observe",
        sql: """
            SELECT v.verdict, v.flow FROM payment_observe($1::object_kind, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS v
            """,
        parameterTypes: objectTypes
    )

    /// Takes in what was read of an object.
    package func observe(_ object: ObservedObject) async throws(StoreError) -> ObserveVerdict {
        var parameters = Parameters()
        parameters.append(object: object)
        do throws(PostgresError) {
            // It waits for the lock of the order, whose webview session nobody here knows: in a group of its own nobody waits
            // with it.
            let rows = try await client.work(PostgresLedgerStore.observeStatement, parameters)
            let word = try rows.text(0, 0)
            if word == "unknown" { return .unknown }
            let webviewSession = try rows.uuid(0, 1)
            switch word {
            case "changed": return .changed(webviewSession: webviewSession)
            case "same": return .same(webviewSession: webviewSession)
            case "older": return .older(webviewSession: webviewSession)
            default: throw PostgresError(.decoding, "\(word) is no verdict on a reading")
            }
        } catch {
            throw StoreError(error)
        }
    }
}

extension Parameters {
    /// Appends what was read of an object of a payment; NULLs without one.
    package mutating func append(object: ObservedObject?) {
        guard let object else {
            for _ in PostgresLedgerStore.objectTypes { appendNull() }
            return
        }
        let sum = object.amount ?? object.captured ?? object.refunded
        append(text: object.kind.rawValue)
        append(text: object.id)
        append(text: object.parent)
        append(text: object.version.state.rawValue)
        append(text: object.reason)
        append(timestamp: object.version.updated)
        append(int64: object.amount?.units)
        append(text: sum?.currency.rawValue)
        append(int64: object.captured?.units)
        append(int64: object.refunded?.units)
        append(timestamp: object.created)
    }
}
