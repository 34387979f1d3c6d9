import EventIO
import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("A client that goes away")
struct DepartureTests {
    /// A handler that waits at a gate and gives up when it is cancelled.
    private static func wait(at gate: Gate) -> (HTTPRequest) -> HandlerResult {
        { _ in
            .later {
                try await gate.passOrFail()
                return .text("done")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `cancels the handler that waits for it`(transport: Transport) async throws {
        try await withServer { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = DepartureTests.wait(at: gate)
            let client = try await bench.client(transport)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await bench.until { gate.count == 1 }
            client.close()
            await bench.until { gate.cancelled == 1 }
            let sends = bench.metric("sallyport_http_sends_total")
            gate.open()
            await bench.until { bench.server.connectionCount == 0 }
            #expect(bench.metric("sallyport_http_sends_total") == sends, "nothing is written for nobody")
        }
    }

    @Test(arguments: Transport.allCases)
    func `with a reset cancels the handler and drops its response`(transport: Transport) async throws {
        try await withServer { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return .text("nobody reads this")
                }
            }
            let client = try await bench.client(transport)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await bench.until { gate.count == 1 }
            try client.reset()
            await bench.until { bench.server.connectionCount == 0 }
            await bench.until { gate.cancelled == 1 }
            let sends = bench.metric("sallyport_http_sends_total")
            gate.open()
            await bench.turns()
            #expect(bench.metric("sallyport_http_sends_total") == sends)
        }
    }

    @Test(arguments: Transport.allCases)
    func `only on its sending side still gets its answers`(transport: Transport) async throws {
        try await withServer { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { request in
                let path = request.path
                return .later {
                    await gate.pass()
                    return .text(path)
                }
            }
            let client = try await bench.client(transport)
            try client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            try client.endOutput()
            for path in ["/1", "/2"] {
                await bench.until { gate.count == 1 }
                gate.open()
                #expect(try await client.response().body == path)
            }
            #expect(try await client.rest().isEmpty)
            await bench.until { bench.server.connectionCount == 0 }
        }
    }

    @Test(arguments: ["", "GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc"])
    func `in the middle of a request gets no answer`(opening: String) async throws {
        try await withServer { bench in
            let client = try bench.client()
            try client.send(opening)
            try client.endOutput()
            #expect(try await client.rest().isEmpty)
            #expect(bench.handler.paths.isEmpty)
            await bench.until { bench.server.connectionCount == 0 }
        }
    }

    @Test(arguments: Transport.allCases)
    func `at once with its request is served and forgotten`(transport: Transport) async throws {
        try await withServer { bench in
            for _ in 0..<20 {
                let client = try await bench.client(transport)
                // A socket that is closed over unread bytes resets, and a reset may take the request along: the tickets
                // that TLS sends behind its handshake are read first.
                if transport == .tls { _ = try await client.exchange("GET /first HTTP/1.1\r\nHost: a\r\n\r\n") }
                try client.send("GET /last HTTP/1.1\r\nHost: a\r\n\r\n")
                client.close()
            }
            await bench.until {
                bench.server.connectionCount == 0 && bench.handler.paths.count { $0 == "/last" } == 20
            }
        }
    }

    @Test func `before the server has looked leaves nothing behind`() async throws {
        try await withServer { bench in
            for _ in 0..<20 { try bench.client().reset() }
            // One that came later is served: so those before it have been accepted.
            let client = try bench.client()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try await client.rest().utf8.starts(with: "HTTP/1.1 200 ".utf8))
            await bench.until { bench.server.connectionCount == 0 }
        }
    }
}
