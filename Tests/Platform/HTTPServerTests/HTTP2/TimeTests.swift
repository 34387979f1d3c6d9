import EventIO
import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("Time over HTTP/2")
struct TimeTests {
    private func withClock(_ body: @escaping @Sendable (TestBench, ManualClock) async throws -> Void) async throws {
        let clock = ManualClock()
        try await withHTTP2(clock: clock) { bench in try await body(bench, clock) }
    }

    private static func pass(_ duration: Duration, _ clock: ManualClock, _ bench: TestBench) async {
        clock.advance(by: duration)
        await bench.turns(4)
    }

    @Test(arguments: ["", "PRI * HTTP/2.0\r\n"])
    func `for the first bytes is bounded`(opening: String) async throws {
        try await withClock { bench, clock in
            let client = try bench.client()
            try client.send(opening)
            await bench.until { bench.server.connectionCount == 1 }
            await bench.turns()
            await TimeTests.pass(.seconds(10.1), clock, bench)
            _ = try await client.rest()
            #expect(bench.server.connectionCount == 0)
        }
    }

    @Test(arguments: Transport.allCases)
    func `for the first request is bounded, pings or not`(transport: Transport) async throws {
        try await withClock { bench, clock in
            let client = try await bench.frameClient(transport)
            for _ in 0..<9 {
                try await client.settle()
                await TimeTests.pass(.seconds(1), clock, bench)
            }
            #expect(client.goAways.isEmpty)
            await TimeTests.pass(.seconds(1.1), clock, bench)
            #expect(try await client.end() == 0)
            await bench.until { bench.server.connectionCount == 0 }
        }
    }

    @Test func `between requests is bounded, pings or not`() async throws {
        try await withClock { bench, clock in
            let client = try await bench.frameClient()
            _ = try await client.get()
            for _ in 0..<7 {
                await TimeTests.pass(.seconds(10), clock, bench)
                try await client.settle()
            }
            await TimeTests.pass(.seconds(5.1), clock, bench)
            #expect(try await client.end() == 0)
        }
    }

    /// How the rest of a head comes, a little at a time.
    enum Drip: CaseIterable {
        case continuations, pieces
    }

    /// Its time runs from the first frame, whatever comes behind it, and whether or not another request is at work.
    @Test(arguments: Drip.allCases)
    func `for a head that drips is bounded`(drip: Drip) async throws {
        try await withClock { bench, clock in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("late")
                }
            }
            let client = try await bench.frameClient()
            try client.ask()
            await bench.until { gate.count == 1 }
            let block = HTTP2Frame.block(HTTP2Frame.request())
            // Nothing else may be sent within a head, no PING either: turns of the loop must do.
            let opening = HTTP2Frame(.headers, flags: 1, stream: 3, drip == .pieces ? block : [block[0]]).bytes
            try client.wire.send(drip == .pieces ? Array(opening.prefix(10)) : opening)
            await bench.turns(4)
            for index in 0..<7 {
                await TimeTests.pass(.seconds(1.4), clock, bench)
                #expect(bench.server.connectionCount == 1)
                let piece = [block[1 + index]]
                try client.wire.send(drip == .pieces ? piece : HTTP2Frame(.continuation, stream: 3, piece).bytes)
            }
            // Ten seconds, and one piece more for a kernel that was slow with the first; from the last piece it were ten more.
            await TimeTests.pass(.seconds(2), clock, bench)
            #expect(try await client.end() == 0)
            await bench.until { bench.server.connectionCount == 0 }
            #expect(bench.handler.paths == ["/"])
            gate.open()
        }
    }

    @Test func `for the first head runs from the begin of the connection`() async throws {
        try await withClock { bench, clock in
            let client = try await bench.frameClient()
            try await client.settle()
            await TimeTests.pass(.seconds(9), clock, bench)
            try client.wire.send(Array(HTTP2Frame.headers(1, HTTP2Frame.request()).bytes.dropLast()))
            await bench.turns(4)
            await TimeTests.pass(.seconds(1.1), clock, bench)
            #expect(try await client.end() == 0)
        }
    }

    @Test func `for content is bounded, and costs the stream alone`() async throws {
        try await withClock { bench, clock in
            bench.handler.refusal = { _, status in .text("late", status) }
            let client = try await bench.frameClient()
            client.skipStream()
            try client.send(.headers(1, HTTP2Frame.request(method: "POST"), ends: false))
            for _ in 0..<19 {
                try client.send(.data(1, [1], ends: false))
                try await client.settle()
                await TimeTests.pass(.seconds(1), clock, bench)
            }
            #expect(try await client.get("/between").status == 200)
            await TimeTests.pass(.seconds(1.1), clock, bench)
            let answer = try await client.answer(1)
            #expect(answer.status == 408)
            #expect(String(decoding: answer.body, as: UTF8.self) == "late")
            #expect(try await client.get("/after").status == 200)
        }
    }

    @Test func `for a window that stays shut is bounded`() async throws {
        try await withClock { bench, clock in
            let client = try await bench.frameClient(settings: [(4, 0)])
            try client.ask("/1")
            try await client.settle()
            await TimeTests.pass(.seconds(29), clock, bench)
            #expect(client.goAways.isEmpty)
            try await client.settle()
            await TimeTests.pass(.seconds(1.1), clock, bench)
            #expect(try await client.end() == 11)
            #expect(bench.metric("sallyport_http_h2_slow_readers_total") == 1)
        }
    }

    @Test func `for a window that opens by a byte at a time is bounded`() async throws {
        try await withClock { bench, clock in
            bench.handler.answer = { _ in .now(HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: 1000)))) }
            let client = try await bench.frameClient(settings: [(4, 0)])
            client.opensWindows = false
            try client.ask()
            for _ in 0..<12 {
                try client.send(.window(1, 1))
                try await client.settle()
                await TimeTests.pass(.seconds(10), clock, bench)
            }
            #expect(try await client.answer(1).reset == 8)
            #expect(client.answers[1]?.body.count == 12)
            #expect(bench.metric("sallyport_http_h2_slow_readers_total") == 1)
        }
    }

    @Test func `for a handler is its own affair before its deadline`() async throws {
        try await withClock { bench, clock in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("late")
                }
            }
            let client = try await bench.frameClient()
            try client.ask()
            await bench.until { gate.count == 1 }
            await TimeTests.pass(.seconds(54), clock, bench)
            gate.open()
            #expect(try await client.answer(1).text == "late")
        }
    }

    @Test func `for a handler that does not end is bounded, and other streams are answered`() async throws {
        try await withClock { bench, clock in
            let gate = Gate(bench.reactor)
            bench.handler.lateAnswer = { request in .text("late \(request.path)", .serviceUnavailable) }
            bench.handler.patience = { request in request.path == "/hurried" ? .seconds(10) : nil }
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("done")
                }
            }
            let client = try await bench.frameClient()
            let slow = try client.ask("/slow")
            let hurried = try client.ask("/hurried")
            await bench.until { gate.count == 2 }
            await TimeTests.pass(.seconds(10.1), clock, bench)
            try #require(bench.metric("sallyport_http_late_handlers_total") == 1, "the handler has no deadline")
            let answer = try await client.answer(hurried)
            #expect(answer.status == 503)
            #expect(answer.text == "late /hurried")
            #expect(gate.cancelled == 1)
            try await client.until("the announcement of the end") { !$0.goAways.isEmpty }
            #expect(client.goAways.first?.code == 0)
            gate.open()
            #expect(try await client.answer(slow).text == "done")
            // This client does not echo the PING behind the announcement.
            await TimeTests.pass(.seconds(1.1), clock, bench)
            #expect(try await client.end() == 0)
            // What its handler returns after all is dropped.
            gate.open()
            await bench.turns()
            #expect(client.answers[hurried]?.text == "late /hurried")
            #expect(bench.metric("sallyport_http_late_handlers_total") == 1)
            client.wire.close()
            await bench.until { bench.server.connectionCount == 0 }
        }
    }
}
