package import Operations
import Primitives
package import Telemetry

/// Forgets decisions of operators about what is gone: they are kept as long as the rows that any feature keeps longest.
package struct OperatorUpkeep {
    private let store: PostgresOperatorStore
    private let keep: Duration
    private let logger: Logger

    /// Upkeep on the loop of a store.
    package init(_ store: PostgresOperatorStore, _ retentions: [Retention], logger: Logger) {
        self.store = store
        keep = retentions.map(\.longest).max() ?? .zero
        self.logger = logger
    }

    /// Adds its work, in small steps.
    package func add(to upkeep: Upkeep) {
        upkeep.add { await prune() }
    }

    /// Forgets a batch; whether there may be more.
    private func prune() async -> Bool {
        do throws(StoreError) {
            return try await store.prune(keep: keep) == PostgresOperatorStore.pruneLimit
        } catch {
            logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }
}
