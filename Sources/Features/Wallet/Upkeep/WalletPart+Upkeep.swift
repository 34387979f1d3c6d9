import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import Telemetry

extension WalletPart {
    private static let batch: Int32 = 200

    /// Revises passes whose template has changed, and wakes the phones of whole types, at the pace of the settings.
    func walk(within budget: RunBudget) async throws {
        let rate = process.settings.wakesPerSecond
        while !budget.isSpent {
            let step = try await loop.database.work(UpkeepStatement.walk(Int32(rate), WalletPart.batch)).first()
            if step.isDone { return }
            guard step.woken > 0 else { continue }
            wake()
            await loop.reactor.sleep(for: .seconds(1) * step.woken / rate)
        }
    }

    /// Deletes some passes that have ended, and some pushes that nobody sends; whether there may be more.
    func prune() async -> Bool {
        do {
            let pushes = try await loop.database.work(PushStatement.prune(Int(WalletPart.batch))).first()
            let passes = try await loop.database.work(UpkeepStatement.prune(WalletPart.batch)).first()
            return max(pushes, passes) >= Int(WalletPart.batch)
        } catch {
            loop.logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }
}
