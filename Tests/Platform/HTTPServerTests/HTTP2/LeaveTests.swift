import EventIO
import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("Leaving HTTP/2")
struct LeaveTests {
    private static func wait(at gate: Gate) -> (HTTPRequest) -> HandlerResult {
        { request in
            let path = request.path
            return .later {
                try await gate.passOrFail()
                return .text(path)
            }
        }
    }

    @Test func `with a reset cancels the handler of that stream alone`() async throws {
        try await withHTTP2 { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = LeaveTests.wait(at: gate)
            let client = try await bench.frameClient()
            let first = try client.ask("/1")
            let second = try client.ask("/2")
            await bench.until { gate.count == 2 }
            try client.send(.reset(first))
            await bench.until { gate.cancelled == 1 }
            gate.open()
            gate.open()
            #expect(try await client.answer(second).text == "/2")
            #expect(client.answers[first] == nil)
            #expect(gate.cancelled == 1)
            #expect(bench.metric("sallyport_http_h2_resets_total", "client") == 1)
        }
    }

    @Test(arguments: [false, true])
    func `by closing cancels all handlers`(isAbrupt: Bool) async throws {
        try await withHTTP2 { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = LeaveTests.wait(at: gate)
            let client = try await bench.frameClient()
            try client.ask("/1")
            try client.ask("/2")
            await bench.until { gate.count == 2 }
            if isAbrupt { try client.wire.reset() } else { client.wire.close() }
            await bench.until { gate.cancelled == 2 }
            while gate.count > 0 { gate.open() }
            await bench.until { bench.server.connectionCount == 0 }
        }
    }

    @Test(arguments: Transport.allCases)
    func `on the sending side alone still gets answers`(transport: Transport) async throws {
        try await withHTTP2 { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("done")
                }
            }
            let client = try await bench.frameClient(transport)
            let scheme = transport == .tls ? "https" : "http"
            try client.send(.headers(1, HTTP2Frame.request().map { $0.0 == ":scheme" ? ($0.0, scheme) : $0 }))
            try client.wire.endOutput()
            await bench.until { gate.count == 1 }
            gate.open()
            client.opensWindows = false
            #expect(try await client.answer(1).text == "done")
            _ = try await client.end()
            await bench.until { bench.server.connectionCount == 0 }
        }
    }

    @Test func `is said twice by a server that drains`() async throws {
        try await withHTTP2 { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { request in
                guard request.path == "/slow" else { return .now(.text("fast")) }
                return .later {
                    await gate.pass()
                    return .text("slow")
                }
            }
            let client = try await bench.frameClient()
            let slow = try client.ask("/slow")
            await bench.until { gate.count == 1 }
            let server = bench.server
            async let drained: Void = server.drain()
            try await client.until("an announcement") { !$0.goAways.isEmpty }
            #expect(client.goAways[0].last == 0x7FFF_FFFF && client.goAways[0].code == 0)
            // The client does not know yet, as it were: what it has sent meanwhile is served.
            #expect(try await client.get("/fast").text == "fast")
            let ping = client.frames.last { $0.kind == .ping && !$0.ends }
            try client.send(HTTP2Frame(.ping, flags: 1, ping?.payload ?? []))
            try await client.until("the last word") { $0.goAways.count == 2 }
            #expect(client.goAways[1].last == 3)
            // Too late.
            try client.ask("/fast")
            try await client.settle()
            gate.open()
            #expect(try await client.answer(slow).text == "slow")
            _ = try await client.end()
            #expect(client.answers[5] == nil)
            await drained
            #expect(bench.server.connectionCount == 0)
        }
    }

    @Test func `is not held up by a client that does not listen`() async throws {
        let clock = ManualClock()
        try await withHTTP2(clock: clock) { bench in
            let client = try await bench.frameClient()
            _ = try await client.get()
            let server = bench.server
            async let drained: Void = server.drain()
            try await client.until("an announcement") { !$0.goAways.isEmpty }
            clock.advance(by: .seconds(1.1))
            await bench.turns()
            _ = try await client.end()
            await drained
            #expect(client.goAways.count == 2)
        }
    }

    @Test func `on the client's word ends when its streams have`() async throws {
        try await withHTTP2 { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = LeaveTests.wait(at: gate)
            let client = try await bench.frameClient()
            try client.ask("/1")
            await bench.until { gate.count == 1 }
            try client.send(HTTP2Frame(.goAway, [UInt8](repeating: 0, count: 8)))
            try await client.settle()
            gate.open()
            #expect(try await client.answer(1).text == "/1")
            _ = try await client.end()
        }
    }

    @Test func `a handler that fails is answered with 500`() async throws {
        try await withHTTP2 { bench in
            bench.handler.answer = { request in
                let path = request.path
                return .later { throw path == "/hang" ? HangUp() as any Error : TestFailure("no") }
            }
            let client = try await bench.frameClient()
            #expect(try await client.get("/fails").status == 500)
            try client.ask("/hang")
            _ = try await client.end()
            #expect(client.rest.isEmpty)
        }
    }

    @Test func `a handler that hangs up has its last word behind what waits`() async throws {
        try await withHTTP2 { bench in
            let half = Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".utf8)
            bench.handler.answer = { request in
                request.path == "/hang" ? .later { throw HangUp(lastBytes: half) } : .now(.text("well"))
            }
            let client = try await bench.frameClient()
            let streams = [try client.ask("/hang"), try client.ask("/")]
            _ = try await client.end()
            #expect(client.answers[streams[0]] == nil)
            #expect(client.answers[streams[1]]?.text == "well")
            #expect(client.rest == half)
            await bench.until { bench.server.connectionCount == 0 }
        }
    }
}
