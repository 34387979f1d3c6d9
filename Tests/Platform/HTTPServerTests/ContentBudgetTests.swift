import EventIO
import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("The content that a process holds")
struct ContentBudgetTests {
    private static let limit = 65_536

    private static func configure(_ budget: ContentBudget) -> @Sendable (inout ServerConfiguration) -> Void {
        { configuration in
            configuration.content = budget
            configuration.acceptsClearHTTP2 = true
            configuration.limits.bodyBytes = 200_000
        }
    }

    private static func request(_ count: Int, of announced: Int) -> String {
        "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: \(announced)\r\n\r\n" + String(repeating: "x", count: count)
    }

    @Test func `has a limit, beyond which 503 says to come back, and small requests go on`() async throws {
        let budget = ContentBudget(limit: Self.limit, hasShares: false)
        try await withServer(configure: Self.configure(budget)) { bench in
            var clients: [TestClient] = []
            for number in 1...4 {
                let client = try bench.client()
                try client.send(Self.request(20_000, of: 20_001))
                await bench.until { budget.heldBytes == number * (20_000 - ContentBudget.uncounted) }
                clients.append(client)
            }
            let refused = try await bench.client().exchange(Self.request(20_000, of: 20_001))
            #expect(refused.status == 503 && refused.closes)
            #expect(refused.head.lowercased().contains("\r\nretry-after: 1\r\n"))
            #expect(bench.metric("sallyport_http_refused_content_total") == 1)
            #expect(bench.metric("sallyport_http_held_content_bytes") == budget.heldBytes)
            #expect(try await bench.client().exchange(Self.request(4096, of: 4096)).status == 200)
            #expect(try await bench.client().exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)

            // An answer gives the room back, and so does the end of a connection.
            try clients[0].send("x")
            #expect(try await clients[0].response().status == 200)
            #expect(budget.heldBytes == 3 * (20_000 - ContentBudget.uncounted))
            #expect(try await bench.client().exchange(Self.request(19_000, of: 19_000)).status == 200)
            for client in clients { client.close() }
            await bench.until { budget.heldBytes == 0 }
            #expect(bench.metric("sallyport_http_held_content_bytes") == 0)
            #expect(bench.handler.paths.count == 4)
        }
    }

    @Test func `in chunks counts, too, and what a deadline ends is given back`() async throws {
        let budget = ContentBudget(limit: Self.limit, hasShares: false)
        let clock = ManualClock()
        try await withServer(clock: clock, configure: Self.configure(budget)) { bench in
            let client = try bench.client()
            let chunk = String(repeating: "x", count: 0x8000)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n\(chunk)\r\n")
            await bench.until { budget.heldBytes == 0x8000 - ContentBudget.uncounted }
            clock.advance(by: .seconds(31), waking: bench.reactor.executor)
            #expect(try await client.response().status == 408)
            #expect(budget.heldBytes == 0)
        }
    }

    @Test func `over HTTP/2 is refused by the request, and whole requests are answered`() async throws {
        let budget = ContentBudget(limit: Self.limit, hasShares: false)
        try await withServer(configure: Self.configure(budget)) { bench in
            let holder = try bench.client()
            try holder.send(Self.request(60_000, of: 60_001))
            await bench.until { budget.heldBytes == 60_000 - ContentBudget.uncounted }
            let client = try await bench.frameClient()
            let piece = [UInt8](repeating: 1, count: 16_000)
            try client.send(.headers(1, HTTP2Frame.request("/large", method: "POST"), ends: false))
            try client.send(.data(1, piece, ends: false))
            let refused = try await client.answer(1)
            #expect(refused.status == 503 && refused.fields["retry-after"] == "1")
            try client.send(.headers(3, HTTP2Frame.request("/small", method: "POST"), ends: false))
            try client.send(.data(3, [UInt8](repeating: 1, count: 300), ends: true))
            #expect(try await client.answer(3).status == 200)
            #expect(bench.metric("sallyport_http_refused_content_total") == 1)
            holder.close()
            await bench.until { budget.heldBytes == 0 }

            try client.send(.headers(5, HTTP2Frame.request("/large", method: "POST"), ends: false))
            try client.send(.data(5, piece, ends: false))
            await bench.until { budget.heldBytes == 16_000 - ContentBudget.uncounted }
            try client.send(.data(5, [], ends: true))
            #expect(try await client.answer(5).status == 200)
            await bench.until { budget.heldBytes == 0 }
            try client.send(.headers(7, HTTP2Frame.request("/large", method: "POST"), ends: false))
            try client.send(.data(7, piece, ends: false))
            await bench.until { budget.heldBytes > 0 }
            client.wire.close()
            await bench.until { budget.heldBytes == 0 }
        }
    }

    @Test func `over HTTP/2 leaves a form alone that is on its way beside what is too large`() async throws {
        let budget = ContentBudget(limit: Self.limit, hasShares: false)
        try await withServer(configure: Self.configure(budget)) { bench in
            let holder = try bench.client()
            try holder.send(Self.request(60_000, of: 60_001))
            await bench.until { budget.heldBytes == 60_000 - ContentBudget.uncounted }
            let client = try await bench.frameClient()
            try client.send(.headers(1, HTTP2Frame.request("/form", method: "POST"), ends: false))
            try client.send(.data(1, [UInt8](repeating: 1, count: 300), ends: false))
            try client.send(.headers(3, HTTP2Frame.request("/large", method: "POST"), ends: false))
            try client.send(.data(3, [UInt8](repeating: 1, count: 16_000), ends: false))
            #expect(try await client.answer(3).status == 503)
            try client.send(.data(1, [1], ends: true))
            #expect(try await client.answer(1).status == 200)
        }
    }

    @Test func `over HTTP/2 is given back with its answer, also where the client does not take that`() async throws {
        let budget = ContentBudget(limit: Self.limit, hasShares: false)
        try await withServer(configure: Self.configure(budget)) { bench in
            let initialWindowSize: UInt16 = 4
            let client = try await bench.frameClient(settings: [(initialWindowSize, 0)])
            try client.send(.headers(1, HTTP2Frame.request("/large", method: "POST"), ends: false))
            try client.send(.data(1, [UInt8](repeating: 1, count: 16_000), ends: false))
            await bench.until { budget.heldBytes > 0 }
            try client.send(.data(1, [], ends: true))
            await bench.until { budget.heldBytes == 0 }
            // The body of the answer has waited for this.
            try client.send(.window(1, 65_535))
            let answer = try await client.answer(1)
            #expect(answer.status == 200 && !answer.body.isEmpty)
        }
    }

    /// An upload from a client behind a trusted proxy; without its last byte unless it is whole.
    private static func upload(_ client: String, _ count: Int, isWhole: Bool = true) -> String {
        let length = isWhole ? count : count + 1
        let head = "POST /large HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(client)\r\nContent-Length: \(length)\r\n\r\n"
        return head + String(repeating: "x", count: count)
    }

    @Test func `is no more than a quarter for one address, and leaves its neighbours and others room`() async throws {
        let budget = ContentBudget(limit: Self.limit)
        let configure: @Sendable (inout ServerConfiguration) -> Void = { configuration in
            Self.configure(budget)(&configuration)
            configuration.trustedProxies = ["127.0.0.0/8"].compactMap(NetworkPrefix.init)
        }
        try await withServer(configure: configure) { bench in
            func status(_ client: String) async throws -> Int {
                try await bench.client().exchange(Self.upload(client, 10_000)).status
            }
            let held = 20_000 - ContentBudget.uncounted
            let holder = try bench.client()
            try holder.send(Self.upload("203.0.113.1", 20_000, isWhole: false))
            await bench.until { budget.heldBytes == held }
            #expect(try await status("203.0.113.1") == 503)
            #expect(try await status("203.0.113.2") == 200)
            #expect(try await status("198.51.100.1") == 200)
            #expect(bench.metric("sallyport_http_refused_content_total") == 1)
            // What an address gives back it may take again.
            holder.close()
            await bench.until { budget.heldBytes == 0 }
            #expect(try await status("203.0.113.1") == 200)
        }
    }

    @Test func `is a quarter for one address over HTTP/2, too`() async throws {
        let budget = ContentBudget(limit: Self.limit)
        try await withServer(configure: Self.configure(budget)) { bench in
            let holder = try bench.client()
            try holder.send(Self.request(20_000, of: 20_001))
            await bench.until { budget.heldBytes == 20_000 - ContentBudget.uncounted }
            let client = try await bench.frameClient()
            try client.send(.headers(1, HTTP2Frame.request("/large", method: "POST"), ends: false))
            try client.send(.data(1, [UInt8](repeating: 1, count: 16_000), ends: false))
            #expect(try await client.answer(1).status == 503)
            #expect(budget.heldBytes == 20_000 - ContentBudget.uncounted)
        }
    }

    @Test func `is everything for one address that stands for many clients`() {
        #expect(ServerLimits().hasShares)
        #expect(!ServerLimits.with(\.connectionsPerAddress, ServerLimits().connections / 2).hasShares)
    }
}
