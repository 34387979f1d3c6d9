import CheckoutCodes
package import Commerce
import EventIO
import HTTPCore
package import MerchantAPI
package import MerchantOrders
import Operations
import Postgres
import Primitives
import ServerCore
import ServiceAPI
package import SessionBroker
import Telemetry
package import Web

/// The checkout on one loop: what its handlers share, and what features above reach it by.
package final class CheckoutPart {
    /// What is the same for every loop.
    package let deployment: Deployment
    /// The state machine.
    package let broker: Broker
    /// The provider.
    package let provider: CheckoutService
    /// Both together.
    package let purchases: PurchaseService
    /// The one way to a session.
    package let creation: SessionCreation
    /// Says what sending an order costs where its terms name a server to ask; the feature above that knows such servers sets
    /// it.
    package var shippingCosts: (any ShippingCosts)?
    /// Signals that the provider has news of an object; the feature above that reads objects listens.
    package let objectNews: ObjectNews
    /// What became of readings at the provider.
    package let polls: PollCounters
    /// The account that orders are of.
    package let account: OrderAccount
    /// Takes in what the provider pushes; `nil` where nothing is taken in.
    let notifications: NotificationInbox?
    /// What the provider has pushed.
    let notices: PostgresNotificationStore
    /// Finds the purchases that those are about which no order has.
    let unmatchedNotifications: UnmatchedNotifications
    /// The loop's way to the database.
    let database: PostgresClient
    let logger: Logger
    let metrics: MetricsRegistry
    let reactor: Reactor
    /// Expires what is overdue; one loop runs it.
    let sweeper: Sweeper
    /// Expires them as soon as the nearer deadline is over.
    let deadlines: DeadlineSweeper
    /// Counts live sessions for the limits; one loop runs it.
    let liveSessions: LiveSessionCounter
    /// Brings what has begun to its end.
    let shield: CancellationShield
    /// Demands an assertion of apps that ask for a launch ticket; `nil` where the settings want none.
    private(set) var issueGuard: (any AppGuard)?
    private let findGuard: () -> (any AppGuard)?
    private let counters: CheckoutCounters
    private let refusals: FailureLog
    private var reportLines: LogRateLimiter
    private var shedLines: LogRateLimiter
    private let overloaded: PreparedRefusal
    private let unconnected: PreparedRefusal

    init(_ process: CheckoutProcess, _ loop: LoopContext) throws {
        let (deployment, telemetry, reactor) = (process.deployment, process.telemetry, loop.reactor)
        self.deployment = deployment
        self.reactor = reactor
        database = loop.database
        shield = loop.shield
        refusals = loop.refusals
        logger = telemetry.logger
        metrics = telemetry.metrics
        counters = telemetry.counters
        polls = telemetry.polls
        account = process.provider.account
        let store = try PostgresSessionStore(client: database, policy: deployment.policy, account: account)
        broker = try Broker(
            store: store,
            policy: deployment.policy,
            limits: process.limits,
            random: reactor.random,
            clock: SystemClock(),
            metrics: metrics,
            steps: StepLog(logger, at: process.settings.logsSteps ? .info : .debug)
        )
        provider = CheckoutService.make(
            process.provider,
            quota: process.quota,
            sessionCalls: process.sessionCalls,
            reactor: reactor,
            logger: logger,
            metrics: metrics,
            signing: process.signing,
            over: loop.client(process.provider.outbound)
        )
        sweeper = Sweeper(store: store)
        deadlines = DeadlineSweeper(store: store, life: deployment.policy.times.absolute, clock: SystemClock())
        liveSessions = LiveSessionCounter(
            store: store,
            limits: process.limits,
            life: deployment.policy.times.absolute,
            clock: SystemClock()
        )
        creation = SessionCreation(broker: broker, ownTerms: deployment.ownTerms)
        let objectNews = ObjectNews()
        self.objectNews = objectNews
        purchases = PurchaseService(
            broker: broker,
            checkout: provider,
            polls: polls,
            wakePolls: { objectNews.signal() },
            logger: logger
        )
        notices = PostgresNotificationStore(client: database)
        unmatchedNotifications = UnmatchedNotifications(
            notices,
            broker: broker,
            purchases: purchases,
            client: provider.client,
            random: reactor.random,
            logger: logger,
            wakePolls: { objectNews.signal() }
        )
        notifications = process.notifications.map { [telemetry, reactor, notices] setup in
            let exchange = loop.client(setup.outbound)
            return setup.inbox(notices, reactor: reactor, telemetry: telemetry, over: exchange) { objectNews.signal() }
        }
        findGuard = { loop.offered((any AppGuard).self) }
        reportLines = LogRateLimiter(perSecond: 1)
        shedLines = LogRateLimiter(perSecond: 1)
        overloaded = PreparedRefusal(Failure(.unavailable, retryAfter: 1), deployment)
        unconnected = PreparedRefusal(Failure(.unavailable), deployment)
    }

    /// Takes up the guard that a feature above offers, once all are open.
    func takeUpGuard() {
        guard let found = findGuard(), found.guards(GuardedRoute.issue.name) else { return }
        issueGuard = found
    }

    /// Supplies nonces.
    var random: any RandomSource { reactor.random }

    /// The answer to a request that begins something, where the store could not take it in.
    ///
    /// Under an overload there are more of these than of all others, so they are made once and counted; no task begins for
    /// them and one line in a second is logged.
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

    /// Counts a refusal, and writes it down where an operator should know of it.
    func note(_ failure: Failure, _ request: HTTPRequest) {
        counters.refusal(failure.code).increment()
        refusals.note(failure, of: request)
    }
}

/// Says what sending an order costs, by asking a server that the order's terms name.
package protocol ShippingCosts: AnyObject {
    /// Gets the shipping cost from the server.
    ///
    /// - Parameters:
    ///   - address: Of the order's terms, which may be older than the settings.
    /// - Returns: A postage with which the order can be charged, or why nothing is sent there.
    /// - Throws: `postage_failed`, with a detail that names the origin and holds nothing of the address or the answer.
    func ask(
        _ address: String,
        _ question: PostageQuestion,
        _ webviewSession: WebviewSessionID
    ) async throws(Failure) -> DeliveryAnswer
}

/// Signals that the provider has news of an object.
package final class ObjectNews {
    /// Called for each signal; nobody listens where it is `nil`.
    package var listener: (() -> Void)?

    func signal() { listener?() }
}
