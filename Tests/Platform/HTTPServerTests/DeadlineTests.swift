import EventIO
import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("A deadline")
struct DeadlineTests {
    /// Runs a test with a clock that it moves.
    private func withClock(
        configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (TestBench, ManualClock) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        try await withServer(clock: clock, configure: configure) { bench in try await body(bench, clock) }
    }

    private static func pass(_ duration: Duration, _ clock: ManualClock, _ bench: TestBench) async {
        clock.advance(by: duration)
        await bench.turns()
    }

    @Test(arguments: Transport.allCases)
    func `closes a connection that asks for nothing`(transport: Transport) async throws {
        try await withClock { bench, clock in
            let client = try await bench.client(transport)
            await bench.until { bench.server.connectionCount == 1 }
            // The server takes the end of the handshake.
            await bench.turns(10)
            await DeadlineTests.pass(.seconds(9.9), clock, bench)
            #expect(bench.server.connectionCount == 1)
            await DeadlineTests.pass(.seconds(0.2), clock, bench)
            #expect(try await client.rest().isEmpty)
            #expect(bench.server.connectionCount == 0)
        }
    }

    @Test func `ends a handshake that does not go on`() async throws {
        try await withClock { bench, clock in
            let client = try TestClient(bench.reactor, to: bench.secureAddress)
            client.sendRaw([0x16, 3, 1])
            await bench.until { bench.server.connectionCount == 1 }
            await DeadlineTests.pass(.seconds(10.1), clock, bench)
            #expect(try await client.rest().isEmpty)
            #expect(bench.metric("sallyport_http_refused_connections_total", "handshake_timeout") == 1)
        }
    }

    @Test(arguments: Transport.allCases)
    func `answers 408 to a head that drips in`(transport: Transport) async throws {
        try await withClock { bench, clock in
            let client = try await bench.client(transport)
            _ = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            var head = Array("GET / HTTP/1.1\r\nX: ".utf8) + [UInt8](repeating: 0x61, count: 100)
            var seconds = 0
            while !client.hasEnded, seconds < 60 {
                try client.send([head.removeFirst()])
                await bench.turns(1)
                await DeadlineTests.pass(.seconds(1), clock, bench)
                seconds += 1
            }
            #expect(seconds <= 12)
            let response = try await client.response()
            #expect(response.status == 408)
            #expect(response.closes)
        }
    }

    @Test func `answers 408 to content that stops`() async throws {
        try await withClock { bench, clock in
            bench.handler.refusal = { request, status in .text(request.path, status) }
            let client = try bench.client()
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf")
            await bench.turns(5)
            await DeadlineTests.pass(.seconds(19), clock, bench)
            try client.send("x")
            await bench.turns(3)
            #expect(!client.hasEnded)
            await DeadlineTests.pass(.seconds(1.1), clock, bench)
            let response = try await client.response()
            #expect(response.status == 408)
            #expect(response.body == "/")
            #expect(bench.handler.paths.isEmpty)
        }
    }

    @Test func `for idleness begins anew with each response`() async throws {
        try await withClock { bench, clock in
            let client = try bench.client()
            for _ in 0..<5 {
                _ = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                await DeadlineTests.pass(.seconds(70), clock, bench)
            }
            #expect(bench.server.connectionCount == 1)
            await DeadlineTests.pass(.seconds(6), clock, bench)
            #expect(try await client.rest().isEmpty)
            #expect(client.failure == nil)
        }
    }

    /// What a test has seen of a handler.
    private final class Seen {
        var ends = 0
    }

    @Test(arguments: Transport.allCases)
    func `of a handler brings its client 503 in the form of its route, and ends the connection`(
        transport: Transport
    ) async throws {
        try await withClock { bench, clock in
            let (gate, seen) = (Gate(bench.reactor), Seen())
            bench.handler.lateAnswer = { request in .text("late \(request.path)", .serviceUnavailable) }
            bench.handler.answer = { request in
                .later {
                    await gate.pass()
                    // The request is still the handler's own.
                    if request.path == "/slow", request.body == Array("body".utf8) { seen.ends += 1 }
                    return .text("done")
                }
            }
            let client = try await bench.client(transport)
            try client.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody")
            await bench.until { gate.count == 1 }
            await DeadlineTests.pass(.seconds(54.9), clock, bench)
            #expect(!client.hasEnded)
            await DeadlineTests.pass(.seconds(0.2), clock, bench)
            try #require(bench.metric("sallyport_http_late_handlers_total") == 1, "the handler has no deadline")
            let response = try await client.response()
            #expect(response.status == 503)
            #expect(response.body == "late /slow")
            #expect(response.closes)
            #expect(try await client.rest().isEmpty)
            await bench.until { bench.server.connectionCount == 0 }
            #expect(gate.cancelled == 1)
            gate.open()
            await bench.until { seen.ends == 1 }
            #expect(bench.metric("sallyport_http_late_handlers_total") == 1)
            #expect(bench.log.lines(with: "http.handler_late").count == 1)
        }
    }

    @Test func `of a handler is as short as its route says, and many are one line in the log`() async throws {
        try await withClock { bench, clock in
            let gate = Gate(bench.reactor)
            bench.handler.patience = { _ in .seconds(10) }
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("done")
                }
            }
            var clients: [TestClient] = []
            for _ in 0..<20 {
                clients.append(try bench.client())
                try clients[clients.count - 1].send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            await bench.until { gate.count == 20 }
            await DeadlineTests.pass(.seconds(10.1), clock, bench)
            for client in clients { #expect(try await client.response().status == 503) }
            #expect(bench.metric("sallyport_http_late_handlers_total") == 20)
            let lines = bench.log.lines(with: "http.handler_late")
            #expect(lines.count == 1)
            #expect(lines.first?.contains("a route") == true)
            while gate.count > 0 { gate.open() }
        }
    }

    @Test func `does not hurry a handler before its own has passed`() async throws {
        try await withClock { bench, clock in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("late")
                }
            }
            let client = try bench.client()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await bench.until { gate.count == 1 }
            await DeadlineTests.pass(.seconds(54), clock, bench)
            gate.open()
            #expect(try await client.response().body == "late")
            await DeadlineTests.pass(.seconds(76), clock, bench)
            #expect(try await client.rest().isEmpty)
        }
    }

    @Test(arguments: Transport.allCases)
    func `resets a reader that takes nothing`(transport: Transport) async throws {
        try await withClock { bench, clock in
            bench.handler.answer = { _ in
                .now(HTTPResponse(.ok, body: .bytes([UInt8](repeating: 0, count: 20_000_000))))
            }
            let client = try await bench.client(transport)
            client.isReading = false
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await bench.until { bench.handler.paths.count == 1 }
            await bench.turns(20)
            await DeadlineTests.pass(.seconds(29), clock, bench)
            #expect(bench.server.connectionCount == 1)
            await DeadlineTests.pass(.seconds(2), clock, bench)
            #expect(bench.server.connectionCount == 0)
            client.isReading = true
            await bench.until { client.hasEnded }
            #expect(client.failure?.code == IOError.connectionReset)
        }
    }

    @Test func `for a slow reader begins anew whenever it takes something`() async throws {
        try await withClock { bench, clock in
            let size = 20_000_000
            bench.handler.answer = { _ in .now(HTTPResponse(.ok, body: .bytes([UInt8](repeating: 0, count: size)))) }
            let client = try bench.client()
            client.isReading = false
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await bench.until { bench.handler.paths.count == 1 }
            while client.received.count < size {
                await bench.turns(5)
                await DeadlineTests.pass(.seconds(25), clock, bench)
                client.isReading = true
                client.isReading = false
                if client.hasEnded { break }
            }
            #expect(client.failure == nil)
        }
    }

    @Test func `ends a refused client that neither reads nor closes`() async throws {
        try await withClock { bench, clock in
            let client = try bench.client()
            try client.send("nonsense\r\n\r\n")
            #expect(try await client.response().status == 400)
            await bench.turns()
            #expect(bench.server.connectionCount == 1)
            await DeadlineTests.pass(.seconds(2.1), clock, bench)
            #expect(bench.server.connectionCount == 0)
        }
    }
}
