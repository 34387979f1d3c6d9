import Checkout
import EventIO
import Operations
import Primitives
import Telemetry

/// Takes up operations on payments that have no result because their holder is gone.
///
/// One per process, a periodic task of its own, which nothing else delays. Each row is claimed before it is taken over, so that
/// several processes share the work; one that cannot be taken over is put off and holds up no other.
final class PaymentRecovery {
    private let orders: PostgresOrderStore
    private let payments: PaymentService
    private let workers: WorkerPool
    private let logger: Logger

    /// Between two runs; a lease is three times as long.
    static let pause = Duration.seconds(15)
    /// After which a run claims nothing more.
    static let budget = Duration.seconds(300)
    /// How many operations are taken up at a time; each waits for the provider most of the time.
    private static let width = 8

    init(_ orders: PostgresOrderStore, _ payments: PaymentService, _ reactor: Reactor, logger: Logger) {
        self.orders = orders
        self.payments = payments
        self.logger = logger
        workers = WorkerPool(reactor, width: PaymentRecovery.width)
    }

    /// Takes up what is overdue, until nothing is.
    func run(_ budget: RunBudget) async {
        let orders = orders
        do throws(StoreError) {
            try await workers.takeUp(
                budget,
                claim: { (limit) async throws(StoreError) in try await orders.claimLeft(limit: limit) },
                { await self.recover($0) },
                postpone: { (operation) async throws(StoreError) in try await orders.postpone(operation) }
            )
        } catch {
            logger.warning("upkeep.payments_failed", [LogField("detail", error.debugDescription)])
        }
    }

    /// Takes up one operation; false where that failed.
    private func recover(_ operation: UUIDBytes) async -> Bool {
        do throws(StoreError) {
            try await payments.recover(operation)
            return true
        } catch {
            let fields = [LogField("operation", operation.description), LogField("detail", error.debugDescription)]
            logger.error("payment.not_recovered", fields)
            return false
        }
    }
}
