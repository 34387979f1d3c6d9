import EventIO
import HTTPCore
import HTTPServer
import Primitives
import TestKit
import Testing

@Suite("A refused request")
struct RefusalTests {
    /// Openings that the parser refuses; its own tests have the full list.
    static let refused: [(String, Int)] = [
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1\nHost: a\n\n", 400),
        ("GET http://evil.example/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (RefusalTests.chunked + "0\r\nX: " + String(repeating: "a", count: 2_000), 431),
        ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n", 417),
        ("GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 17_000) + "\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 64) + "\r\n", 431),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}", 400),
    ]

    private static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: refused.indices)
    func `gets a status, the common fields and the end`(row: Int) async throws {
        try await withServer { configuration in
            configuration.errorFields = FieldBlock([
                HTTPField(.strictTransportSecurity, constant: "max-age=1"),
                HTTPField(.cacheControl, constant: "no-store"),
            ])
        } _: { bench in
            let (request, status) = RefusalTests.refused[row]
            let client = try bench.client()
            let response = try await client.exchange(request)
            #expect(response.status == status)
            #expect(response.closes)
            #expect(response.values("strict-transport-security") == ["max-age=1"])
            #expect(response.values("cache-control") == ["no-store"])
            #expect(response.values("content-length") == ["0"])
            #expect(response.values("date").count == 1)
            #expect(try await client.rest().isEmpty)
            #expect(client.failure == nil)
            #expect(bench.handler.paths.isEmpty)
            #expect(bench.metric("sallyport_http_responses_total", "\(status / 100)xx") == 1)
            client.close()
            await bench.until { bench.server.connectionCount == 0 }
        }
    }

    @Test func `comes after the answers to those before it`() async throws {
        try await withServer { bench in
            let client = try bench.client()
            try client.send("GET /ok HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\nGET /never HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().body == "/ok")
            #expect(try await client.response().status == 400)
            #expect(try await client.rest().isEmpty)
            #expect(bench.handler.paths == ["/ok"])
        }
    }

    @Test func `cannot put anything into a response`() async throws {
        try await withServer { bench in
            bench.handler.answer = { request in
                var response = HTTPResponse.text("body")
                let value = "\(request.query ?? "")\r\nInjected: yes"
                let isTaken = response.add(.location, value)
                #expect(!isTaken)
                return .now(response)
            }
            let client = try bench.client()
            let response = try await client.exchange("GET /?a%0d%0aInjected:yes HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(response.status == 200)
            #expect(response.values("injected").isEmpty)
            #expect(response.values("location").isEmpty)
        }
    }

    @Test(arguments: Transport.allCases)
    func `reaches a client that sends a whole content before it reads`(transport: Transport) async throws {
        try await withServer(clock: ManualClock()) { bench in
            let client = try await bench.client(transport)
            await bench.until { bench.server.connectionCount == 1 }
            client.isReading = false
            let length = 4_000_000
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
            try client.send([UInt8](repeating: 0x61, count: length))
            await bench.until { client.hasSentAll || bench.server.connectionCount == 0 }
            // The kernel may have taken all of it at once: what the server does with it shows in its own time.
            await bench.turns(200)
            #expect(client.hasSentAll && bench.server.connectionCount == 1, "the client was not cut off while it sent")
            client.isReading = true
            let response = try await client.response()
            #expect(response.status == 413 && response.closes)
            #expect(try await client.rest().isEmpty)
            #expect(client.failure == nil)
            client.close()
            await bench.until { bench.server.connectionCount == 0 }
        }
    }

    @Test(arguments: Transport.allCases)
    func `is not waited for longer than its deadline by a client that drips`(transport: Transport) async throws {
        let clock = ManualClock()
        try await withServer(clock: clock) { bench in
            let client = try await bench.client(transport)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
            #expect(try await client.response().status == 413)
            var passed = 0
            while bench.server.connectionCount > 0, passed < 100 {
                try client.send([0x61])
                clock.advance(by: .milliseconds(100))
                await bench.turns()
                passed += 1
            }
            #expect(passed <= 22, "two seconds from the refusal, whatever comes")
        }
    }

    @Test func `is read on for a while, but not for ever`() async throws {
        try await withServer { bench in
            let client = try bench.client()
            try client.send("nonsense\r\n\r\n")
            #expect(try await client.response().status == 400)
            let junk = [UInt8](repeating: 0, count: 65_536)
            while !client.hasEnded || client.failure == nil, bench.server.connectionCount > 0 {
                try client.send(junk)
                await bench.turns(1)
            }
            #expect(bench.server.connectionCount == 0)
        }
    }
}

@Suite("A response")
struct ResponseTests {
    @Test func `to HEAD has the length and no content`() async throws {
        try await withServer { bench in
            let fixed = StaticResponse(.text("static"))
            bench.handler.answer = { $0.pathIs("/static") ? .precomposed(fixed) : .now(.text("dynamic")) }
            let client = try bench.client()
            for (path, length) in [("/static", "6"), ("/dynamic", "7")] {
                try client.send("HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                let response = try await client.response(hasBody: false)
                #expect(response.values("content-length") == [length])
            }
            #expect(try await client.exchange("GET /static HTTP/1.1\r\nHost: a\r\n\r\n").body == "static")
        }
    }

    @Test(arguments: Transport.allCases)
    func `of many megabytes arrives whole`(transport: Transport) async throws {
        try await withServer { bench in
            let line = Array("0123456789abcdefghijklmnopqrstuvwxyz.\n".utf8)
            let body = Array(repeatElement(line, count: 80_000).joined())
            bench.handler.answer = { _ in .now(HTTPResponse(.ok, body: .bytes(body))) }
            let client = try await bench.client(transport)
            let response = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(Array(response.body.utf8) == body)
            #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
    }

    @Test func `of a handler that fails is 500, and the connection goes on`() async throws {
        try await withServer { configuration in
            configuration.errorFields = FieldBlock([HTTPField(.cacheControl, constant: "no-store")])
        } _: { bench in
            bench.handler.answer = { request in
                guard request.pathIs("/fails") else { return .now(.text("fine")) }
                return .later { throw TestFailure("on purpose") }
            }
            let client = try bench.client()
            let response = try await client.exchange("GET /fails HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(response.status == 500)
            #expect(response.body.isEmpty)
            #expect(response.values("cache-control") == ["no-store"])
            #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "fine")
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
    func `of a handler that hangs up is what it says and the end`(lastBytes: String) async throws {
        try await withServer { bench in
            bench.handler.answer = { _ in .later { throw HangUp(lastBytes: Array(lastBytes.utf8)) } }
            let client = try bench.client()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.rest() == lastBytes)
            await bench.until { bench.server.connectionCount == 0 }
        }
    }

    @Test func `of a handler that hangs up slowly has a pause in it`() async throws {
        try await withServer { bench in
            bench.handler.answer = { _ in
                .later {
                    throw HangUp(lastBytes: Array("first ".utf8), rest: Array("last".utf8), after: .milliseconds(20))
                }
            }
            let client = try bench.client()
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let start = bench.reactor.now
            #expect(try await client.rest() == "first last")
            #expect(bench.reactor.now.nanoseconds - start.nanoseconds >= 19_000_000)
            await bench.until { bench.server.connectionCount == 0 }
        }
    }

    @Test func `says that it is the last one`() async throws {
        try await withServer { configuration in
            configuration.limits.requestsPerConnection = 3
        } _: { bench in
            let client = try bench.client()
            let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            try client.send(String(repeating: request, count: 5))
            let closes = [try await client.response(), try await client.response(), try await client.response()].map(
                \.closes
            )
            #expect(closes == [false, false, true])
            #expect(try await client.rest().isEmpty)
            #expect(client.failure == nil)
            #expect(bench.handler.paths.count == 3)
        }
    }
}
