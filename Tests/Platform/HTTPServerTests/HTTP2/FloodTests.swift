import HTTPCore
import HTTPServer
import TestKit
import Testing

/// Frames that cost the server work and bring no request along: a bound for each kind, and a client beside that is served.
@Suite("A flood of HTTP/2 frames")
struct FloodTests {
    struct Flood: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What the peer may send at once, by the defaults: docs/operations.md.
        let bound: Int
        let opening: [HTTP2Frame]
        let frames: @Sendable (UInt32) -> [HTTP2Frame]

        init(
            _ name: String,
            _ bound: Int,
            opening: [HTTP2Frame] = [],
            _ frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
        ) {
            testDescription = name
            self.bound = bound
            self.opening = opening
            self.frames = frames
        }
    }

    private static let full: UInt32 = 0x7FFF_FFFF
    private static let upload: [HTTP2Frame] = [.headers(1, HTTP2Frame.request(method: "POST"), ends: false)]

    static let floods: [Flood] = [
        Flood("ping", 100) { _ in [HTTP2Frame(.ping, [UInt8](repeating: 0, count: 8))] },
        Flood("ping", 100) { _ in [HTTP2Frame(.ping, flags: 1, [UInt8](repeating: 0, count: 8))] },
        Flood("settings", 100) { _ in [.settings([(4, 65_535)])] },
        Flood("windowUpdate", 2000) { _ in [.window(0, 1)] },
        Flood("windowUpdate", 2000, opening: upload) { _ in [.window(1, 1)] },
        Flood("priority", 500) { _ in [HTTP2Frame(.priority, stream: 7, [0, 0, 0, 0, 1])] },
        Flood("priority", 500) { _ in [HTTP2Frame(type: 16, [0, 0, 0, 1])] },
        Flood("emptyData", 100, opening: upload) { _ in [.data(1, [], ends: false)] },
        Flood("unknown", 100) { _ in [HTTP2Frame(type: 200)] },
        // CVE-2023-44487: streams that are reset as soon as they are open.
        Flood("reset", 200) { [.headers(1 + 2 * $0, HTTP2Frame.request()), .reset(1 + 2 * $0)] },
        // CVE-2025-8671: frames that make the server do it.
        Flood("reset", 200) { [.headers(1 + 2 * $0, HTTP2Frame.request(), ends: false), .window(1 + 2 * $0, full)] },
        Flood("reset", 200) { [.headers(1 + 2 * $0, HTTP2Frame.request("/", [("X", "1")]))] },
        // Heads of a stream that is over.
        Flood("reset", 200, opening: [.headers(3, HTTP2Frame.request("/beside"))]) { _ in
            [.headers(1, HTTP2Frame.request("/beside"))]
        },
        Flood("continuation", 100) { number in
            let block = HTTP2Frame.block(HTTP2Frame.request())
            return [HTTP2Frame(.headers, flags: 1, stream: 1 + 2 * number, block)]
                + [HTTP2Frame](repeating: HTTP2Frame(.continuation, stream: 1 + 2 * number), count: 3)
                + [HTTP2Frame(.continuation, flags: 4, stream: 1 + 2 * number)]
        },
    ]

    @Test(arguments: floods, [Transport.clear])
    func `ends its connection and no other`(flood: Flood, transport: Transport) async throws {
        try await withHTTP2 { bench in
            let gate = Gate(bench.reactor)
            bench.handler.answer = { request in
                guard request.path == "/" else { return .now(.text("beside")) }
                return .later {
                    await gate.pass()
                    return .text("late")
                }
            }
            let beside = try await bench.frameClient(transport)
            let client = try await bench.frameClient(transport)
            try client.send(flood.opening)
            var sent = 0
            while !client.wire.hasEnded, client.goAways.isEmpty, sent < 4 * flood.bound {
                try client.send((0..<10).flatMap { flood.frames(UInt32(sent + $0)) })
                sent += 10
                await bench.turns(2)
                while gate.count > 0 { gate.open() }
                try client.digest()
                if sent % 100 == 0 { #expect(try await beside.get("/beside").text == "beside") }
            }
            if client.goAways.isEmpty { _ = try await client.end() }
            let isEnded = bench.metric("sallyport_http_h2_floods_total", "kind=\"\(flood.testDescription)\"") == 1
            #expect(isEnded && client.goAways.last?.code == 11, "after \(sent): \(client.goAways)")
            // The bound, what is in the buffers, and what comes back while the test goes on.
            #expect(sent <= flood.bound * 2 + 100)
            client.wire.close()
            #expect(try await beside.get("/beside").text == "beside")
            await bench.until { bench.server.connectionCount == 1 }
        }
    }

    /// CVE-2024-27316: a head that never ends.
    @Test func `of continuations inside one head ends the connection`() async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            try client.send(HTTP2Frame(.headers, flags: 1, stream: 1, HTTP2Frame.block(HTTP2Frame.request())))
            for _ in 0..<20 { try client.send(HTTP2Frame(.continuation, stream: 1)) }
            _ = try await client.end()
            #expect(!client.goAways.isEmpty)
            #expect(bench.handler.paths.isEmpty)
        }
    }

    /// A client that behaves: more requests than any bound, with the frames that go with them.
    @Test func `is not what a busy client sends`() async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            for round in 0..<40 {
                let streams = try (0..<50).map { _ in try client.ask("/\(round)") }
                try client.send(HTTP2Frame(.ping, [UInt8](repeating: 0, count: 8)))
                for stream in streams {
                    #expect(try await client.answer(stream).status == 200)
                    // libcurl does this to many a stream that it has read to the end.
                    try client.send(.reset(UInt32(stream)))
                }
            }
            #expect(client.goAways.isEmpty)
        }
    }
}
