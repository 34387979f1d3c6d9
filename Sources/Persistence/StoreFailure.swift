import MerchantOrders
import Postgres
import SessionBroker
import Webhooks

/// Translates failures of the database into those of the broker and of the merchants' stores.
enum StoreFailure {
    /// A lock was not granted in time, a statement took too long or was cancelled, the server is shutting down or in recovery, a
    /// standby cannot write, there is no room for another connection, on the disk or in memory, or the disk fails: a later try
    /// may work, and nothing was done.
    private static let passing: Set<String> = [
        "55P03", "57014", "57P01", "57P02", "57P03", "25006", "40001", "40P01",
        "53000", "53100", "53200", "53300", "58030",
    ]

    static func error(_ error: PostgresError) -> BrokerError {
        let detail = error.debugDescription
        switch error.code {
        case .unavailable: return BrokerError(.unavailable, detail)
        case .overloaded: return BrokerError(.overloaded, detail)
        case .outcomeUnknown: return BrokerError(.outcomeUnknown, detail)
        case .rejected(let state) where passing.contains(state): return BrokerError(.unavailable, detail)
        case .rejected, .insecure, .decoding, .migration, .cluster: return BrokerError(.fault, detail)
        }
    }

    /// The same in the words of the merchants' stores.
    static func merchant(_ error: PostgresError) -> MerchantStoreError {
        let known = StoreFailure.error(error)
        switch known.code {
        case .unavailable, .limited: return MerchantStoreError(.unavailable, known.debugDescription)
        case .overloaded: return MerchantStoreError(.overloaded, known.debugDescription)
        case .outcomeUnknown: return MerchantStoreError(.outcomeUnknown, known.debugDescription)
        case .fault: return MerchantStoreError(.fault, known.debugDescription)
        }
    }

    static func webhooks(_ error: PostgresError) -> WebhookStoreError {
        let detail = error.debugDescription
        switch error.code {
        case .unavailable, .overloaded: return WebhookStoreError(.unavailable, detail)
        case .outcomeUnknown: return WebhookStoreError(.outcomeUnknown, detail)
        case .rejected(let state) where passing.contains(state): return WebhookStoreError(.unavailable, detail)
        case .rejected, .insecure, .decoding, .migration, .cluster: return WebhookStoreError(.fault, detail)
        }
    }

    /// Runs a body that decodes rows.
    static func decoding<Value>(_ body: () throws(PostgresError) -> Value) throws(BrokerError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreFailure.error(error)
        }
    }
}
