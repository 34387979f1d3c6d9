import EventIO
import MerchantOrders
import Operations
import Pages
import Persistence
import Primitives
import SessionBroker
import Telemetry
import Web

/// Takes up what has no result because its holder is gone: purchases under way and operations on payments.
///
/// One per process, a periodic task of its own, which nothing else delays. Each row is claimed before it is taken over, so that
/// several processes share the work; one that cannot be taken over is put off and holds up no other.
final class Recovery {
    private let services: LoopServices
    private let parts: WorkerPool
    private let purchases: WorkerPool
    private let payments: WorkerPool
    private let stuck: WorkerPool
    private let logger: Logger

    /// Between two runs; a lease is three times as long.
    static let usualPause = Duration.seconds(15)
    /// After which a run claims nothing more; unmatched notifications are looked at once in a run.
    static let budget = Duration.seconds(300)
    /// How many purchases, and how many operations, are taken up at a time; each waits for the provider most of the time.
    private static let width = 8

    /// Recovery on the present loop.
    ///
    /// - Parameters:
    ///   - services: The loop's.
    ///   - reactor: The loop's.
    ///   - logger: Hears what could not be taken up.
    init(_ services: LoopServices, _ reactor: Reactor, logger: Logger) {
        self.services = services
        self.logger = logger
        parts = WorkerPool(reactor, width: 4)
        purchases = WorkerPool(reactor, width: Recovery.width)
        payments = WorkerPool(reactor, width: Recovery.width)
        stuck = WorkerPool(reactor, width: Recovery.width)
    }

    /// Takes up what is overdue, until nothing is.
    func run(_ budget: RunBudget) async {
        var hasWoken = false
        // None waits for another: a provider that is slow to tell of a permission holds up no purchase.
        await parts.all([
            { hasWoken = await self.services.unmatchedNotifications.follow() },
            { await self.recoverPurchases(budget) }, { await self.recoverPayments(budget) },
            { await self.rereadStuck() },
        ])
        if hasWoken { await recoverPurchases(budget) }
    }

    // MARK: Purchases

    private func recoverPurchases(_ budget: RunBudget) async {
        do throws(StoreError) {
            try await purchases.run(
                budget,
                claim: { (limit) async throws(StoreError) in try await self.services.broker.claimOverdue(limit: limit)
                },
                { await self.recover($0) }
            )
        } catch {
            // Loss of the connection has its own metrics and log lines; here it is only worth a line.
            logger.warning("upkeep.recovery_failed", [LogField("detail", error.debugDescription)])
        }
    }

    /// Takes up one purchase; false where the store cannot even put it off, so that the others would fare no better.
    private func recover(_ purchase: OverduePurchase) async -> Bool {
        let caller = Caller(internal: "recovery", request: "recovery-" + Hex.encode(services.random.bytes(8)))
        do throws(Failure) {
            try await services.purchases.recover(purchase, by: caller)
            return true
        } catch {
            let fields = [LogField("flow", purchase.flow.description), LogField("detail", error.detail)]
            logger.error("purchase.not_recovered", fields)
        }
        do throws(StoreError) {
            try await services.broker.postpone(purchase.flow)
            return true
        } catch {
            return false
        }
    }

    /// Reads a few of the sessions whose purchases were given up, each once a day.
    private func rereadStuck() async {
        do throws(StoreError) {
            for purchase in try await services.broker.claimStuck(limit: Recovery.width) {
                stuck.start { await self.reread(purchase.flow) }
            }
        } catch {
            logger.warning("upkeep.reread_failed", [LogField("detail", error.debugDescription)])
        }
        await stuck.finish()
    }

    private func reread(_ flow: FlowID) async {
        let caller = Caller(internal: "recovery", request: "reread-" + Hex.encode(services.random.bytes(8)))
        do {
            _ = try await services.purchases.reread(flow, try await services.broker.payment(of: flow), by: caller)
        } catch {
            logger.warning("upkeep.reread_failed", [LogField("detail", String(reflecting: error))])
        }
    }

    // MARK: Payments

    private func recoverPayments(_ budget: RunBudget) async {
        let orders = services.orders
        do throws(StoreError) {
            try await payments.run(
                budget,
                claim: { (limit) async throws(StoreError) in try await orders.claimLeft(limit: limit) },
                { await self.recover($0) }
            )
        } catch {
            logger.warning("upkeep.payments_failed", [LogField("detail", error.debugDescription)])
        }
    }

    /// The same for an operation.
    private func recover(_ operation: UUIDBytes) async -> Bool {
        do throws(StoreError) {
            try await services.payments.recover(operation)
            return true
        } catch {
            let fields = [LogField("operation", operation.description), LogField("detail", error.debugDescription)]
            logger.error("payment.not_recovered", fields)
        }
        do throws(StoreError) {
            try await services.orders.postpone(operation)
            return true
        } catch {
            return false
        }
    }
}
