import EventIO
import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("Pipelined requests")
struct PipeliningTests {
    private static func request(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }

    @Test(arguments: Transport.allCases)
    func `are answered in order, however slow a handler is`(transport: Transport) async throws {
        try await withServer { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { request in
                let path = request.path
                guard path.hasPrefix("/slow") else { return .now(.text(path)) }
                return .later {
                    await gate.pass()
                    return .text(path)
                }
            }
            let client = try await bench.client(transport)
            let paths = ["/slow1", "/fast1", "/slow2", "/fast2"]
            try client.send(paths.map(PipeliningTests.request).joined())
            await bench.until { gate.count == 1 }
            #expect(bench.handler.paths == ["/slow1"], "one request is in flight at a time")
            gate.open()
            for path in paths.prefix(2) { #expect(try await client.response().body == path) }
            await bench.until { gate.count == 1 }
            gate.open()
            for path in paths.suffix(2) { #expect(try await client.response().body == path) }
        }
    }

    @Test(arguments: Transport.allCases)
    func `are all answered when there are more than a turn's share`(transport: Transport) async throws {
        try await withServer { configuration in
            configuration.limits.requestsPerTurn = 3
        } _: { bench in
            let client = try await bench.client(transport)
            let count = 1000
            let paths = (0..<count).map { "/\($0)" }
            try client.send(paths.map(PipeliningTests.request).joined())
            for path in paths { #expect(try await client.response().body == path) }
            #expect(bench.handler.paths.count == count)
        }
    }

    @Test func `are all answered however long that takes, when they had come in time`() async throws {
        let clock = ManualClock()
        try await withServer(clock: clock) { configuration in
            configuration.limits.requestsPerTurn = 1
        } _: { bench in
            bench.handler.answer = { request in
                clock.advance(by: .seconds(1))
                return .now(.text(request.path))
            }
            let client = try bench.client()
            // The first deadline runs from the connection, and would be over after ten of them.
            try client.send(String(repeating: PipeliningTests.request("/"), count: 100))
            for _ in 0..<100 { #expect(try await client.response().body == "/") }
        }
    }

    @Test func `share the loop with other connections`() async throws {
        try await withServer { configuration in
            configuration.limits.requestsPerTurn = 2
        } _: { bench in
            let greedy = try bench.client()
            let modest = try bench.client()
            try greedy.send(String(repeating: PipeliningTests.request("/greedy"), count: 200))
            try modest.send(PipeliningTests.request("/modest"))
            _ = try await modest.response()
            let position = try #require(bench.handler.paths.firstIndex(of: "/modest"))
            #expect(position < 50)
            for _ in 0..<200 { _ = try await greedy.response() }
        }
    }

    @Test func `wait in a buffer that has a bound`() async throws {
        try await withServer { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { request in
                let path = request.path
                return .later {
                    await gate.pass()
                    return .text(path)
                }
            }
            let client = try bench.client()
            let flood = String(repeating: PipeliningTests.request("/x"), count: 2_000)
            try client.send(flood)
            await bench.until { gate.count == 1 }
            let reads = bench.metric("sallyport_http_receives_total")
            await bench.turns(20)
            #expect(bench.metric("sallyport_http_receives_total") == reads, "nothing is read while the buffer is full")
            for _ in 0..<2_000 {
                await bench.until { gate.count == 1 }
                gate.open()
            }
            var answered = 0
            while answered < 2_000 {
                _ = try await client.response()
                answered += 1
            }
        }
    }

    @Test func `wait while the client reads nothing`() async throws {
        try await withServer { bench in
            let body = String(repeating: "x", count: 50_000)
            bench.handler.answer = { _ in .now(.text(body)) }
            let client = try bench.client()
            client.isReading = false
            try client.send(String(repeating: PipeliningTests.request("/big"), count: 300))
            var answered = -1
            while answered != bench.handler.paths.count {
                answered = bench.handler.paths.count
                await bench.turns(50)
            }
            #expect(answered < 300)
            client.isReading = true
            for _ in 0..<300 { #expect(try await client.response().body.utf8.count == 50_000) }
        }
    }
}
