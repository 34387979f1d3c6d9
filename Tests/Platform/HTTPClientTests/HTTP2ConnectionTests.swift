import EventIO
import HTTP2
import HTTPClient
import HTTPCore
import HTTPServer
import Primitives
import TLS
import Telemetry
import TestKit
import Testing

/// A server with a script, and what a connector to it counts and writes.
private struct Bench {
    let reactor: Reactor
    let server: HTTP2ScriptServer
    let metrics = MetricsRegistry()
    let log = CapturedLog()

    init(_ reactor: Reactor, protocols: [String] = ["h2"]) throws {
        self.reactor = reactor
        let tls = try TLSContext(
            certificatePEM: TestCertificates.first,
            keyPEM: Secret(TestCertificates.firstKey),
            alpn: protocols
        )
        server = try HTTP2ScriptServer(reactor, tls: tls)
    }

    func connector(
        host: String = "127.0.0.1",
        protocols: [String] = HTTP2Destination.tlsProtocols,
        trust: [UInt8]? = TestCertificates.authority,
        _ change: (inout HTTP2Destination) -> Void = { _ in }
    ) throws -> HTTP2Connector {
        let tls = try TLSContext(trustedPEM: trust, alpn: protocols)
        var destination = HTTP2Destination("push", host: host, port: server.address.port, tls: tls)
        change(&destination)
        return HTTP2Connector(reactor, to: destination, logger: log.logger(), metrics: metrics)
    }

    func connect() async throws -> HTTP2Connection { try await connector().connect() }
}

private func request(_ path: String = "/") -> HTTP2Request {
    HTTP2Request(method: "POST", authority: "push.test", path: path, body: Array("{}".utf8))
}

/// Status and content of the answer, or the code of the failure.
private func outcome(_ connection: HTTP2Connection, _ path: String = "/") async -> String {
    do throws(HTTPExchangeError) {
        let answer = try await connection.send(request(path))
        return "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
    } catch {
        return "\(error)"
    }
}

/// The same for several requests at once, in the order in which they end.
private func outcomes(_ reactor: Reactor, _ connection: HTTP2Connection, _ paths: [String]) async -> [String] {
    var all: [String] = []
    let tasks = paths.map { path in
        reactor.startTask { all.append("\(path) \(await outcome(connection, path))") }
    }
    for task in tasks { await task.value }
    return all
}

private func failure(_ connector: HTTP2Connector) async -> HTTPExchangeError? {
    do throws(HTTPExchangeError) {
        try await connector.connect().close()
        return nil
    } catch {
        return error
    }
}

@Suite("A connection over HTTP/2 to another server")
struct HTTP2ConnectionTests {
    @Test(arguments: ["127.0.0.1", "localhost"])
    func `carries many requests at once`(host: String) async throws {
        try await withLoop { reactor in
            let bench = try Bench(reactor)
            var waiting: [HTTP2ScriptServer.Request] = []
            bench.server.onRequest = { peer, request in
                waiting.append(request)
                guard waiting.count == 40 else { return }
                for request in waiting.reversed() { peer.answer(request, 200, request.fields[":path"] ?? "") }
            }
            let connection = try await bench.connector(host: host).connect()
            #expect(await waitUntil(reactor) { connection.room == 100 })
            let all = await outcomes(reactor, connection, (1...40).map { "/\($0)" })
            #expect(all == (1...40).reversed().map { "/\($0) 200 /\($0)" })
            #expect(bench.server.peers.count == 1)
            #expect(bench.server.requests.allSatisfy { $0.body == Array("{}".utf8) && $0.fields[":method"] == "POST" })
            let text = bench.metrics.prometheusText()
            #expect(text.contains("sallyport_outbound_connections_total{purpose=\"push\"} 1"))
            #expect(text.contains("sallyport_outbound_exchanges_total{purpose=\"push\",outcome=\"answered\"} 40"))
            connection.close()
            #expect(await waitUntil(reactor) { bench.server.peers[0].isClosed })
            #expect(bench.server.peers[0].frames.contains { $0.kind == .goAway })
            #expect(!bench.server.peers[0].frames.contains { $0.kind == .priority })
        }
    }

    @Test func `has one request under way until the settings come, and as many as its owner allows`() async throws {
        try await withLoop { reactor in
            let bench = try Bench(reactor)
            bench.server.settings = nil
            let connection = try await bench.connect()
            #expect(connection.room == 1)
            bench.server.onRequest = { peer, request in
                peer.send(.settings([(3, 30)]))
                peer.answer(request, 200)
            }
            #expect(await outcome(connection) == "200 ")
            #expect(connection.room == 30)
            connection.streamBound = 1
            #expect(connection.room == 1)
            bench.server.onRequest = { _, _ in }
            reactor.startTask { _ = await outcome(connection) }
            #expect(await waitUntil(reactor) { connection.activeCount == 1 })
            #expect(connection.room == 0)
            #expect(await outcome(connection) == "refused")
            connection.close()
        }
    }

    @Test func `gives back what a server has not taken, waits for the rest, and closes then`() async throws {
        try await withLoop { reactor in
            let bench = try Bench(reactor)
            bench.server.onRequest = { peer, request in
                guard request.stream == 7 else { return }
                let reason = Array("{\"reason\":\"Shutdown\"}".utf8)
                peer.send(HTTP2Frame(.goAway, HTTP2Frame.four(3) + HTTP2Frame.four(0) + reason))
                for request in peer.requests.prefix(2) { peer.answer(request, 200) }
            }
            let connection = try await bench.connect()
            #expect(await waitUntil(reactor) { connection.room > 3 })
            let all = await outcomes(reactor, connection, ["/1", "/2", "/3", "/4"])
            #expect(Set(all) == ["/1 200 ", "/2 200 ", "/3 refused", "/4 refused"])
            #expect(!connection.isOpen && connection.room == 0)
            #expect(connection.goAway?.reason == "{\"reason\":\"Shutdown\"}")
            #expect(await waitUntil(reactor) { bench.server.peers[0].isClosed })
            #expect(bench.log.lines(with: "outbound.go_away").first?.contains("Shutdown") == true)
        }
    }

    @Test func `ends what is under way when it is lost`() async throws {
        try await withLoop { reactor in
            let bench = try Bench(reactor)
            bench.server.onRequest = { peer, request in if request.stream == 3 { peer.close() } }
            let connection = try await bench.connect()
            #expect(await waitUntil(reactor) { connection.room > 1 })
            var sawEnd = false
            connection.onChange = { sawEnd = !connection.isOpen }
            let all = await outcomes(reactor, connection, ["/1", "/2"])
            #expect(Set(all) == ["/1 connectionLost", "/2 connectionLost"])
            #expect(sawEnd)
            #expect(await outcome(connection) == "refused")
        }
    }

    @Test func `ends a request at once whose answer is malformed, and goes on`() async throws {
        // No time passes: the end does not come of the time limit.
        try await withLoop(clock: ManualClock()) { reactor in
            let bench = try Bench(reactor)
            bench.server.onRequest = { peer, request in
                if request.fields[":path"] == "/1" { return peer.send(.headers(request.stream, [(":status", "2000")])) }
                peer.answer(request, 200)
            }
            let connection = try await bench.connect()
            #expect(await waitUntil(reactor) { connection.room > 1 })
            var result = ""
            reactor.startTask { result = await outcome(connection, "/1") }
            #expect(await waitUntil(reactor) { result == "connectionLost" })
            #expect(await outcome(connection, "/2") == "200 ")
            connection.close()
        }
    }

    @Test func `gives up a request that is not answered in time, and goes on`() async throws {
        let clock = ManualClock()
        try await withLoop(clock: clock) { reactor in
            let bench = try Bench(reactor)
            let connection = try await bench.connect()
            #expect(await waitUntil(reactor) { connection.room > 1 })
            var result = ""
            reactor.startTask { result = await outcome(connection) }
            #expect(await waitUntil(reactor) { bench.server.requests.count == 1 })
            clock.advance(by: .seconds(9))
            await reactor.nextTurn()
            #expect(result.isEmpty)
            clock.advance(by: .seconds(1))
            #expect(await waitUntil(reactor) { result == "timedOut" })
            #expect(await waitUntil(reactor) { bench.server.peers[0].frames.contains { $0.kind == .reset } })
            bench.server.onRequest = { peer, request in peer.answer(request, 204) }
            #expect(await outcome(connection) == "204 ")
            connection.close()
        }
    }

    @Test func `asks for a sign of life after a silence, and ends without one`() async throws {
        let clock = ManualClock()
        try await withLoop(clock: clock) { reactor in
            let bench = try Bench(reactor)
            let connection = try await bench.connect()
            #expect(await waitUntil(reactor) { connection.room > 1 })
            func pings() -> Int { bench.server.peers[0].frames.filter { $0.kind == .ping }.count }
            bench.server.onRequest = { peer, request in peer.answer(request, 200) }
            // An answer comes behind everything that was said before: it begins a silence.
            #expect(await outcome(connection) == "200 ")
            for round in 1...2 {
                clock.advance(by: .seconds(3_600))
                #expect(await waitUntil(reactor) { pings() == round })
                // Behind the answer to the PING, which has ended the wait for it.
                #expect(await outcome(connection) == "200 ")
            }
            clock.advance(by: .seconds(20))
            // The loop reads the clock once in a turn.
            await reactor.nextTurn()
            #expect(await outcome(connection) == "200 ")
            bench.server.answersPing = false
            clock.advance(by: .seconds(3_600))
            #expect(await waitUntil(reactor) { pings() == 3 })
            clock.advance(by: .seconds(10))
            #expect(await waitUntil(reactor) { !connection.isOpen })
        }
    }

    @Test func `follows no redirect`() async throws {
        try await withLoop { reactor in
            let bench = try Bench(reactor)
            bench.server.onRequest = { peer, request in
                peer.send(.headers(request.stream, [(":status", "302"), ("location", "https://127.0.0.1/other")]))
            }
            let connection = try await bench.connect()
            #expect(await outcome(connection) == "302 ")
            #expect(bench.server.requests.count == 1)
            connection.close()
        }
    }

    @Test func `speaks with this server, whatever its limits`() async throws {
        try await withLoop { reactor in
            var configuration = ServerConfiguration(
                name: "test",
                listeners: [.init(SocketAddress(v4: 0x7F00_0001, port: 0), .tls)]
            )
            configuration.limits.streamsPerConnection = 7
            let tls = try TLSContext(
                certificatePEM: TestCertificates.first,
                keyPEM: Secret(TestCertificates.firstKey),
                alpn: ["h2"]
            )
            let server = Server(configuration, tls: tls, logger: .silent, metrics: MetricsRegistry())
            try server.attach(to: reactor, handler: Echo())
            let port = server.boundAddresses[0].port
            let client = try TLSContext(trustedPEM: TestCertificates.authority, alpn: HTTP2Destination.tlsProtocols)
            let destination = HTTP2Destination("push", host: "localhost", port: port, tls: client)
            let connection = try await HTTP2Connector(reactor, to: destination).connect()
            #expect(await waitUntil(reactor) { connection.room == 7 })
            var answered = 0
            for _ in 0..<30 {
                let all = await outcomes(reactor, connection, (0..<7).map { "/\($0)" })
                answered += all.filter { $0.hasSuffix(" 200 {}") }.count
            }
            #expect(answered == 210)
            connection.close()
        }
    }
}

/// Answers with what was sent.
private final class Echo: RequestHandler {
    func handle(_ request: HTTPRequest) -> HandlerResult { .now(HTTPResponse(.ok, body: .bytes(request.body))) }
    func bodyLimit(for request: HTTPRequest) -> Int? { 1_000 }
    func name(of request: HTTPRequest) -> String { "echo" }
}

@Suite("A connection over HTTP/2 that cannot be made")
struct HTTP2ConnectorTests {
    @Test func `says that a certificate is not trusted, or is another's`() async throws {
        try await withLoop { reactor in
            let bench = try Bench(reactor)
            let stranger = await failure(try bench.connector(trust: TestCertificates.second))
            #expect(stranger?.code == .connectFailed)
            #expect(stranger?.detail.contains("certificate") == true)
            #expect(await failure(try bench.connector(trust: nil))?.code == .connectFailed)
            let other = await failure(try bench.connector(host: "127.0.0.2"))
            #expect(other?.code == .connectFailed)
        }
    }

    @Test func `says that the server does not speak HTTP 2`() async throws {
        try await withLoop { reactor in
            let bench = try Bench(reactor, protocols: ["http/1.1"])
            #expect(await failure(try bench.connector())?.code == .connectFailed)
            // A client that would also take another protocol gets no further.
            let either = await failure(try bench.connector(protocols: ["h2", "http/1.1"]))
            #expect(either?.detail == "TLS: the server does not speak h2")
        }
    }

    @Test func `says that nobody listens, and that a name has no address`() async throws {
        try await withLoop { reactor in
            let bench = try Bench(reactor)
            let listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0))
            let address = try Socket.localAddress(listener)
            listener.close()
            let tls = try TLSContext(trustedPEM: TestCertificates.authority, alpn: ["h2"])
            let nobody = HTTP2Destination("push", host: "127.0.0.1", port: address.port, tls: tls)
            #expect(await failure(HTTP2Connector(reactor, to: nobody))?.detail == "connect ECONNREFUSED")
            let nameless = await failure(try bench.connector(host: "a..b"))
            #expect(nameless?.detail.hasPrefix("name lookup: ") == true)
        }
    }

    @Test func `gives up a server that does not answer in time`() async throws {
        let clock = ManualClock()
        try await withLoop(clock: clock) { reactor in
            // Takes connections into its queue, and never says a word.
            let listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0))
            let tls = try TLSContext(trustedPEM: TestCertificates.authority, alpn: ["h2"])
            let port = try Socket.localAddress(listener).port
            let connector = HTTP2Connector(
                reactor,
                to: HTTP2Destination("push", host: "127.0.0.1", port: port, tls: tls)
            )
            var result: HTTPExchangeError?
            reactor.startTask { result = await failure(connector) }
            let start = clock.monotonicNow()
            let isOver = await waitUntil(reactor) {
                clock.advance(by: .seconds(1))
                return result != nil
            }
            #expect(isOver && clock.monotonicNow() - start >= .seconds(10))
            #expect(result?.code == .connectFailed)
        }
    }
}
