import MerchantOrders
import Pages
import Persistence
import Primitives
import SessionBroker
import Telemetry

/// The program's own housekeeping, on one loop.
///
/// Expires what is overdue, makes and drops partitions, takes up purchases without a result.
final class Upkeep {
    private let services: LoopServices
    private let logger: Logger
    private var isStopped = false
    private var round = 0

    /// Between two looks at the overdue purchases; a lease is three times as long.
    static let usualPause = Duration.seconds(15)
    /// Every how many rounds the tables are swept.
    private static let roundsPerSweep = 4

    /// Housekeeping on the present loop.
    ///
    /// - Parameters:
    ///   - services: The loop's.
    ///   - logger: Told what was done, and what could not be.
    init(_ services: LoopServices, logger: Logger) {
        self.services = services
        self.logger = logger
    }

    /// Ends the round that is under way where it can be cut.
    func stop() {
        isStopped = true
    }

    /// One round; every fourth looks at the tables too.
    func takeRound() async {
        await recover()
        await recoverPayments()
        if round % Upkeep.roundsPerSweep == 0 {
            await sweep()
            await prune()
            await maintainOrders()
            await lookAtReports()
        }
        round += 1
    }

    private func recover() async {
        // What it wakes is found overdue at once.
        await services.strayMessages.follow()
        do throws(Failure) {
            let overdue = try await services.asking { (broker) async throws(BrokerError) in
                try await broker.overduePurchases()
            }
            for purchase in overdue where !isStopped { try await recover(purchase) }
        } catch {
            note("upkeep.recovery_failed", error)
        }
    }

    /// Takes up one purchase; one that the store refuses is no reason to leave the others.
    private func recover(_ purchase: OverduePurchase) async throws(Failure) {
        let caller = Caller(internal: "recovery", request: requestID("recovery"))
        do throws(Failure) {
            try await services.purchases.recover(purchase, by: caller)
        } catch {
            // Without a store the others fare no better.
            guard error.code != .unavailable else { throw error }
            logger.error(
                "purchase.not_recovered",
                [LogField("flow", purchase.flow.description), LogField("detail", error.detail)]
            )
        }
    }

    private func recoverPayments() async {
        do throws(MerchantStoreError) {
            try await services.payments.recover()
        } catch {
            logger.warning("upkeep.payments_failed", [LogField("detail", error.debugDescription)])
        }
    }

    private func sweep() async {
        do throws(BrokerError) {
            let report = try await services.sweeper.run(request: requestID("sweep"))
            let fields = [
                LogField("visited", report.visited), LogField("expired", report.expired), LogField("live", report.live),
            ]
            logger.debug("upkeep.swept", fields)
            // Somebody has read for so long that a drop would have made others wait.
            let kept = report.partitions.overdue
            if kept > 0 { logger.info("upkeep.partitions_kept", [LogField("count", kept)]) }
        } catch {
            note("upkeep.sweep_failed", error.failure)
        }
    }

    /// Removes what merchants' requests were answered three days ago.
    private func prune() async {
        guard let keys = services.merchant?.keys else { return }
        do throws(MerchantStoreError) {
            while !isStopped, try await keys.prune() == PostgresKeyStore.pruneLimit {}
        } catch {
            logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
        }
    }

    /// Forgets old messages of the provider, and shows what the newest comparison with it came to.
    private func lookAtReports() async {
        do throws(MerchantStoreError) {
            let forgotten = try await services.notices.prune()
            if forgotten > 0 { logger.info("upkeep.notifications_forgotten", [LogField("count", forgotten)]) }
            if let left = try await services.reports.newestDifferences() { services.showDifferences(left) }
        } catch {
            logger.warning("upkeep.reports_failed", [LogField("detail", error.debugDescription)])
        }
    }

    /// Makes and drops the months of orders.
    private func maintainOrders() async {
        do throws(MerchantStoreError) {
            let work = try await services.orders.maintain(keep: services.deployment.orderRetention)
            let changed = work.made + work.dropped + work.deleted
            guard changed + work.overdue > 0 else { return }
            let fields = [
                LogField("made", work.made), LogField("dropped", work.dropped), LogField("overdue", work.overdue),
                LogField("deleted", work.deleted),
            ]
            logger.info("upkeep.orders_maintained", fields)
        } catch {
            logger.warning("upkeep.orders_failed", [LogField("detail", error.debugDescription)])
        }
    }

    /// The database away is told by its own metrics and log lines; here it is only worth a line.
    private func note(_ event: StaticString, _ failure: Failure) {
        logger.warning(event, [LogField("code", failure.code.rawValue), LogField("detail", failure.detail)])
    }

    /// A unique word for the audit trail.
    private func requestID(_ kind: String) -> String {
        kind + "-" + Hex.encode(services.random.bytes(8))
    }
}
