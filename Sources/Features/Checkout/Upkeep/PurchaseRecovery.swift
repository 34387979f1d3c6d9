import EventIO
import Operations
import Primitives
import SessionBroker
import Telemetry
import Web

/// Takes up purchases under way that have no result because their holder is gone.
///
/// One per process, a periodic task of its own, which nothing else delays. Each row is claimed before it is taken over, so that
/// several processes share the work; one that cannot be taken over is put off and holds up no other.
final class PurchaseRecovery {
    private let services: CheckoutPart
    private let parts: WorkerPool
    private let purchases: WorkerPool
    private let stuck: WorkerPool
    private let logger: Logger

    /// Between two runs; a lease is three times as long.
    static let pause = Duration.seconds(15)
    /// After which a run claims nothing more; unmatched notifications are looked at once in a run.
    static let budget = Duration.seconds(300)
    /// How many purchases are taken up at a time; each waits for the provider most of the time.
    private static let width = 8

    /// Recovery on the loop of a part.
    init(_ services: CheckoutPart) {
        self.services = services
        logger = services.logger
        let reactor = services.reactor
        parts = WorkerPool(reactor, width: 4)
        purchases = WorkerPool(reactor, width: PurchaseRecovery.width)
        stuck = WorkerPool(reactor, width: PurchaseRecovery.width)
    }

    /// Takes up what is overdue, until nothing is.
    func run(_ budget: RunBudget) async {
        var hasWoken = false
        // None waits for another: a slow read of a permission holds up no purchase.
        await parts.all([
            { hasWoken = await self.services.unmatchedNotifications.follow() },
            { await self.recoverPurchases(budget) },
            { await self.rereadStuck() },
        ])
        if hasWoken { await recoverPurchases(budget) }
    }

    private func recoverPurchases(_ budget: RunBudget) async {
        do throws(StoreError) {
            let store = services.broker.store
            try await purchases.takeUp(
                budget,
                claim: { (limit) async throws(StoreError) in try await store.claimOverdue(limit: limit) },
                { await self.recover($0) },
                postpone: { (purchase) async throws(StoreError) in try await store.postpone(purchase.webviewSession) }
            )
        } catch {
            // Loss of the connection has its own metrics and log lines; here it is only worth a line.
            logger.warning("upkeep.recovery_failed", [LogField("detail", error.debugDescription)])
        }
    }

    /// Takes up one purchase; false where that failed.
    private func recover(_ purchase: OverduePurchase) async -> Bool {
        let caller = Caller(internal: "recovery", request: "recovery-" + Hex.encode(services.random.bytes(8)))
        do throws(Failure) {
            try await services.purchases.recover(purchase, by: caller)
            return true
        } catch {
            let fields = [
                LogField("webview_session", purchase.webviewSession.description), LogField("detail", error.detail),
            ]
            logger.error("purchase.not_recovered", fields)
            return false
        }
    }

    /// Reads a few of the sessions whose purchases were given up, each once a day.
    private func rereadStuck() async {
        do throws(StoreError) {
            for purchase in try await services.broker.store.claimStuck(limit: PurchaseRecovery.width) {
                stuck.start { await self.reread(purchase.webviewSession) }
            }
        } catch {
            logger.warning("upkeep.reread_failed", [LogField("detail", error.debugDescription)])
        }
        await stuck.finish()
    }

    private func reread(_ webviewSession: WebviewSessionID) async {
        let caller = Caller(internal: "recovery", request: "reread-" + Hex.encode(services.random.bytes(8)))
        do {
            let store = services.broker.store
            let payment = try await store.payment(of: webviewSession)
            let reread = try await services.purchases.reread(webviewSession, payment, by: caller)
            if reread == .heldBack { try await store.putBackStuck(webviewSession) }
        } catch {
            logger.warning("upkeep.reread_failed", [LogField("detail", String(reflecting: error))])
        }
    }
}
