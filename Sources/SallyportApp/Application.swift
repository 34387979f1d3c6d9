import AmazonPay
package import EventIO
import HTTPClient
import HTTPServer
import MerchantOrders
import Operations
import Persistence
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import SessionBroker
import Settings
import TLS
package import Telemetry
import Web

/// The running program: what `serve`, `demo` and the tests build, in one place where concrete types meet.
///
/// Started in the order of the text of `start`, stopped in the reverse.
package final class Application: Sendable {
    private let loops: [EventLoop]
    private let signer: WorkerThread
    private let signing: SigningQueue
    private let publicServer: Server
    private let redirectServer: Server
    private let adminServer: Server
    private let stopSignal = StopSignal()
    /// Before the other one: what is written down of a try needs the database.
    let workStop = StopSignal()
    /// Before both: what periodic tasks have begun needs the provider and the database.
    let jobs: Jobs
    private let tickets: TLSTicketKeys
    let logger: Logger

    /// Where the public listeners are bound: the TLS one first, where there is one.
    package var addresses: [SocketAddress] { publicServer.boundAddresses }

    /// Where the listener is bound that only says where https is; empty where there is none.
    package var redirectAddresses: [SocketAddress] { redirectServer.boundAddresses }

    /// Where the administration listener is bound; empty where there is none.
    package var adminAddresses: [SocketAddress] { adminServer.boundAddresses }

    /// Starts everything.
    ///
    /// - Parameters:
    ///   - configuration: Checked.
    ///   - parts: The database that is already there, and what only `demo` has.
    ///   - logger: Where to write.
    /// - Returns: The running program, ready for requests.
    /// - Throws: `ConfigurationError`, `ServerError`, `PostgresError` or `IOError`; nothing is left running.
    package static func start(
        _ configuration: Configuration,
        _ parts: ApplicationParts,
        logger: Logger
    ) async throws -> Application {
        let application = try Application(configuration, parts, logger: logger)
        do {
            try await application.open(configuration, parts)
        } catch {
            await application.stop()
            throw error
        }
        return application
    }

    /// Reads every file that the configuration names, so that a mistake is told before anything is started.
    ///
    /// - Parameter configuration: Checked in itself.
    /// - Throws: `ConfigurationError` with every problem of every part.
    static func check(_ configuration: Configuration) throws {
        var problems: [String] = []
        func gather(_ part: () throws -> Void) throws {
            do {
                try part()
            } catch let error as ConfigurationError {
                problems += error.problems
            }
        }
        try gather {
            _ = try Deployment(configuration, provider: try ProviderSetup(configuration), authority: nil)
        }
        try gather { _ = try configuration.tlsContext(try configuration.ticketKeys()) }
        try gather { _ = try configuration.databaseURL() }
        try gather { _ = try PostageSetup(configuration) }
        try gather { _ = try NotificationSetup(configuration) }
        let context = ProcessContext.unserved
        try gather { try configuration.features.start(context).stop() }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    private let deployment: Deployment
    private let provider: ProviderSetup
    let telemetry: AppTelemetry
    private let limits: FlowLimits
    private let quota: CallQuota
    private let sessionCalls: SessionCalls
    /// `nil` where the interface for merchants' programs is not served.
    private let merchantLimits: MerchantLimits?
    private let postage: PostageSetup
    let features: RunningFeatures
    /// `nil` where the provider's messages are not taken in.
    private let notifications: NotificationSetup?

    private init(_ configuration: Configuration, _ parts: ApplicationParts, logger: Logger) throws {
        let metrics = MetricsRegistry()
        self.logger = logger
        telemetry = AppTelemetry(logger: logger, metrics: metrics)
        provider = try ProviderSetup(configuration)
        deployment = try Deployment(configuration, provider: provider, authority: parts.developmentAuthority)
        limits = FlowLimits(policy: configuration.policy)
        quota = CallQuota(provider.quota)
        sessionCalls = SessionCalls(metrics)
        merchantLimits =
            configuration.merchant.isServed
            ? MerchantLimits(perMinute: configuration.merchant.requestsPerMinute) : nil
        postage = try PostageSetup(configuration)
        notifications = try NotificationSetup(configuration)
        jobs = Jobs(drain: configuration.limits.drain, shortenedTo: parts.jobPause)
        tickets = try configuration.ticketKeys()
        let tls = try configuration.tlsContext(tickets)
        let errorFields = deployment.headers.common
        let content = ContentBudget(limit: configuration.limits.contentBytes)
        var listeners = try configuration.publicServer(errorFields: errorFields)
        listeners.content = content
        publicServer = Server(listeners, tls: tls, logger: logger, metrics: metrics)
        listeners = configuration.redirectServer(errorFields: deployment.headers.downgrade)
        listeners.content = content
        redirectServer = Server(listeners, logger: logger, metrics: metrics)
        listeners = configuration.adminServer(errorFields: errorFields)
        listeners.content = content
        adminServer = Server(listeners, logger: logger, metrics: metrics)
        signer = try WorkerThread(name: "sign")
        signing = SigningQueue(signer, metrics: metrics)
        let count = configuration.listeners.loops == 0 ? Machine.coreCount : configuration.listeners.loops
        loops = try (0..<count).map { try EventLoop(name: "loop\($0)", logger: logger, metrics: metrics) }
        // Last: what it starts is ended by `stop`.
        features = try configuration.features.start(
            ProcessContext(
                parts.developmentAuthority == nil ? .serve : .demo,
                FeatureList.all,
                agent: ProgramVersion.agent,
                logger: logger,
                metrics: metrics
            )
        )
    }

    private func open(_ configuration: Configuration, _ parts: ApplicationParts) async throws {
        for loop in loops { try loop.start() }
        let databaseSettings = try configuration.database(at: parts.databaseURL)
        for (index, loop) in loops.enumerated() {
            try await loop.run { reactor in
                let services = try await self.makeServices(reactor, databaseSettings)
                if index == 0 {
                    // First, since a policy may be replaced: that of another account's database must not be.
                    let isAllowed = configuration.provider.allowsAccountChange
                    try await services.orders.demandAccount(self.provider.account, orAllowed: isAllowed)
                    let policy = self.deployment.policy
                    try await PostgresSessionStore(client: services.database, policy: policy)
                        .demandPolicy(policy, orAllowed: configuration.allowsPolicyChange)
                }
                let merchants = MerchantInterface(services)
                let features = try self.openFeatures(reactor, isFirst: index == 0, services, merchants)
                let router = try Router.publicListeners(services, merchants, features)
                try self.publicServer.attach(to: reactor, handler: router)
                let (web, link) = (configuration.listeners.web, configuration.listeners.link)
                try self.redirectServer.attach(to: reactor, handler: HTTPSRedirect(services, web: web, link: link))
                try self.adminServer.attach(to: reactor, handler: try Router.adminListener(services, features))
                features.schedule(
                    JobSchedule(self.jobs, on: reactor, isFirst: index == 0, end: self.workStop, logger: self.logger)
                )
                self.jobs.whenStopped(on: reactor) { services.poller.stop() }
                guard index == 0 else { return }
                self.schedule(services, reactor, configuration)
            }
        }
        let fields = [
            LogField("loops", loops.count),
            LogField("listeners", addresses.map(\.description).joined(separator: " ")),
            LogField("admin", adminAddresses.map(\.description).joined(separator: " ")),
        ]
        logger.info("server.ready", fields)
    }

    /// What lives on one loop: its database connections, its HTTP client, its broker.
    private func makeServices(
        _ reactor: Reactor,
        _ databaseSettings: PostgresConfiguration
    ) async throws -> LoopServices {
        let database = PostgresClient(
            reactor: reactor,
            configuration: databaseSettings,
            logger: logger,
            metrics: telemetry.metrics
        )
        database.start()
        reactor.onStop(stopSignal) {
            await database.drain()
            database.close()
        }
        try await database.waitUntilReady(within: .seconds(15))
        let account = provider.account
        let store = PostgresSessionStore(client: database, policy: deployment.policy, account: account)
        let broker = try Broker(
            store: store,
            policy: deployment.policy,
            limits: limits,
            random: reactor.random,
            clock: SystemClock(),
            metrics: telemetry.metrics
        )
        return LoopServices(
            deployment,
            reactor: reactor,
            parts: LoopServices.Parts(
                broker: broker,
                checkout: makeCheckout(reactor),
                database: database,
                sweeper: Sweeper(store: store),
                liveSessions: LiveSessionCounter(
                    store: store,
                    limits: limits,
                    life: deployment.policy.times.absolute,
                    clock: SystemClock()
                ),
                merchant: try makeMerchant(database, account),
                postage: try postage.client(reactor, telemetry),
                notifications: notifications,
                account: account,
                features: features
            ),
            telemetry: telemetry
        )
    }

    private func openFeatures(
        _ reactor: Reactor,
        isFirst: Bool,
        _ services: LoopServices,
        _ merchants: MerchantInterface?
    ) throws -> FeatureParts {
        let loop = LoopContext(reactor, isFirst: isFirst, database: services.database, headers: deployment.headers)
        loop.offer(deployment.pages)
        if let merchants { loop.offer(merchants, as: (any ServiceGate).self) }
        return try features.open(loop)
    }

    private func makeMerchant(_ database: PostgresClient, _ account: OrderAccount) throws -> MerchantServices? {
        guard let merchantLimits else { return nil }
        return try MerchantServices(
            keys: PostgresKeyStore(client: database),
            creation: PostgresSessionCreation(client: database, policy: deployment.policy),
            account: account,
            limits: merchantLimits,
            metrics: telemetry.metrics,
            clock: SystemClock()
        )
    }

    /// Schedules the periodic work of the process, all of it on its first loop.
    private func schedule(_ services: LoopServices, _ reactor: Reactor, _ configuration: Configuration) {
        let recovery = Recovery(services, reactor, logger: logger)
        jobs.every(Recovery.usualPause, budget: Recovery.budget, on: reactor, recovery.run)
        let maintenance = Maintenance(services, reactor: reactor, logger: logger, isHurried: jobs.isShortened)
        jobs.every(Maintenance.usualPause, budget: Maintenance.budget, on: reactor, maintenance.run)
        guard let pause = configuration.pollRound else { return }
        jobs.every(pause, budget: Poller.budget, on: reactor, services.poller.run)
    }

    private func makeCheckout(_ reactor: Reactor) -> CheckoutService {
        CheckoutService.make(
            provider,
            quota: quota,
            sessionCalls: sessionCalls,
            reactor: reactor,
            telemetry: telemetry,
            signing: signing
        )
    }

    /// Waits for a run of each job that begins after this call; returns at once when the program has stopped.
    ///
    /// For tests, which shorten the pauses.
    package func nextJobRuns() async {
        await jobs.nextRuns()
    }

    /// Runs a body on the first loop.
    func onFirstLoop<Value: Sendable>(
        _ body: @escaping @Sendable (Reactor) async throws -> Value
    ) async throws -> Value {
        try await loops[0].run(body)
    }

    /// Reads certificate and key again; connections that exist keep the old ones.
    ///
    /// - Parameter configuration: Names the files.
    /// - Throws: What is wrong with the files; the old certificate stays in use.
    package func reloadCertificate(_ configuration: Configuration) throws {
        guard let context = try configuration.tlsContext(tickets) else { return }
        publicServer.reload(context)
        logger.info("server.certificate_reloaded")
    }

    /// Stops accepting, answers what is in flight, closes, ends the loops.
    package func stop() async {
        // A call of theirs takes as long as one that a client waits for: both end together.
        async let jobs: Void = jobs.stop()
        await publicServer.drain()
        await jobs
        await redirectServer.drain()
        await adminServer.drain()
        await workStop.stop()
        await stopSignal.stop()
        for loop in loops { loop.stop() }
        for loop in loops { loop.join() }
        features.stop()
        signer.stop()
        signer.join()
        logger.info("server.stopped")
    }
}
