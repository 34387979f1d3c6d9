import EventIO
package import HTTPCore
import HTTPServer
import Pages
package import PostgresTestKit
import Primitives
package import ServerCore
import Settings
import Telemetry
package import TestKit
import Web

/// Features on one loop, between a scripted database and a scripted server of the provider: no socket, no other process.
///
/// A request goes the whole way of one that came over the network, from the router to the handler and back.
package final class ScriptedProgram {
    /// Answers the statements.
    package let database = ScriptedDatabase()
    /// Answers in the provider's place.
    package let provider = ScriptedExchange()
    /// What is written.
    package let log: CapturedLog
    private let running: RunningFeatures
    private let router: Router
    private let adminRouter: Router
    private let loop: LoopContext
    private var lastNumber: UInt64 = 0

    /// The web host.
    package static let host = "shop.example"
    /// The link host.
    package static let linkHost = "links.example"
    /// The host of the administration listener; a request to it goes to its own router.
    package static let adminHost = "console.example"

    private init(_ running: RunningFeatures, _ process: ProcessContext, _ log: CapturedLog, _ reactor: Reactor) throws {
        self.log = log
        self.running = running
        let loop = LoopContext(
            reactor,
            database: try database.client(reactor),
            headers: process.headers,
            logger: process.logger
        )
        loop.offer(provider, as: (any HTTPExchange).self)
        let part = SitePart(process)
        part.offer(on: loop)
        let parts = try running.open(loop)
        func site(_ name: SiteName, _ origin: WebOrigin) -> Site {
            Site(
                name,
                host: Array(origin.authority.utf8),
                origin: origin.text,
                fallback: .page,
                formats: loop.formats,
                headFields: process.headers.redirect
            )
        }
        var routes = try Routes([site(.link, process.link), site(.web, process.web)] + parts.sites)
        try routes.mount(part.files, on: part)
        try parts.mount(&routes)
        router = Router(routes, misdirected: StaticResponse(HTTPResponse(.misdirected)))
        let admin = Site(
            .admin,
            host: nil,
            fallback: .page,
            formats: loop.formats,
            headFields: process.headers.downgrade
        )
        routes = try Routes([admin])
        try parts.mount(&routes)
        adminRouter = Router(routes, misdirected: StaticResponse(HTTPResponse(.misdirected)))
        self.loop = loop
    }

    /// What a feature offers on the loop; `nil` where none does.
    package func offered<Offer>(_ type: Offer.Type) -> Offer? { loop.offered(type) }

    /// Has the features read their files again; the names of those that go on with what they had.
    package func reload() -> [String] {
        var refused: [String] = []
        running.reload { name, _ in refused.append(name) }
        return refused
    }

    /// Runs a body with features on a loop.
    ///
    /// - Parameters:
    ///   - settings: By name, as `profile`; what an account at the provider needs is there for the checkout.
    ///   - isDemo: Whether the program is run to be looked at.
    /// - Throws: What the body throws; `ScriptError` where something was asked that is not in the script, or is in it and was
    ///   not asked.
    package static func run(
        _ features: FeatureSet,
        _ settings: [String: String] = [:],
        isDemo: Bool = false,
        _ body: @escaping @Sendable (ScriptedProgram) async throws -> Void
    ) async throws {
        let log = CapturedLog()
        let (site, configured) = try configured(features, settings)
        let process = try context(features, site, log, isDemo: isDemo)
        let running = try configured.start(process)
        defer {
            running.stop()
            process.workers.stop()
        }
        try await withLoop { reactor in
            let program = try ScriptedProgram(running, process, log, reactor)
            try await body(program)
            let complaints = program.database.complaints + program.provider.complaints
            guard complaints.isEmpty else { throw ScriptError(complaints: complaints) }
        }
    }

    private static func context(
        _ features: FeatureSet,
        _ site: SiteSettings,
        _ log: CapturedLog,
        isDemo: Bool
    ) throws -> ProcessContext {
        guard let web = WebOrigin("https://" + host), let link = WebOrigin("https://" + linkHost),
            let admin = WebOrigin("https://" + adminHost)
        else {
            throw ScriptError(complaints: ["the hosts are no origins"])
        }
        var process = ProcessContext(
            features,
            version: "1",
            web: web,
            link: link,
            headers: HeaderPolicy(includesSubdomains: true),
            assets: try site.assets(features.slots(StaticAsset.self)),
            logger: log.logger(),
            metrics: MetricsRegistry()
        )
        process.shopName = site.shopName
        process.administration = AdminListener(origin: admin, isLocal: true)
        process.developmentAuthority = isDemo ? Array("authority".utf8) : nil
        return process
    }

    private static let operations = [
        "get", "update", "complete", "finalize", "create_charge", "get_charge", "capture", "cancel_charge",
        "create_refund", "get_refund", "get_permission", "update_permission", "close_permission", "get_buyer",
    ]

    /// An account at the provider; no call waits for its limits.
    private static func account() throws -> [String: String] {
        var texts = [
            "provider.merchant_id": "A1EXAMPLE2MERCH",
            "provider.store_id": "amzn1.application-oa2-client.5a11e9047de7e10b3e0f57ee9a1d0f00",
            "provider.public_key_id": "SANDBOX-" + String(repeating: "A", count: 24),
            "provider.private_key": try TestKey.path(),
        ]
        for operation in operations { texts["provider.quota.\(operation)"] = "10000/10000" }
        return texts
    }

    private static func configured(
        _ features: FeatureSet,
        _ settings: [String: String]
    ) throws -> (SiteSettings, ConfiguredFeatures) {
        var texts = features.cards.contains { $0.name == "checkout" } ? try account() : [:]
        texts["public_dir"] = ProjectFolder.path("public")
        texts.merge(settings) { $1 }
        var environment: [String: String] = [:]
        for (name, text) in texts {
            environment["SALLYPORT_" + name.uppercased().replacing(".", with: "_")] = text
        }
        var reader = SettingReader(SettingSource(file: nil, environment: environment))
        let site = SiteSettings(&reader)
        let configured = features.configured(&reader)
        let problems = reader.problems(of: .everything)
        guard problems.isEmpty else { throw ScriptError(complaints: problems) }
        return (site, configured)
    }

    /// Answers a request; one whose content is larger than its route takes is refused as a connection does it.
    ///
    /// - Parameters:
    ///   - target: Path and query, as on the wire.
    ///   - fields: Beside host, cookies and the type of the content.
    ///   - body: The content; a form unless its type says otherwise.
    package func ask(
        _ method: HTTPMethod,
        _ target: String,
        host: String = ScriptedProgram.host,
        fields: [(HTTPFieldName, String)] = [],
        cookies: [(String, String)] = [],
        from peer: PeerAddress = .unknown,
        type: String = "application/x-www-form-urlencoded",
        body: String? = nil
    ) async throws -> Answer {
        var all: [(name: HTTPFieldName, value: String)] = [(.host, host)]
        all += fields.map { ($0.0, $0.1) }
        if !cookies.isEmpty { all.append((.cookie, cookies.map { "\($0.0)=\($0.1)" }.joined(separator: "; "))) }
        if body != nil { all.append((.contentType, type)) }
        guard let request = HTTPRequest(method, target, fields: all, body: Array((body ?? "").utf8)) else {
            throw ScriptError(complaints: ["\(target): no protocol takes this request"])
        }
        lastNumber += 1
        request.serialNumber = lastNumber
        request.peer = peer
        let router = host.octets == ScriptedProgram.adminHost.octets ? adminRouter : router
        return try await router.answer(request)
    }
}

/// What does not fit a script.
package struct ScriptError: Error, CustomStringConvertible {
    let complaints: [String]

    package var description: String { complaints.joined(separator: "; ") }
}
