import Cryptography
import EventIO
import HTTPCore
import HTTPServer
import Operations
import Pages
import Postgres
import Primitives
import Settings
import StrictJSON
import Telemetry
import Testing
import Web

@testable import ServerCore

/// A feature with one setting, one row and one counter of what was asked of it.
private struct Lamp: Feature {
    let state: FeatureState
    let watts: Int

    static let card = FeatureCard(
        "lamp",
        statements: .own(
            [Statement(name: "lamp_read", sql: "SELECT 1")],
            sealed: [SealedColumn("lamp", key: [.bigint("lamp_id")], "code", purpose: "lamp")]
        ),
        failures: [.dark],
        cookies: ["lamp"],
        demo: FeatureDemo(secrets: ["lamp.key_file": "lamp"]) { _ in ["lamp.watts": "7"] },
        slots: [Colour(name: "red"), Colour(name: "blue"), Shape(name: "round")]
    )

    init(_ settings: inout SettingReader) {
        state = settings.flag("lamp.on", true, "whether it shines") ? .on : .off(set: ["lamp.on"])
        watts = settings.number("lamp.watts", 1...100, 60, "how much it takes")
    }

    func findings(_ settings: ExaminedSettings) -> [Finding] {
        watts > 90 ? [Finding("L01", .warning, "lamp.watts", "\(settings.text("lamp.watts")) W are hot.")] : []
    }

    func probe(_ context: ProbeContext) async -> [Finding] {
        [Finding("L02", .note, "lamp", "It takes \(context.settings.text("lamp.watts")).")]
    }

    func start(_ process: ProcessContext) throws -> Shared {
        guard watts != 13 else { throw ConfigurationError(problems: ["lamp.watts: it has no such bulb"]) }
        return Shared(watts: watts, metrics: process.metrics)
    }

    struct Shared: FeatureProcess {
        let watts: Int
        let metrics: MetricsRegistry

        func open(_ loop: LoopContext) -> Part { Part(watts) }

        func stop() { metrics.counter("lamp_stops", help: "Stops.").increment() }

        func reload() throws {
            if watts == 42 { throw ConfigurationError(problems: ["lamp.watts: no other bulb"]) }
        }

        func prepare(_ loop: LoopContext) async throws {
            if watts == 77 { throw ConfigurationError(problems: ["database: its lamp takes less"]) }
        }

        var health: Health {
            switch watts {
            case ..<3: .unready("burnt out")
            case ..<10: .degraded("hardly any light")
            default: .ok
            }
        }
    }

    final class Part: FeaturePart {
        let watts: Int

        init(_ watts: Int) { self.watts = watts }

        static let routes = [
            RouteGroup<Part>(
                on: .web,
                .json,
                [
                    Route(
                        .get,
                        "/lamp",
                        "its power",
                        .now { part, _ in HTTPResponse(.ok, body: .bytes([UInt8(part.watts)])) }
                    )
                ]
            )
        ]
    }
}

/// A feature above the lamp, which asks for its part.
private struct Shade: Feature {
    static let card = FeatureCard("shade", needs: [Lamp.self])

    init(_ settings: inout SettingReader) {}

    func start(_ process: ProcessContext) throws -> Shared { Shared(watts: try process.shared(Lamp.self).watts) }

    struct Shared: FeatureProcess {
        let watts: Int

        func open(_ loop: LoopContext) throws -> Part { Part(try loop.part(Lamp.self).watts) }
    }

    final class Part: FeaturePart {
        let behind: Int

        init(_ behind: Int) { self.behind = behind }

        static let routes: [RouteGroup<Part>] = []
    }
}

/// A feature whose files cannot be used.
private struct Broken: Feature {
    static let card = FeatureCard("broken")

    init(_ settings: inout SettingReader) {}

    func start(_ process: ProcessContext) throws -> Thief.Shared {
        throw ConfigurationError(problems: ["broken: no file"])
    }
}

/// A feature that asks for what its card does not name.
private struct Thief: Feature {
    static let card = FeatureCard(
        "thief",
        statements: .own([], sealed: [SealedColumn("safe", key: [.text("owner")], "code", purpose: "lamp")]),
        cookies: ["lamp"]
    )

    init(_ settings: inout SettingReader) {}

    func start(_ process: ProcessContext) -> Shared { Shared() }

    struct Shared: FeatureProcess {
        func open(_ loop: LoopContext) throws -> Part {
            _ = try loop.part(Lamp.self)
            return Part()
        }
    }

    final class Part: FeaturePart {
        static let routes: [RouteGroup<Part>] = []
    }
}

private struct Colour: FeatureSlot, Equatable { let name: String }
private struct Shape: FeatureSlot, Equatable { let name: String }

extension FailureCode {
    fileprivate static let dark = FailureCode("dark", .gone, "It is dark.")
}

private func configured(
    _ set: FeatureSet,
    _ environment: [String: String] = [:]
) -> (features: ConfiguredFeatures, reader: SettingReader) {
    var reader = SettingReader(SettingSource(file: nil, environment: environment))
    return (set.configured(&reader), reader)
}

private func process(_ set: FeatureSet, _ metrics: MetricsRegistry = MetricsRegistry()) -> ProcessContext {
    ProcessContext(
        set,
        version: "1",
        web: .placeholder,
        link: .placeholder,
        headers: HeaderPolicy(includesSubdomains: true),
        assets: StaticAssets([], read: { _ in [] }, digest: { SHA256.digest(of: $0) }),
        logger: .silent,
        metrics: metrics
    )
}

private let context = process(FeatureSet([Lamp.self]))

@Suite struct `A list of features` {
    private let set = FeatureSet([Lamp.self, Shade.self])

    @Test func `tells what is known without settings`() {
        #expect(set.routes.map(\.path) == ["/lamp"])
        #expect(set.statements.map(\.name) == ["lamp_read", "reseal_read_lamp_code", "reseal_write_lamp_code"])
        #expect(set.sealed.map(\.name) == ["lamp.code"])
        #expect(set.migrationFolders == ["lamp"])
        #expect(set.failures == [.dark])
        let demo = DemoSource(SettingReader(.empty), folder: "/demo")
        #expect(set.demoSettings(demo) == ["lamp.watts": "7", "lamp.key_file": "/demo/lamp.secret"])
        #expect(set.demoSecrets == ["lamp"])
        #expect(set.slots(Colour.self) == [Colour(name: "red"), Colour(name: "blue")])
        #expect(set.slots(Shape.self) == [Shape(name: "round")])
        #expect(context.slots(Shape.self) == [Shape(name: "round")])
        #expect(set.faults() == [])
    }

    @Test func `declares every setting, also of a feature that is switched off`() {
        let (features, reader) = configured(set, ["SALLYPORT_LAMP_ON": "false"])
        #expect(
            reader.settings.map(\.name) == [
                "merchant.secret_file", "limits.unknown_per_minute", "lamp.on", "lamp.watts",
            ]
        )
        #expect(features.first(Lamp.self) == nil)
        #expect(features.first(Shade.self) == nil)
    }

    @Test func `leaves out what another one needs that is switched off, and says what to set`() throws {
        let (features, _) = configured(set, ["SALLYPORT_LAMP_ON": "false"])
        #expect(features.off.map(\.name) == ["lamp", "shade"])
        #expect(
            features.off.map(\.sentence) == [
                "off; to switch it on, set lamp.on", "off, because lamp is off, which it needs",
            ]
        )
        #expect(configured(set, ["SALLYPORT_LAMP_ON": "true"]).features.off.isEmpty)
        #expect(try features.read(Lamp.self).watts == 60)
        #expect(throws: ConfigurationError.self) { _ = try features.read(Thief.self) }
        let running = try features.start(context)
        #expect(running.unreadyReason == nil && running.degraded.isEmpty)
    }

    @Test func `does not take a feature before one that it needs, nor one twice`() {
        #expect(FeatureSet([Shade.self, Lamp.self]).faults() == ["shade needs lamp, which does not stand before it"])
        #expect(FeatureSet([Shade.self, Shade.self]).faults().contains("shade: feature shade is another's already"))
    }

    @Test func `does not take names that the program or another feature has`() {
        #expect(
            FeatureSet([Lamp.self, Thief.self]).faults() == [
                "thief: cookie lamp is another's already", "thief: safe.code has a purpose of another table, lamp",
            ]
        )
        let program = FeatureSet.Names(
            commands: ["serve"],
            statements: [Statement(name: "lamp_read", sql: "SELECT 2")],
            failures: [FailureCode("dark", .gone, "Also dark.")]
        )
        #expect(
            set.faults(beside: program) == [
                "lamp: statement lamp_read is another's already", "lamp: code dark is another's already",
            ]
        )
    }
}

@Suite struct `Features as the settings make them` {
    private let set = FeatureSet([Lamp.self, Shade.self])

    @Test func `find what is wrong without being started`() {
        let (features, reader) = configured(set, ["SALLYPORT_LAMP_WATTS": "95"])
        let settings = ExaminedSettings(reader, webPaths: [], now: SystemClock().now())
        #expect(features.findings(settings).map(\.line) == ["L01 warning lamp.watts: 95 W are hot."])
    }

    @Test func `look over the network with settings that they do not start with`() async throws {
        let (features, reader) = configured(set, ["SALLYPORT_LAMP_WATTS": "many", "SALLYPORT_LAMP": "1"])
        let settings = ExaminedSettings(reader, webPaths: [], now: SystemClock().now())
        #expect(!settings.areSound)
        let lines = try await withEventLoop { reactor in
            let nobody = Nobody()
            let context = ProbeContext(
                reactor,
                settings,
                headers: HeaderPolicy(includesSubdomains: true),
                web: nil,
                link: nil,
                hosts: nobody,
                exchange: { _ in nobody }
            )
            return await features.probe(context).map(\.line)
        }
        #expect(lines == ["L02 note lamp: It takes many."])
    }

    @Test func `are not started on files that cannot be used`() {
        func problems(_ environment: [String: String]) -> [String]? {
            let (features, _) = configured(set, environment)
            return #expect(throws: ConfigurationError.self) { _ = try features.start(context) }?.problems
        }
        // What stands above it could not be asked, and says nothing.
        #expect(problems(["SALLYPORT_LAMP_WATTS": "13"]) == ["lamp.watts: it has no such bulb"])
    }

    @Test func `tell why nothing can be served, and nothing where it can`() throws {
        let dark = try configured(set, ["SALLYPORT_LAMP_WATTS": "2"]).features.start(context)
        #expect(dark.unreadyReason == "burnt out" && dark.degraded.isEmpty)
        let dim = try configured(set, ["SALLYPORT_LAMP_WATTS": "5"]).features.start(context)
        #expect(dim.unreadyReason == nil)
    }

    @Test func `tell which of them do not work, and which keep what they had`() throws {
        let dim = try configured(set, ["SALLYPORT_LAMP_WATTS": "5"]).features.start(context)
        #expect(dim.degraded.map(\.name) == ["lamp"])
        #expect(dim.degraded.map(\.reason) == ["hardly any light"])
        var refused: [String] = []
        dim.reload { name, _ in refused.append(name) }
        #expect(refused == [])
        try configured(set, ["SALLYPORT_LAMP_WATTS": "42"]).features.start(context)
            .reload { name, _ in refused.append(name) }
        #expect(refused == ["lamp"])
    }

    @Test func `are stopped with the program, and where another one cannot be started`() throws {
        let metrics = MetricsRegistry()
        let context = process(set, metrics)
        let running = try configured(set).features.start(context)
        #expect(!metrics.prometheusText().contains("lamp_stops 1"))
        running.stop()
        #expect(metrics.prometheusText().contains("lamp_stops 1"))
        #expect(throws: ConfigurationError.self) {
            _ = try configured(FeatureSet([Lamp.self, Broken.self])).features.start(context)
        }
        #expect(metrics.prometheusText().contains("lamp_stops 2"))
    }
}

/// Another server that cannot be reached.
private final class Nobody: HTTPExchange {
    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        throw HTTPExchangeError(.connectFailed)
    }
}

@Suite struct `Features on a loop` {
    /// Opens a list on a loop whose database is nowhere.
    private func open(_ set: FeatureSet) async throws -> String {
        let running = try configured(set).features.start(context)
        let database = try PostgresConfiguration(url: Secret("postgresql://127.0.0.1:1/none"))
        return try await withEventLoop { reactor in
            let client = PostgresClient(reactor: reactor, configuration: database, logger: .silent)
            let headers = HeaderPolicy(includesSubdomains: true)
            let loop = LoopContext(reactor, database: client, headers: headers)
            loop.offer(Lantern(oil: 3))
            let parts = try running.open(loop)
            let format = Format()
            var routes = try Routes([
                Site(.web, host: nil, fallback: .json, formats: [.json: format], headFields: headers.redirect)
            ])
            try parts.mount(&routes)
            let router = Router(routes, misdirected: StaticResponse(HTTPResponse(.misdirected)))
            let request = HTTPRequest(.get, "/lamp", fields: [(.host, "shop.example")])
            var body: [UInt8] = []
            switch router.handle(try #require(request)) {
            case .now(let response): if case .bytes(let bytes) = response.body { body = bytes }
            case .precomposed, .later: break
            }
            return "\(body) \(loop.offered(Lantern.self)?.oil ?? 0) \(loop.offered(Format.self) == nil)"
        }
    }

    @Test func `answer their rows without a database, and find what the program offers`() async throws {
        #expect(try await open(FeatureSet([Lamp.self, Shade.self])) == "[60] 3 true")
    }

    @Test func `compare their settings with the database before anything is opened`() async throws {
        func prepare(_ watts: String) async throws {
            let running = try configured(FeatureSet([Lamp.self, Shade.self]), ["SALLYPORT_LAMP_WATTS": watts]).features
                .start(context)
            let database = try PostgresConfiguration(url: Secret("postgresql://127.0.0.1:1/none"))
            try await withEventLoop { reactor in
                let client = PostgresClient(reactor: reactor, configuration: database, logger: .silent)
                let headers = HeaderPolicy(includesSubdomains: true)
                try await running.prepare(LoopContext(reactor, database: client, headers: headers))
            }
        }
        try await prepare("60")
        await #expect(throws: ConfigurationError.self) { try await prepare("77") }
    }

    @Test func `find only the features that their card names`() async {
        await #expect(throws: FeatureError.self) { _ = try await open(FeatureSet([Lamp.self, Thief.self])) }
    }
}

private final class Lantern {
    let oil: Int

    init(oil: Int) { self.oil = oil }
}

private final class Format: FailureFormat {
    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse { HTTPResponse(failure.code.status) }
}
