import EventIO
import HTTPCore
import HTTPServer
import Primitives
import TLS
import Telemetry
import TestKit

/// A server, and what a test needs to talk to it, all on one loop.
struct TestBench {
    let server: Server
    let reactor: Reactor
    let metrics: MetricsRegistry
    let log: CapturedLog
    let handler: TestHandler
    /// Of the clear listener.
    let address: SocketAddress
    /// Of the TLS listener.
    let secureAddress: SocketAddress

    /// A client on the clear listener.
    func client() throws -> TestClient {
        try TestClient(reactor, to: address)
    }

    /// A client on the TLS listener, after its handshake.
    func secureClient() async throws -> TestClient {
        let client = try TestClient(reactor, to: secureAddress)
        try await client.startTLS(TestBench.clientContext())
        return client
    }

    /// A client on either listener.
    func client(_ transport: Transport) async throws -> TestClient {
        transport == .tls ? try await secureClient() : try client()
    }

    /// The value of a metric, all label sets that contain a text added up.
    func metric(_ name: String, _ label: String = "") -> Int {
        metrics.prometheusText().split(separator: "\n").reduce(0) { sum, line in
            guard line.hasPrefix(name), line.contains(label), !line.hasPrefix("#") else { return sum }
            return sum + (line.split(separator: " ").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// Lets the loop take some turns.
    func turns(_ count: Int = 3) async {
        for _ in 0..<count { await reactor.sleep(for: .zero) }
    }

    /// Lets the loop take turns until something holds; the test's deadline ends a wait in vain.
    func until(_ holds: () -> Bool) async {
        while !holds(), !Task.isCancelled { await turns(1) }
    }

    static func clientContext(_ names: [String] = ["http/1.1"]) throws(TLSError) -> TLSContext {
        try TLSContext(trustedPEM: TestCertificates.authority, alpn: names)
    }

    static func serverContext(
        _ certificate: [UInt8] = TestCertificates.first,
        _ key: [UInt8] = TestCertificates.firstKey
    ) throws(TLSError) -> TLSContext {
        let names = ServerConfiguration.protocolNames(withHTTP2: true)
        return try TLSContext(certificatePEM: certificate, keyPEM: Secret(key), alpn: names)
    }
}

/// What lies under HTTP in a test that runs over both.
enum Transport: CaseIterable {
    case clear, tls
}

/// Answers as a test says.
final class TestHandler: RequestHandler {
    /// What each request is answered with.
    var answer: (HTTPRequest) -> HandlerResult = { .now(.text("\($0.path)")) }
    /// The limit of a request's content.
    var limit: (HTTPRequest) -> Int? = { _ in nil }
    /// What content that is not taken is answered with.
    var refusal: (HTTPRequest, HTTPStatus) -> HTTPResponse? = { _, _ in nil }
    /// How long each handler may take.
    var patience: (HTTPRequest) -> Duration? = { _ in nil }
    /// What a request is answered whose handler took too long.
    var lateAnswer: (HTTPRequest) -> HTTPResponse? = { _ in nil }
    /// The paths that were asked for, in order.
    private(set) var paths: [String] = []

    func handle(_ request: HTTPRequest) -> HandlerResult {
        paths.append(request.path)
        return answer(request)
    }

    func bodyLimit(for request: HTTPRequest) -> Int? {
        limit(request)
    }

    func refusal(of request: HTTPRequest, with status: HTTPStatus) -> HTTPResponse? {
        refusal(request, status)
    }

    func patience(for request: HTTPRequest) -> Duration? { patience(request) }

    func lateAnswer(to request: HTTPRequest) -> HTTPResponse? { lateAnswer(request) }

    func name(of request: HTTPRequest) -> String { "a route" }
}

/// Runs a test against a server on a loop of its own.
///
/// - Parameters:
///   - clock: A manual one makes deadlines wait for the test.
///   - deadline: Generous; it is reached only by a fault.
///   - configure: Changes limits and the like.
///   - body: The test, on the loop.
/// - Throws: What the body throws.
func withServer(
    clock: any LoopClock = SystemClock(),
    deadline: Duration = .seconds(300),
    configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (TestBench) async throws -> Void
) async throws {
    try await withLoop(clock: clock, deadline: deadline) { reactor in
        let any = SocketAddress(v4: 0x7F00_0001, port: 0)
        var configuration = ServerConfiguration(name: "test", listeners: [.init(any, .clear), .init(any, .tls)])
        configure(&configuration)
        let metrics = MetricsRegistry()
        let log = CapturedLog()
        let context = try TestBench.serverContext()
        let server = Server(configuration, tls: context, logger: log.logger(), metrics: metrics)
        let handler = TestHandler()
        try server.attach(to: reactor, handler: handler)
        let bound = server.boundAddresses
        try await body(
            TestBench(
                server: server,
                reactor: reactor,
                metrics: metrics,
                log: log,
                handler: handler,
                address: bound[0],
                secureAddress: bound[1]
            )
        )
    }
}

extension HTTPResponse {
    /// 200 with plain text.
    static func text(_ text: String, _ status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status, body: .bytes(Array(text.utf8)))
    }
}
