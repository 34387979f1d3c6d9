import EventIO
import HTTPCore
import HTTPServer
import Primitives
import Telemetry
import TestKit
import Testing

@Suite("A drain")
struct DrainTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Starts a drain and tells when it has ended.
    private func drain(_ bench: TestBench) -> DrainWatch {
        let watch = DrainWatch()
        let server = bench.server
        bench.reactor.startTask {
            await server.drain()
            watch.hasEnded = true
        }
        return watch
    }

    private final class DrainWatch {
        var hasEnded = false
    }

    @Test(arguments: Transport.allCases)
    func `lets requests in flight finish and says that it closes`(transport: Transport) async throws {
        try await withServer { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("done")
                }
            }
            let busy = try await bench.client(transport)
            try busy.send(DrainTests.request)
            await bench.until { gate.count == 1 }
            let watch = drain(bench)
            await bench.turns(5)
            #expect(!watch.hasEnded)
            gate.open()
            let response = try await busy.response()
            #expect(response.body == "done")
            #expect(response.closes)
            #expect(try await busy.rest().isEmpty)
            await bench.until { watch.hasEnded }
            #expect(bench.server.connectionCount == 0)
        }
    }

    @Test(arguments: Transport.allCases)
    func `closes idle connections at once`(transport: Transport) async throws {
        try await withServer(clock: ManualClock()) { bench in
            let idle = try await bench.client(transport)
            _ = try await idle.exchange(DrainTests.request)
            let watch = drain(bench)
            #expect(try await idle.rest().isEmpty)
            await bench.until { watch.hasEnded }
        }
    }

    @Test func `serves the connections that wait in the listener's queue`() async throws {
        try await withServer { configuration in
            configuration.limits.acceptsPerTurn = 1
        } _: { bench in
            var clients: [TestClient] = []
            for _ in 0..<20 {
                clients.append(try bench.client())
                try clients[clients.count - 1].send(DrainTests.request)
            }
            let watch = drain(bench)
            for client in clients {
                let response = try await client.response()
                #expect(response.status == 200)
                #expect(response.closes)
            }
            await bench.until { watch.hasEnded }
        }
    }

    @Test(arguments: Transport.allCases)
    func `waits a moment for the first request of a young connection`(transport: Transport) async throws {
        let clock = ManualClock()
        try await withServer(clock: clock) { bench in
            let young = try await bench.client(transport)
            let silent = try await bench.client(transport)
            await bench.until { bench.server.connectionCount == 2 }
            await bench.turns(10)
            let watch = drain(bench)
            await bench.turns()
            let response = try await young.exchange(DrainTests.request)
            #expect(response.closes)
            #expect(!watch.hasEnded)
            clock.advance(by: .seconds(1.1))
            #expect(try await silent.rest().isEmpty)
            await bench.until { watch.hasEnded }
        }
    }

    @Test func `takes no new connection`() async throws {
        try await withServer { bench in
            await bench.server.drain()
            let late = try bench.client()
            await bench.until { late.hasEnded }
            #expect(late.failure?.code == IOError.connectionRefused)
            let failure = #expect(throws: ServerError.self) {
                try bench.server.attach(to: bench.reactor, handler: bench.handler)
            }
            #expect(failure?.code == .draining)
            await bench.server.drain()
        }
    }

    @Test func `cuts off what is left at its deadline and cancels it`() async throws {
        let clock = ManualClock()
        try await withServer(clock: clock) { configuration in
            configuration.drainDeadline = .seconds(30)
        } _: { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("too late")
                }
            }
            let client = try bench.client()
            try client.send(DrainTests.request)
            await bench.until { gate.count == 1 }
            let watch = drain(bench)
            await bench.turns()
            clock.advance(by: .seconds(29))
            await bench.turns()
            #expect(!watch.hasEnded)
            clock.advance(by: .seconds(2))
            await bench.until { watch.hasEnded && gate.cancelled == 1 }
            #expect(try await client.rest().isEmpty)
            gate.open()
        }
    }

    @Test func `ends within its deadline although two hundred clients hang in every way`() async throws {
        let clock = ManualClock()
        try await withServer(clock: clock) { configuration in
            configuration.acceptsClearHTTP2 = true
            configuration.drainDeadline = .seconds(5)
        } _: { bench in
            let gate = Gate(bench.reactor)
            let large = HTTPResponse(.ok, body: .bytes([UInt8](repeating: 0x61, count: 4 << 20)))
            bench.handler.answer = { request in
                guard request.path != "/large" else { return .now(large) }
                return .later {
                    await gate.pass()
                    return .text("too late")
                }
            }
            var clients: [TestClient] = []
            var frameClients: [FrameClient] = []
            for number in 0..<40 {
                // A handler that hangs, half a head, half a content; what is large is not read.
                for text in ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHo", DrainTests.halfContent] {
                    let client = try await bench.client(number % 8 == 0 ? .tls : .clear)
                    try client.send(text)
                    clients.append(client)
                }
                let deaf = try bench.client()
                deaf.isReading = false
                try deaf.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
                clients.append(deaf)
                let streams = try await bench.frameClient(settings: [(4, 0)])
                try streams.ask("/")
                try streams.ask("/large")
                frameClients.append(streams)
            }
            await bench.until { gate.count == 80 && bench.handler.paths.count == 160 }
            let watch = drain(bench)
            await bench.turns()
            #expect(!watch.hasEnded)
            clock.advance(by: .seconds(5.1))
            await bench.until { watch.hasEnded }
            #expect(bench.server.connectionCount == 0)
            #expect(gate.cancelled == 80)
            while gate.count > 0 { gate.open() }
        }
    }

    private static let halfContent = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf"

    @Test func `ends all loops of a server, and they listen on one port before`() async throws {
        let loops = try (0..<2).map { try EventLoop(name: "test-\($0)", logger: .silent) }
        for loop in loops { try loop.start() }
        defer {
            for loop in loops {
                loop.stop()
                loop.join()
            }
        }
        try await withDeadline {
            let any = SocketAddress(v4: 0x7F00_0001, port: 0)
            let server = Server(ServerConfiguration(name: "test", listeners: [.init(any, .clear)]))
            let handlers = Lock(0)
            try await server.start(on: loops) { _ in
                handlers.withLock { $0 += 1 }
                return TestHandler()
            }
            #expect(handlers.withLock { $0 } == 2)
            let address = try #require(server.boundAddresses.first)
            #expect(address.port != 0)
            try await loops[0].run { reactor in
                for _ in 0..<16 {
                    let client = try TestClient(reactor, to: address)
                    #expect(try await client.exchange(DrainTests.request).status == 200)
                }
            }
            await server.drain()
            #expect(server.connectionCount == 0)
        }
    }
}
