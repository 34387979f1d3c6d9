import Cryptography
import EventIO
import HTTPCore
import HTTPServer
import Operations
import Pages
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import Settings
import Telemetry
import TestKit
import Testing
import Web

@testable import Program

/// A feature that says of itself how it is, and has no routes.
private struct Patient: Feature {
    let state: String

    static let card = FeatureCard("patient")

    init(_ settings: inout SettingReader) {
        state = settings.choice("patient.state", ["ok", "degraded", "unready"], "ok", "how it is")
    }

    func start(_ process: ProcessContext) -> Shared { Shared(state: state) }

    struct Shared: FeatureProcess {
        let state: String

        func open(_ loop: LoopContext) -> Part { Part() }

        var health: Health {
            switch state {
            case "degraded": .degraded("a certificate has expired")
            case "unready": .unready("partition missing")
            default: .ok
            }
        }
    }

    final class Part: FeaturePart {
        static let routes: [RouteGroup<Part>] = []
    }
}

/// How a feature refuses buyers.
private final class ForBuyers: FailureFormat {
    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse { HTTPResponse(.internalError) }
}

/// The administration listener of a loop, without sockets and database.
private struct AdminFixture {
    let router: Router
    let metrics: MetricsRegistry

    /// Runs a body with the listener.
    ///
    /// - Parameters:
    ///   - state: How its only feature is.
    ///   - isConnected: Whether there is a connection to the database.
    ///   - token: That the listener asks for.
    static func run(
        _ state: String = "ok",
        isConnected: Bool = true,
        token: String? = nil,
        _ body: @escaping @Sendable (AdminFixture) throws -> Void
    ) async throws {
        let features = FeatureSet([Patient.self])
        let origin = try #require(WebOrigin("https://shop.example"))
        let metrics = MetricsRegistry()
        let process = ProcessContext(
            features,
            version: "1",
            web: origin,
            link: origin,
            headers: HeaderPolicy(includesSubdomains: true),
            assets: StaticAssets([], read: { _ in [] }, digest: { SHA256.digest(of: $0) }),
            logger: .silent,
            metrics: metrics
        )
        var reader = SettingReader(SettingSource(file: nil, environment: ["SALLYPORT_PATIENT_STATE": state]))
        let running = try features.configured(&reader).start(process)
        try await withLoop { reactor in
            let configuration = try PostgresConfiguration(url: Secret("postgresql:///nowhere?host=/nowhere"))
            let away = PostgresClient(reactor: reactor, configuration: configuration, logger: .silent)
            let database = isConnected ? try ScriptedDatabase().client(reactor) : away
            let loop = LoopContext(reactor, database: database, headers: process.headers)
            // What features have for buyers is not taken here.
            for name in [FormatName.json, .page] { loop.formats[name] = ForBuyers() }
            let part = AdminPart(
                Readiness(database, running, PartitionHealth(metrics)),
                metrics,
                fields: process.headers.downgrade
            )
            let secret = token.map { Secret(Array($0.utf8)) }
            let access = AdminAccess(listener: SocketAddress("127.0.0.1:8444"), token: secret)
            let router = try Router.adminListener(part, access, loop, try running.open(loop))
            try body(AdminFixture(router: router, metrics: metrics))
        }
    }

    /// Asks, and returns status, fields and content.
    func ask(
        _ method: HTTPMethod,
        _ path: String,
        fields: [(HTTPFieldName, String)] = []
    ) throws -> (status: Int, fields: [String], text: String) {
        let all: [(name: HTTPFieldName, value: String)] = [(.host, "localhost")] + fields.map { ($0.0, $0.1) }
        let request = try #require(HTTPRequest(method, path, fields: all))
        let response =
            switch router.handle(request) {
            case .now(let response): response
            case .precomposed(let answer): answer.response
            case .later: HTTPResponse(.internalError)
            }
        var text = ""
        if case .bytes(let bytes) = response.body { text = String(decoding: bytes, as: UTF8.self) }
        let names = (response.block.fields + response.fields).map { "\($0.name.text): \($0.value)" }
        return (response.status.code, names, text)
    }
}

@Suite struct `The health of a process` {
    @Test(
        arguments: [
            ("ok", true, 200, "ready\nversion 0.1.0\n"),
            ("degraded", true, 200, "ready\nversion 0.1.0\ndegraded patient: a certificate has expired\n"),
            ("unready", true, 503, "partition missing\nversion 0.1.0\n"),
            ("ok", false, 503, "database away\nversion 0.1.0\n"),
            ("unready", false, 503, "database away\nversion 0.1.0\n"),
        ]
    )
    func `is what its database and its features are`(
        state: String,
        isConnected: Bool,
        status: Int,
        text: String
    ) async throws {
        try await AdminFixture.run(state, isConnected: isConnected) { admin in
            let ready = try admin.ask(.get, "/readyz")
            #expect(ready.status == status && ready.text == text)
            #expect(ready.fields.contains { $0.lowercased() == "cache-control: no-store" })
            // Alive is who answers, whatever is away.
            let alive = try admin.ask(.get, "/healthz")
            #expect(alive.status == 200 && alive.text == "ok\nversion 0.1.0\n")
        }
    }

    @Test func `has its figures beside it, as Prometheus reads them`() async throws {
        try await AdminFixture.run { admin in
            admin.metrics.counter("sample_total", help: "Samples.").increment()
            let figures = try admin.ask(.get, "/metrics")
            #expect(figures.status == 200 && figures.text.contains("\nsample_total 1\n"))
            #expect(figures.text.contains("process_resident_memory_bytes"))
            #expect(figures.fields.contains { $0.hasSuffix("text/plain; version=0.0.4; charset=utf-8") })
        }
    }

    @Test func `is for everybody, and its figures for who has the token`() async throws {
        try await AdminFixture.run(token: "secret") { admin in
            for path in ["/healthz", "/readyz"] {
                let answer = try admin.ask(.get, path)
                #expect(answer.status == 200)
            }
            for shown in [nil, "Bearer wrong", "secret"] {
                let refused = try admin.ask(.get, "/metrics", fields: shown.map { [(.authorization, $0)] } ?? [])
                #expect(refused.status == 401 && !refused.text.contains("process_"))
            }
            let answer = try admin.ask(.get, "/metrics", fields: [(.authorization, "Bearer secret")])
            #expect(answer.status == 200)
        }
    }

    @Test func `has a list of what there is, in plain text`() async throws {
        try await AdminFixture.run { admin in
            let list = try admin.ask(.get, "/")
            #expect(list.status == 200 && list.text.contains(ProgramVersion.text))
            for route in RoutesCommand.routes where route.site == .admin {
                #expect(list.text.contains("\(route.method.text) \(route.path) "), "\(route.path)")
            }
            #expect(list.fields.contains { $0.lowercased().hasPrefix("content-type: text/plain") })
        }
        try await AdminFixture.run(token: "secret") { admin in
            let refused = try admin.ask(.get, "/")
            #expect(refused.status == 401 && refused.text.isEmpty)
        }
    }

    @Test func `claims no transport security, since it answers in clear`() async throws {
        try await AdminFixture.run(token: "secret") { admin in
            let questions: [(HTTPMethod, String)] = [
                (.get, "/"), (.get, "/healthz"), (.head, "/readyz"), (.get, "/metrics"), (.post, "/healthz"),
                (.get, "/nothing"),
            ]
            let credentials: [[(HTTPFieldName, String)]] = [[], [(.authorization, "Bearer secret")]]
            for shown in credentials {
                for (method, path) in questions {
                    let answer = try admin.ask(method, path, fields: shown)
                    let claims = answer.fields.filter { $0.lowercased().hasPrefix("strict-transport-security") }
                    #expect(claims.isEmpty, "\(path)")
                    #expect(answer.fields.contains { $0.lowercased() == "x-content-type-options: nosniff" }, "\(path)")
                }
            }
        }
    }

    @Test func `is asked with GET or HEAD, and nothing else is there`() async throws {
        try await AdminFixture.run { admin in
            for path in ["/", "/healthz", "/readyz", "/metrics"] {
                let (posted, headed) = (try admin.ask(.post, path), try admin.ask(.head, path))
                #expect(
                    posted.status == 405 && posted.fields.contains { $0.lowercased() == "allow: get, head" }
                        && headed.status == 200
                )
            }
            for path in ["/iosApp/cart", "/v1/sessions", "/healthz/"] {
                let absent = try admin.ask(.get, path)
                #expect(absent.status == 404 && absent.text.hasPrefix("not_found\n"), "\(path)")
                #expect(absent.text.contains("GET /metrics"))
            }
        }
    }
}

/// Finds a secret wherever a request has one in its path.
private final class PathGuard: PlaintextGuard {
    func revocation(of request: HTTPRequest) -> (() async -> HTTPStatus)? {
        request.path.contains("secret") ? { .forbidden } : nil
    }
}

@Suite struct `The listener without TLS` {
    private func ask(
        _ method: HTTPMethod,
        _ target: String,
        host: String = "shop.example",
        _ plaintext: (any PlaintextGuard)? = PathGuard()
    ) async throws -> (status: Int, location: String?) {
        let web = try #require(WebOrigin("https://shop.example:8443"))
        let link = try #require(WebOrigin("https://links.example"))
        let handler = HTTPSRedirect(plaintext, HeaderPolicy(includesSubdomains: true), web: web, link: link)
        let request = try #require(HTTPRequest(method, target, fields: [(.host, host)]))
        let response: HTTPResponse
        switch handler.handle(request) {
        case .now(let answer): response = answer
        case .precomposed(let answer): response = answer.response
        case .later(let work): response = try await work()
        }
        let fields = response.block.fields + response.fields
        return (response.status.code, fields.first { $0.name == .location }?.value)
    }

    @Test(
        arguments: [
            ("/iosApp/cart", "shop.example", "https://shop.example:8443/iosApp/cart"),
            ("/iosApp/cart?x=1", "SHOP.example:80", "https://shop.example:8443/iosApp/cart"),
            ("/v1/sessions", "shop.example", "https://shop.example:8443/"),
            ("/nothing", "shop.example", "https://shop.example:8443/"),
            ("/index.html?secureWebviewSessionId=x", "links.example", "https://links.example/index.html"),
            ("/iosApp/cart", "links.example", "https://links.example/"),
        ]
    )
    func `leads to the page that is asked for, and repeats no query`(
        target: String,
        host: String,
        location: String
    ) async throws {
        for method in [HTTPMethod.get, .head] {
            let answer = try await ask(method, target, host: host)
            #expect(answer.status == 303 && answer.location == location)
        }
    }

    @Test func `leads nobody on who changes something, or asks another host`() async throws {
        let posted = try await ask(.post, "/purchase")
        #expect(posted.status == 403 && posted.location == nil)
        for host in ["evil.example", "", "shop.example.evil.example"] {
            let answer = try await ask(.get, "/iosApp/cart", host: host)
            #expect(answer.status == 421 && answer.location == nil, "\(host)")
        }
    }

    @Test func `leads nobody on whose request holds a secret, whatever host it asks`() async throws {
        for method in [HTTPMethod.get, .head, .post] {
            let answer = try await ask(method, "/secret")
            #expect(answer.status == 403 && answer.location == nil)
        }
        // Whoever reads along reads what is sent to another name, too.
        let foreign = try await ask(.get, "/secret", host: "evil.example")
        #expect(foreign.status == 403 && foreign.location == nil)
        let unguarded = try await ask(.get, "/secret", nil)
        #expect(unguarded.status == 303)
    }
}
