package import EventIO
import HTTPServer
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import TLS
package import Telemetry
import Web

/// The running program: what `serve`, `demo` and the tests build, in one place where concrete types meet.
///
/// `init` makes what the process shares, `open` what each loop has; `stop` ends both in the reverse order.
package final class Application: Sendable {
    private let loops: [EventLoop]
    private let publicServer: Server
    private let redirectServer: Server
    private let adminServer: Server
    /// Stops first: a run that is under way needs the provider and the database.
    let jobs: Jobs
    /// Ends what goes on until the process stops, such as webhook delivery; the database is still there.
    let workStop = StopSignal()
    /// Leaves the database.
    private let databaseStop = StopSignal()
    private let tickets: TLSTicketKeys
    private let certificates: CertificateEnds
    /// What the service manager hears.
    let reports: ServiceReports
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

    /// Reads every file that the configuration names, so that a mistake is reported before anything is started.
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
            let process = try configuration.unservedProcess()
            defer { process.workers.stop() }
            try configuration.features.start(process).stop()
        }
        try gather { _ = try configuration.certificates(try configuration.ticketKeys()) }
        try gather { _ = try configuration.databaseURL() }
        try gather { _ = try AdminAccess(configuration) }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    private let access: AdminAccess
    private let process: ProcessContext
    private let site: SitePart
    private let partitions: PartitionHealth
    let features: RunningFeatures

    private init(_ configuration: Configuration, _ parts: ApplicationParts, logger: Logger) throws {
        let metrics = MetricsRegistry()
        self.logger = logger
        process = try configuration.process(authority: parts.developmentAuthority, logger: logger, metrics: metrics)
        site = SitePart(process)
        partitions = PartitionHealth(metrics)
        Application.declareProcess(in: metrics)
        jobs = Jobs(drain: configuration.limits.drain, shortenedTo: parts.jobPause)
        access = try AdminAccess(configuration)
        tickets = try configuration.ticketKeys()
        let served = try configuration.certificates(tickets)
        certificates = CertificateEnds(served, metrics)
        let tls = served?.context
        reports = ServiceReports(parts.serviceManager, logger)
        let headers = process.headers
        var listeners = try configuration.publicServer(errorFields: headers.common)
        let content = ContentBudget(limit: configuration.limits.contentBytes, hasShares: listeners.limits.hasShares)
        listeners.content = content
        publicServer = Server(listeners, tls: tls, logger: logger, metrics: metrics)
        listeners = configuration.redirectServer(errorFields: headers.downgrade)
        listeners.content = content
        redirectServer = Server(listeners, logger: logger, metrics: metrics)
        listeners = try configuration.adminServer(errorFields: headers.downgrade)
        listeners.content = content
        adminServer = Server(listeners, logger: logger, metrics: metrics)
        let count = configuration.listeners.loops == 0 ? Machine.coreCount : configuration.listeners.loops
        loops = try (0..<count).map { try EventLoop(name: "loop\($0)", logger: logger, metrics: metrics) }
        // Last: what it starts is ended by `stop`.
        features = try configuration.features.start(process)
        for feature in configuration.features.off {
            logger.info("feature.off", [LogField("feature", feature.name), LogField("reason", feature.sentence)])
        }
    }

    /// What runs, and since when.
    private static func declareProcess(in metrics: MetricsRegistry) {
        let build = [("version", ProgramVersion.text), ("commit", ProgramVersion.commit)]
        metrics.gauge("sallyport_build_info", help: "What runs; always 1.", labels: build).set(1)
        let start = metrics.gauge(
            "process_start_time_seconds",
            help: "Start time of the process since unix epoch in seconds."
        )
        start.set(Int(SystemClock().now().seconds))
    }

    private func open(_ configuration: Configuration, _ parts: ApplicationParts) async throws {
        for loop in loops { try loop.start() }
        let databaseSettings = try configuration.database(at: parts.databaseURL)
        for (index, loop) in loops.enumerated() {
            try await loop.run { reactor in
                let database = try await self.connect(reactor, databaseSettings)
                let loop = LoopContext(
                    reactor,
                    isFirst: index == 0,
                    database: database,
                    headers: self.process.headers,
                    logger: self.logger,
                    metrics: self.process.metrics
                )
                self.site.offer(on: loop)
                if index == 0 { try await self.features.prepare(loop) }
                let features = try self.features.open(loop)
                try self.attach(loop, features)
                self.schedule(loop, features)
            }
        }
        let fields = [
            LogField("loops", loops.count),
            LogField("listeners", addresses.map(\.description).joined(separator: " ")),
            LogField("admin", adminAddresses.map(\.description).joined(separator: " ")),
        ]
        logger.info("server.ready", fields)
    }

    private func connect(_ reactor: Reactor, _ settings: PostgresConfiguration) async throws -> PostgresClient {
        let database = PostgresClient(
            reactor: reactor,
            configuration: settings,
            logger: logger,
            metrics: process.metrics
        )
        database.start()
        reactor.onStop(databaseStop) {
            await database.drain()
            database.close()
        }
        try await database.waitUntilReady(within: .seconds(15))
        return database
    }

    /// Has the listeners of a loop answer.
    private func attach(_ loop: LoopContext, _ features: FeatureParts) throws {
        let unknown = UnknownHosts(process.web, process.link, logger, on: loop.reactor)
        let router = try Router.publicListeners(process, site, loop, features, noting: unknown)
        try publicServer.attach(to: loop.reactor, handler: router)
        let redirect = HTTPSRedirect(
            loop.offered((any PlaintextGuard).self),
            loop.headers,
            web: process.web,
            link: process.link,
            noting: unknown
        )
        try redirectServer.attach(to: loop.reactor, handler: redirect)
        let readiness = Readiness(loop.database, self.features, partitions)
        if loop.isFirst { reports.watch(loops, on: loop.reactor) { readiness.sentence } }
        let admin = AdminPart(readiness, process.metrics, fields: loop.headers.downgrade)
        let adminRouter = try Router.adminListener(admin, access, loop, features)
        try adminServer.attach(to: loop.reactor, handler: adminRouter)
    }

    /// Schedules the periodic work of a loop; what the process does once is on the first.
    private func schedule(_ loop: LoopContext, _ features: FeatureParts) {
        let upkeep = loop.isFirst ? Upkeep(isHurried: jobs.isShortened) : nil
        if let upkeep {
            let store = PostgresPartitionStore(client: loop.database)
            let retentions = self.features.retentions
            PartitionUpkeep(store, health: partitions, retentions, logger: logger).add(to: upkeep)
            OperatorUpkeep(PostgresOperatorStore(client: loop.database), retentions, logger: logger).add(to: upkeep)
        }
        let schedule = JobSchedule(jobs, on: loop.reactor, upkeep, end: workStop, logger: logger)
        schedule.finish { loop.shield.isIdle }
        features.schedule(schedule)
        upkeep?.start(jobs, on: loop.reactor) { [database = loop.database] in database.workTime }
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
    /// - Throws: What is wrong with the files; the old certificate stays in use.
    package func reloadCertificate(_ configuration: Configuration) throws {
        guard let served = try configuration.certificates(tickets) else { return }
        publicServer.reload(served.context)
        certificates.show(served)
        logger.info("server.certificate_reloaded")
    }

    /// Stops accepting, answers what is in flight, closes, ends the loops.
    package func stop() async {
        // A call of theirs takes as long as one that a client waits for: both end together.
        async let jobs: Void = jobs.stop()
        async let redirect: Void = redirectServer.drain()
        await publicServer.drain()
        await jobs
        await redirect
        await adminServer.drain()
        await workStop.stop()
        await databaseStop.stop()
        // Until here a loop that hangs would leave the program hanging.
        await reports.stop()
        for loop in loops { loop.stop() }
        for loop in loops { loop.join() }
        features.stop()
        process.workers.stop()
        logger.info("server.stopped")
    }
}
