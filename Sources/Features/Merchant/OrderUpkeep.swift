import Checkout
import Operations
import Primitives
import ServerCore
import ServiceAPI
import Telemetry

/// Keeps the tables of orders in order, and shows what waits for a person; one per process.
final class OrderUpkeep {
    private let part: MerchantPart
    private var unsettled: UnsettledGauges?

    init(_ part: MerchantPart) { self.part = part }

    /// Adds its work, in small steps; a part that fails holds up no other.
    func add(to upkeep: Upkeep) {
        upkeep.add { await self.pruneLedger() }
        upkeep.add { await self.showNewestReport() }
        upkeep.add { await self.countUnsettled() }
    }

    /// Deletes rows of the ledger whose orders are gone.
    private func pruneLedger() async -> Bool {
        do throws(StoreError) {
            let count = try await part.orders.pruneLedger(keep: part.orderRetention)
            if count > 0 { part.loop.logger.info("upkeep.ledger_pruned", [LogField("count", count)]) }
            return count > 0
        } catch {
            part.loop.logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }

    /// Shows what the newest comparison with the provider came to.
    private func showNewestReport() async -> Bool {
        do throws(StoreError) {
            if let report = try await part.reports.newest() { part.counters.show(report) }
        } catch {
            part.loop.logger.warning("upkeep.reports_failed", [LogField("detail", error.debugDescription)])
        }
        return false
    }

    /// Shows what has no outcome yet; every process shows the same.
    private func countUnsettled() async -> Bool {
        do throws(StoreError) {
            let counts = try await part.unsettled.counts()
            let gauges = unsettled ?? UnsettledGauges(part.loop.metrics)
            gauges.show(counts)
            unsettled = gauges
        } catch {
            part.loop.logger.warning("upkeep.unsettled_failed", [LogField("detail", error.debugDescription)])
        }
        return false
    }
}
