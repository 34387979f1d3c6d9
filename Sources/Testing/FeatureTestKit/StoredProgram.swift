import EventIO
package import HTTPCore
import HTTPServer
import Pages
package import Postgres
package import PostgresTestKit
import Primitives
package import ServerCore
import Settings
import Telemetry
package import TestKit
import Web

/// Features on one loop and a database of their own: a request goes the whole way from the router to the tables and back.
package final class StoredProgram {
    /// The parts of the features.
    package let parts: FeatureParts
    /// The database, beside the program.
    package let admin: PostgresAdmin
    /// What is written.
    package let log: CapturedLog
    /// Where programs of merchants and apps are answered.
    private let router: Router
    private var lastNumber: UInt64 = 0

    /// The web host.
    package static let host = "shop.example"

    private init(_ parts: FeatureParts, _ admin: PostgresAdmin, _ log: CapturedLog, _ router: Router) {
        self.parts = parts
        self.admin = admin
        self.log = log
        self.router = router
    }

    /// Answers a request; one whose content is larger than its route takes is refused as a connection does it.
    ///
    /// - Parameters:
    ///   - target: Path and query, as on the wire.
    ///   - key: Goes into `Authorization`, as a bearer's.
    ///   - json: The content.
    package func ask(
        _ method: HTTPMethod,
        _ target: String,
        key: String? = nil,
        fields: [(HTTPFieldName, String)] = [],
        json: String? = nil
    ) async throws -> Answer {
        var all: [(name: HTTPFieldName, value: String)] = [(.host, StoredProgram.host)]
        if let key { all.append((.authorization, "Bearer \(key)")) }
        if json != nil { all.append((.contentType, "application/json")) }
        all += fields.map { ($0.0, $0.1) }
        guard let request = HTTPRequest(method, target, fields: all, body: Array((json ?? "").utf8)) else {
            throw ScriptError(complaints: ["\(target): no protocol takes this request"])
        }
        lastNumber += 1
        request.serialNumber = lastNumber
        return try await router.answer(request)
    }

    /// Runs a body with features on a loop.
    ///
    /// - Parameters:
    ///   - features: Each with what it needs before it.
    ///   - settings: By name, as `app_store.bundle_id`.
    ///   - database: With the tables of the features.
    ///   - gate: How many may run at once.
    ///   - exchange: Makes what stands in the place of all other servers.
    package static func run(
        _ features: FeatureSet,
        _ settings: [String: String],
        _ database: TestDatabase,
        gate: DatabaseGate,
        exchange: (@Sendable () -> any HTTPExchange)? = nil,
        _ body: @escaping @Sendable (StoredProgram) async throws -> Void
    ) async throws {
        await gate.enter()
        defer { gate.leave() }
        let log = CapturedLog()
        let (running, process) = try start(features, settings, log)
        defer {
            running.stop()
            process.workers.stop()
        }
        let configuration = try patient(database.serviceURL)
        try await withLoop { reactor in
            let metrics = MetricsRegistry()
            let client = PostgresClient(
                reactor: reactor,
                configuration: configuration,
                logger: .silent,
                metrics: metrics
            )
            client.start()
            defer { client.close() }
            try await client.waitUntilReady(within: TestDatabase.patience)
            let loop = LoopContext(
                reactor,
                database: client,
                headers: process.headers,
                logger: process.logger,
                metrics: metrics
            )
            if let exchange { loop.offer(exchange(), as: (any HTTPExchange).self) }
            SitePart(process).offer(on: loop)
            try await running.prepare(loop)
            let parts = try running.open(loop)
            let site = Site(
                .web,
                host: Array(process.web.authority.utf8),
                fallback: .page,
                formats: loop.formats,
                headFields: process.headers.redirect
            )
            var routes = try Routes([site] + parts.sites)
            try parts.mount(&routes)
            let router = Router(routes, misdirected: StaticResponse(HTTPResponse(.misdirected)))
            try await body(StoredProgram(parts, try database.admin(), log, router))
        }
    }

    /// Waits for a machine that has other things to do.
    private static func patient(_ url: Secret<String>) throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url: url)
        configuration.maximumPending = 20_000
        configuration.maximumQueueWait = .seconds(60)
        configuration.maximumPendingAge = .seconds(60)
        configuration.lockTimeout = .seconds(30)
        configuration.statementTimeout = .seconds(60)
        configuration.answerTimeout = .seconds(90)
        return configuration
    }

    private static func start(
        _ features: FeatureSet,
        _ settings: [String: String],
        _ log: CapturedLog
    ) throws -> (RunningFeatures, ProcessContext) {
        var environment = ["SALLYPORT_PUBLIC_DIR": ProjectFolder.path("public")]
        for (name, text) in settings {
            environment["SALLYPORT_" + name.uppercased().replacing(".", with: "_")] = text
        }
        var reader = SettingReader(SettingSource(file: nil, environment: environment))
        let site = SiteSettings(&reader)
        let configured = features.configured(&reader)
        let problems = reader.problems(of: .everything)
        guard problems.isEmpty, let web = WebOrigin("https://" + host), let link = WebOrigin("https://links.example")
        else { throw ScriptError(complaints: problems) }
        let process = ProcessContext(
            features,
            version: "1",
            web: web,
            link: link,
            headers: HeaderPolicy(includesSubdomains: true),
            assets: try site.assets([]),
            logger: log.logger(),
            metrics: MetricsRegistry()
        )
        return (try configured.start(process), process)
    }
}

extension Router {
    /// The answer to a request, as a connection gives it.
    func answer(_ request: HTTPRequest) async throws -> Answer {
        if let limit = bodyLimit(for: request), request.body.count > limit,
            let refusal = refusal(of: request, with: .payloadTooLarge)
        {
            return Answer(refusal)
        }
        switch handle(request) {
        case .now(let response): return Answer(response)
        case .precomposed(let answer): return Answer(answer.response)
        case .later(let work): return Answer(try await work())
        }
    }
}
