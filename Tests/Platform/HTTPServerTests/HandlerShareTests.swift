import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("The handlers of a loop that take their time")
struct HandlerShareTests {
    private static let hang = "/hang"

    /// Eight handlers may be under way, so an address has two.
    private static func withEight(_ body: @escaping @Sendable (TestBench, Gate) async throws -> Void) async throws {
        try await withServer { configuration in
            configuration.acceptsClearHTTP2 = true
            configuration.limits.handlers = 8
            configuration.limits.requestsPerTurn = 100
        } _: { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { request in
                guard request.path == hang else { return .now(.text("at once")) }
                return .later {
                    await gate.pass()
                    return .text("done")
                }
            }
            try await body(bench, gate)
            while gate.count > 0 { gate.open() }
        }
    }

    private static func request(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

    @Test func `are a quarter at most for one address, whose next request gets 503`() async throws {
        try await HandlerShareTests.withEight { bench, gate in
            var clients: [TestClient] = []
            for count in 1...2 {
                clients.append(try bench.client())
                try clients[count - 1].send(HandlerShareTests.request(HandlerShareTests.hang))
                await bench.until { gate.count == count }
            }
            let refused = try bench.client()
            try refused.send(HandlerShareTests.request(HandlerShareTests.hang))
            await bench.until { gate.count > 2 || bench.metric("sallyport_http_refused_handlers_total") > 0 }
            try #require(gate.count == 2)
            let answer = try await refused.response()
            #expect(answer.status == 503 && answer.head.lowercased().contains("\r\nretry-after: 1\r\n"))
            #expect(bench.metric("sallyport_http_refused_handlers_total") == 1)
            #expect(gate.count == 2)
            // The connection goes on; what needs no time is answered, and what has ended makes room.
            #expect(try await refused.exchange(HandlerShareTests.request("/")).status == 200)
            gate.open()
            #expect(try await clients[0].response().status == 200)
            try refused.send(HandlerShareTests.request(HandlerShareTests.hang))
            await bench.until { gate.count == 2 }
        }
    }

    @Test func `are no more for the streams of one connection`() async throws {
        try await HandlerShareTests.withEight { bench, gate in
            let client = try await bench.frameClient()
            for _ in 0..<20 { try client.ask(HandlerShareTests.hang) }
            await bench.until {
                // A handler is counted before its task begins.
                gate.count > 2 || gate.count == 2 && bench.metric("sallyport_http_refused_handlers_total") == 18
            }
            try #require(gate.count == 2)
            for stream in stride(from: UInt32(5), through: 39, by: 2) {
                #expect(try await client.answer(stream).status == 503)
            }
            // A reset gives no room back before its handler has ended.
            try client.send(.reset(1))
            #expect(try await client.get(HandlerShareTests.hang).status == 503)
            gate.open()
            try client.ask(HandlerShareTests.hang)
            await bench.until { gate.count == 2 }
        }
    }

    @Test func `leave room for others, by the client that a proxy names`() async throws {
        try await withServer { configuration in
            configuration.limits.handlers = 8
            configuration.trustedProxies = ["127.0.0.0/8"].compactMap(NetworkPrefix.init)
        } _: { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("done")
                }
            }
            func ask(_ address: String) throws -> TestClient {
                let client = try bench.client()
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(address)\r\n\r\n")
                return client
            }
            var clients: [TestClient] = []
            for count in 1...2 {
                clients.append(try ask("203.0.113.1"))
                await bench.until { gate.count == count }
            }
            let refused = try ask("203.0.113.1")
            await bench.until { gate.count > 2 || bench.metric("sallyport_http_refused_handlers_total") > 0 }
            try #require(gate.count == 2)
            #expect(try await refused.response().status == 503)
            clients.append(try ask("203.0.113.2"))
            await bench.until { gate.count == 3 }
            clients.append(try ask("198.51.100.1"))
            await bench.until { gate.count == 4 }
            while gate.count > 0 { gate.open() }
            for client in clients { #expect(try await client.response().status == 200) }
        }
    }
}
