import Checkout
import EventIO
import HTTPCore
import MerchantAPI
import MerchantOrders
import Pages
import Persistence
import Postgres
import Primitives
import ServerCore
import SessionBroker
import Telemetry
import Web
import Webhooks

/// Everything that lives on one loop and that its handlers share; made on the loop, never leaves it.
final class LoopServices {
    /// What is the same for every loop.
    let deployment: Deployment
    /// The state machine.
    let broker: Broker
    /// The provider.
    let checkout: CheckoutService
    /// Both together.
    let purchases: PurchaseService
    /// The one way to a flow.
    let creation: SessionCreation
    /// Asks merchants what sending an order costs.
    let postage: ShippingCostClient
    /// The interface for merchants' programs; `nil` where it is not served.
    let merchant: MerchantServices?
    /// Expires what is overdue; one loop runs it.
    let sweeper: Sweeper
    /// Makes and drops partitions; one loop runs it.
    let partitions: PartitionUpkeep
    /// Counts live sessions for the limits; one loop runs it.
    let liveSessions: LiveSessionCounter
    /// Orders and the ledger.
    let orders: PostgresOrderStore
    /// What merchants are told.
    let events: PostgresEventStore
    /// Moves money that merchants ask for.
    let payments: PaymentService
    /// Reads objects at the provider that nobody waits for.
    let poller: Poller
    /// Takes in what the provider pushes; `nil` where nothing is taken in.
    let notifications: NotificationInbox?
    /// What the provider has pushed.
    let notices: PostgresNotificationStore
    /// Finds the purchases that those are about which no order has.
    let unmatchedNotifications: UnmatchedNotifications
    /// What comparisons with the provider came to.
    let reports: PostgresReconciliationStore
    /// What has no outcome yet.
    let unsettled: PostgresUnsettledStore
    /// What operators decided.
    let operators: PostgresOperatorStore
    /// The features of the process.
    let features: RunningFeatures
    /// Counters of all loops.
    let metrics: MetricsRegistry
    /// The loop's way to the database.
    let database: PostgresClient
    private let partitionHealth: PartitionHealth
    private let reactor: Reactor
    private let logger: Logger
    private let counters: AppCounters
    private var refusalLines: LogRateLimiter
    private var reportLines: LogRateLimiter
    private var shedLines: LogRateLimiter
    private let overloaded: PreparedRefusal
    private let unconnected: PreparedRefusal

    /// The services of a loop.
    ///
    /// - Parameters:
    ///   - deployment: What is the same for every loop.
    ///   - reactor: The loop's.
    ///   - parts: What was made on this loop.
    ///   - telemetry: Where to write and count.
    init(_ deployment: Deployment, reactor: Reactor, parts: Parts, telemetry: AppTelemetry) {
        self.deployment = deployment
        self.reactor = reactor
        broker = parts.broker
        checkout = parts.checkout
        database = parts.database
        sweeper = parts.sweeper
        liveSessions = parts.liveSessions
        merchant = parts.merchant
        creation = SessionCreation(broker: parts.broker, ownTerms: deployment.ownTerms)
        postage = parts.postage
        partitions = PartitionUpkeep(
            PostgresPartitionStore(client: parts.database),
            health: telemetry.partitions,
            times: deployment.policy.times,
            keepOrders: deployment.orderRetention,
            logger: telemetry.logger
        )
        partitionHealth = telemetry.partitions
        orders = PostgresOrderStore(client: parts.database, account: parts.account)
        events = PostgresEventStore(client: parts.database)
        payments = PaymentService(
            orders: orders,
            client: parts.checkout.client,
            random: reactor.random,
            logger: telemetry.logger,
            metrics: telemetry.metrics
        )
        let poller = Poller(
            (PostgresPollStore(client: parts.database, account: parts.account), orders),
            checkout: parts.checkout,
            counters: telemetry.polls,
            reactor: reactor,
            logger: telemetry.logger
        )
        self.poller = poller
        purchases = PurchaseService(
            broker: parts.broker,
            checkout: parts.checkout,
            polls: telemetry.polls,
            wakePolls: { poller.wake() },
            logger: telemetry.logger
        )
        reports = PostgresReconciliationStore(client: parts.database)
        unsettled = PostgresUnsettledStore(client: parts.database)
        operators = PostgresOperatorStore(client: parts.database)
        notices = PostgresNotificationStore(client: parts.database)
        unmatchedNotifications = UnmatchedNotifications(
            notices,
            broker: parts.broker,
            purchases: purchases,
            client: parts.checkout.client,
            random: reactor.random,
            logger: telemetry.logger
        )
        notifications = parts.notifications?
            .inbox(notices, reactor: reactor, telemetry: telemetry, wake: { poller.wake() })
        features = parts.features
        metrics = telemetry.metrics
        logger = telemetry.logger
        counters = telemetry.counters
        reportLines = LogRateLimiter(perSecond: 1)
        shedLines = LogRateLimiter(perSecond: 1)
        overloaded = PreparedRefusal(Failure(.unavailable, retryAfter: 1), deployment)
        unconnected = PreparedRefusal(Failure(.unavailable), deployment)
        refusalLines = LogRateLimiter(perSecond: LoopServices.refusalLinesPerSecond)
    }

    /// More tell an operator nothing new while the database is away, and writing them would be most of the work.
    private static let refusalLinesPerSecond = 20

    /// What was made on the loop before.
    struct Parts {
        let broker: Broker
        let checkout: CheckoutService
        let database: PostgresClient
        let sweeper: Sweeper
        let liveSessions: LiveSessionCounter
        let merchant: MerchantServices?
        let postage: ShippingCostClient
        let notifications: NotificationSetup?
        let account: OrderAccount
        let features: RunningFeatures
    }

    /// Supplies nonces.
    var random: any RandomSource { reactor.random }

    /// Whether the database answers on this loop.
    var isReady: Bool { database.isReady }

    /// Whether inserts fail because there is no partition for now.
    var isWithoutPartition: Bool { partitionHealth.isMissing }

    /// The answer to a request that begins something, where the store could not take it in.
    ///
    /// Under an overload there are more of these than of all others, so they are made once and counted; no task begins for
    /// them and one line in a second tells of them.
    ///
    /// - Parameters:
    ///   - request: What begins something, to be given to its handler in this turn.
    ///   - format: JSON or a page.
    /// - Returns: 503 with `Retry-After`, or `nil` where there is room.
    func loadSheddingAnswer(_ request: HTTPRequest, _ format: FormatName) -> StaticResponse? {
        let admission = database.admit()
        guard admission != .granted else { return nil }
        counters.unavailable.increment()
        if let unwritten = shedLines.take(at: reactor.now) {
            logger.warning(
                "request.shed",
                [LogField("code", FailureCode.unavailable.name), LogField("unwritten", unwritten)]
            )
        }
        let refusals = admission == .overloaded ? overloaded : unconnected
        return refusals.answer(request, format)
    }

    /// Asks the broker, and turns a failure of its store into the contract's words.
    ///
    /// - Parameter body: One call of the broker.
    /// - Returns: The verdict.
    /// - Throws: `unavailable`, `rate_limited` or `internal_error`.
    func mapErrors<Value>(_ body: (Broker) async throws(StoreError) -> Value) async throws(Failure) -> Value {
        do throws(StoreError) {
            return try await body(broker)
        } catch {
            throw error.failure
        }
    }

    /// Runs a body to its end even when the client goes away meanwhile.
    ///
    /// For handlers of several steps of which the first takes something that the last gives back: a lease, a placement. The
    /// body is a task of its own, which the connection cannot cancel.
    ///
    /// - Parameter body: Runs on this loop.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    func runToCompletion<Value, Refusal: Error>(
        _ body: @escaping () async throws(Refusal) -> Value
    ) async throws(Refusal) -> Value {
        let result: Result<Value, Refusal> = await suspend { (suspension: Suspension<Result<Value, Refusal>>) in
            reactor.startTask {
                do throws(Refusal) {
                    suspension.resume(.success(try await body()))
                } catch {
                    suspension.resume(.failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Shows how many differences the newest comparison with the provider has left, and when it ended.
    func showReport(_ report: (differences: Int, ended: WallTime)) {
        counters.ledgerDifferences.set(report.differences)
        counters.lastReport.set(Int(report.ended.seconds))
    }

    /// Counts where an open came from; the broker counts what became of it.
    func countOpen(_ site: FetchSite, _ client: ClientKind?) {
        counters.open(site, client).increment()
    }

    /// Counts a browser's report, and writes one a second down: everybody can send them.
    func note(_ report: PolicyReport) {
        counters.policyReports.increment()
        guard let unwritten = reportLines.take(at: reactor.now) else { return }
        var fields = [LogField("directive", report.directive), LogField("source", report.source)]
        if unwritten > 0 { fields.append(LogField("unwritten", unwritten)) }
        logger.info("page.policy_report", fields)
    }

    /// Writes down that a merchant's request failed for a reason on our side.
    ///
    /// - Parameters:
    ///   - problem: What the client was told, with its detail.
    ///   - requestID: Of the request.
    func note(_ problem: Failure, requestID: String) {
        guard problem.code.status.code >= 500, let unwritten = refusalLines.take(at: reactor.now) else { return }
        var fields = [
            LogField("code", problem.code.name), LogField("detail", problem.detail), LogField("request", requestID),
        ]
        if let flow = problem.session { fields.append(LogField("flow", flow.description)) }
        if unwritten > 0 { fields.append(LogField("unwritten", unwritten)) }
        logger.warning("merchant.request_failed", fields)
    }

    /// Writes a refusal down that an operator should know of; what any client can provoke at will is only counted.
    func note(_ failure: Failure, _ request: HTTPRequest) {
        counters.refusal(failure.code).increment()
        guard failure.code.isOurs, let unwritten = refusalLines.take(at: reactor.now) else { return }
        var fields = [
            LogField("code", failure.code.name), LogField("detail", failure.detail),
            LogField("request", request.requestID),
        ]
        if let flow = failure.session { fields.append(LogField("flow", flow.description)) }
        if unwritten > 0 { fields.append(LogField("unwritten", unwritten)) }
        if failure.code == .internalError {
            logger.error("request.failed", fields)
        } else {
            logger.warning("request.refused", fields)
        }
    }
}
