import HTTPCore
import HTTPServer
import TestKit
import Testing

@Suite("Answers over HTTP/2 that their client does not read")
struct UnreadTests {
    private static let closed: [(UInt16, UInt32)] = [(4, 0)]
    private static let open: [(UInt16, UInt32)] = [(4, 0x7FFF_FFFF)]

    /// A client with requests in flight whose handlers have answered all of them.
    private static func unread(_ count: Int, _ bench: TestBench) async throws -> FrameClient {
        let gate = Gate(bench.reactor)
        bench.handler.answer = { _ in
            .later {
                await gate.pass()
                return HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: 20_000)))
            }
        }
        let client = try await bench.frameClient(settings: UnreadTests.closed)
        for _ in 0..<count { try client.ask() }
        await bench.until { gate.count == count }
        while gate.count > 0 { gate.open() }
        try await client.until("heads") { $0.answers.count == count }
        try await client.settle()
        bench.handler.answer = { .now(.text($0.path)) }
        return client
    }

    @Test func `are bounded by connection: the youngest are given up, the others wait`() async throws {
        try await withHTTP2 { bench in
            let client = try await UnreadTests.unread(60, bench)
            let refused = client.answers.filter { $0.value.reset == 11 }.keys
            // Twenty-six times 20,000 bytes are no more than 524,288.
            #expect(refused.count == 34)
            #expect(refused.min() == 53)
            #expect(bench.metric("sallyport_http_h2_slow_readers_total") == 34)
            #expect(bench.metric("sallyport_http_held_content_bytes") == 520_000 - 65_536 - ContentBudget.uncounted)
            try client.send(.settings([(4, 100_000)]), .window(0, 10_000_000))
            for stream in stride(from: UInt32(1), through: 51, by: 2) {
                #expect(try await client.answer(stream).body.count == 20_000)
            }
            #expect(try await client.get("/after").text == "/after")
            #expect(bench.metric("sallyport_http_held_content_bytes") == 0)
        }
    }

    @Test func `count for the process, and are no more than a share of it for one address`() async throws {
        let budget = ContentBudget(limit: 1_000_000)
        try await withServer { configuration in
            configuration.acceptsClearHTTP2 = true
            configuration.content = budget
        } _: { bench in
            let counted = 200_000 - 65_536 - ContentBudget.uncounted
            let first = try await UnreadTests.unread(10, bench)
            #expect(budget.heldBytes == counted)
            let second = try await UnreadTests.unread(10, bench)
            #expect(first.answers.values.allSatisfy { $0.reset == nil })
            // Three of them are no more than may wait on any connection.
            #expect(second.answers.values.filter { $0.reset == 11 }.count == 7)
            #expect(budget.heldBytes == counted)
            #expect(try await bench.client().exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
            first.wire.close()
            await bench.until { budget.heldBytes == 0 }
            let third = try await UnreadTests.unread(10, bench)
            #expect(third.answers.values.allSatisfy { $0.reset == nil })
        }
    }

    @Test func `of a proxy are many clients', and bounded by the process alone`() async throws {
        let budget = ContentBudget(limit: 1_000_000)
        try await withServer { configuration in
            configuration.acceptsClearHTTP2 = true
            configuration.content = budget
            configuration.trustedProxies = ["127.0.0.0/8"].compactMap(NetworkPrefix.init)
        } _: { bench in
            let first = try await UnreadTests.unread(40, bench)
            #expect(first.answers.values.allSatisfy { $0.reset == nil })
            let second = try await UnreadTests.unread(40, bench)
            #expect(second.answers.values.filter { $0.reset == 11 }.count == 37)
        }
    }

    /// The windows are open, but the network takes nothing: the same as a closed window.
    @Test func `are bounded where the client does not read the network`() async throws {
        try await withHTTP2 { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: 400_000)))
                }
            }
            let client = try await bench.frameClient(settings: UnreadTests.open)
            try client.send(.window(0, 0x7FFF_0000))
            try await client.settle()
            client.wire.isReading = false
            for _ in 0..<90 { try client.ask() }
            await bench.until { gate.count == 90 }
            while gate.count > 0 { gate.open() }
            await bench.until { bench.metric("sallyport_http_h2_slow_readers_total") > 0 }
            #expect(bench.metric("sallyport_http_held_content_bytes") <= 524_288)
        }
    }

    /// However much waits, it leaves as fast as it is read.
    @Test func `are none where the client reads`() async throws {
        try await withHTTP2 { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { _ in
                .later {
                    await gate.pass()
                    return HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: 20_000)))
                }
            }
            let client = try await bench.frameClient(settings: UnreadTests.open)
            try client.send(.window(0, 0x7FFF_0000))
            for _ in 0..<60 { try client.ask() }
            await bench.until { gate.count == 60 }
            while gate.count > 0 { gate.open() }
            for stream in stride(from: UInt32(1), through: 119, by: 2) {
                #expect(try await client.answer(stream).body.count == 20_000)
            }
            #expect(bench.metric("sallyport_http_h2_slow_readers_total") == 0)
        }
    }
}
