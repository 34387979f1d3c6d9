import HTTPCore
import HTTPServer
import TestKit
import Testing

/// What RFC 9113 says must be refused; each row with its section.
@Suite("HTTP/2 that breaks the rules")
struct MalformedTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let frames: [HTTP2Frame]
        let code: UInt32

        init(_ name: String, _ code: UInt32, _ frames: HTTP2Frame...) {
            testDescription = name
            self.code = code
            self.frames = frames
        }
    }

    private static func request(_ more: (String, String)...) -> HTTP2Frame {
        .headers(1, HTTP2Frame.request("/", more))
    }

    private static func without(_ name: String) -> HTTP2Frame {
        .headers(1, HTTP2Frame.request().filter { $0.0 != name })
    }

    private static func long(_ kind: HTTP2Frame.Kind, stream: UInt32, flags: UInt8 = 0) -> HTTP2Frame {
        HTTP2Frame(kind, flags: flags, stream: stream, [UInt8](repeating: 0, count: 16_385))
    }

    /// The stream ends with a reset of this code, and the connection goes on.
    static let streamErrors: [Row] = [
        Row("8.2.1 upper case", 1, request(("X-Upper", "1"))),
        Row("8.2.1 blank in a name", 1, request(("x y", "1"))),
        Row("8.2.1 colon in a name", 1, request(("x:y", "1"))),
        Row("8.2.1 line feed in a value", 1, request(("x", "1\n2"))),
        Row("8.2.1 NUL in a value", 1, request(("x", "1\02"))),
        // Blanks around a value are cut off, as in HTTP/1.1: decision 0002.
        Row("8.2.2 connection", 1, request(("connection", "close"))),
        Row("8.2.2 keep-alive", 1, request(("keep-alive", "1"))),
        Row("8.2.2 proxy-connection", 1, request(("proxy-connection", "close"))),
        Row("8.2.2 transfer-encoding", 1, request(("transfer-encoding", "chunked"))),
        Row("8.2.2 upgrade", 1, request(("upgrade", "x"))),
        Row("8.2.2 te but trailers", 1, request(("te", "gzip"))),
        Row("8.3 pseudo-field behind a field", 1, .headers(1, [("x", "1")] + HTTP2Frame.request())),
        Row("8.3 unknown pseudo-field", 1, .headers(1, [(":x", "1")] + HTTP2Frame.request())),
        Row("8.3 pseudo-field of responses", 1, .headers(1, [(":status", "200")] + HTTP2Frame.request())),
        Row("8.3.1 no method", 1, without(":method")),
        Row("8.3.1 no scheme", 1, without(":scheme")),
        Row("8.3.1 no path", 1, without(":path")),
        Row("8.3.1 no authority", 1, without(":authority")),
        Row("8.3.1 two paths", 1, .headers(1, [(":path", "/")] + HTTP2Frame.request())),
        Row("8.3.1 empty path", 1, .headers(1, HTTP2Frame.request(""))),
        Row("8.3.1 Host and authority differ", 1, request(("host", "b"))),
        Row("8.1.1 content shorter than announced", 1, open("9"), .data(1, [1, 2, 3])),
        Row("8.1.1 content longer than announced", 1, open("2"), .data(1, [1, 2, 3])),
        Row("8.1.1 no content though announced", 1, request(("content-length", "5"))),
        Row("8.1.1 two lengths", 1, request(("content-length", "0"), ("content-length", "0"))),
        Row("8.1.1 a length that is no number", 1, request(("content-length", "+1"))),
        Row("8.1 pseudo-field in trailers", 1, open(), .headers(1, [(":path", "/")])),
        Row("8.1 trailers that end nothing", 1, open(), .headers(1, [("x", "1")], ends: false)),
        Row("6.9.1 window beyond its bound", 3, open(), .window(1, 0x7FFF_FFFF)),
    ]

    private static func open(_ length: String? = nil) -> HTTP2Frame {
        let more = length.map { [("content-length", $0)] } ?? []
        return .headers(1, HTTP2Frame.request(method: "POST", more), ends: false)
    }

    @Test(arguments: streamErrors)
    func `loses its stream alone`(row: Row) async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            try client.send(row.frames)
            let answer = try await client.answer(1)
            #expect(answer.reset == row.code)
            #expect(answer.status == 0)
            #expect(bench.handler.paths.isEmpty)
            try client.send(.headers(3, HTTP2Frame.request("/after")))
            #expect(try await client.answer(3).text == "/after")
        }
    }

    /// The connection ends with this code.
    static let connectionErrors: [Row] = [
        Row("4.2 frame too long", 6, long(.data, stream: 1)),
        Row("4.2 head too long", 6, long(.headers, stream: 1, flags: 4)),
        Row("4.3 no header block", 9, HTTP2Frame(.headers, flags: 5, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])),
        Row("5.1 content for no stream", 1, .data(1, [1])),
        Row("5.1 reset of no stream", 1, .reset(1)),
        Row("5.1 window of no stream", 1, .window(1, 1)),
        Row("5.1 content behind the end", 5, request(), .data(1, [1])),
        Row("5.1.1 even stream", 1, .headers(2, HTTP2Frame.request())),
        Row("5.1.1 head of stream 0", 1, .headers(0, HTTP2Frame.request())),
        Row("6.1 content of stream 0", 1, .data(0, [1])),
        Row("6.1 padding longer than the frame", 1, open(), HTTP2Frame(.data, flags: 8, stream: 1, [9, 1])),
        Row("6.3 priority of stream 0", 1, HTTP2Frame(.priority, [0, 0, 0, 0, 1])),
        Row("6.4 reset of stream 0", 1, .reset(0)),
        Row("6.4 reset of odd length", 6, open(), HTTP2Frame(.reset, stream: 1, [0, 0, 0])),
        Row("6.5 settings of a stream", 1, HTTP2Frame(.settings, stream: 1)),
        Row("6.5 settings of odd length", 6, HTTP2Frame(.settings, [0, 1, 2])),
        Row("6.5 acknowledgement with content", 6, HTTP2Frame(.settings, flags: 1, [0, 3, 0, 0, 0, 1])),
        Row("6.5.2 push that is neither 0 nor 1", 1, .settings([(2, 2)])),
        Row("6.5.2 window beyond its bound", 3, .settings([(4, 0x8000_0000)])),
        Row("6.5.2 frame size below its bound", 1, .settings([(5, 100)])),
        Row("6.6 push from a client", 1, HTTP2Frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2])),
        Row("6.7 ping of odd length", 6, HTTP2Frame(.ping, [1, 2, 3])),
        Row("6.7 ping of a stream", 1, HTTP2Frame(.ping, stream: 1, [UInt8](repeating: 0, count: 8))),
        Row("6.8 GOAWAY of a stream", 1, HTTP2Frame(.goAway, stream: 1, [UInt8](repeating: 0, count: 8))),
        Row("6.9 increment of zero", 1, .window(0, 0)),
        Row("6.9 increment of zero for a stream", 1, open(), .window(1, 0)),
        Row("6.9 window frame of odd length", 6, HTTP2Frame(.windowUpdate, [0, 0, 1])),
        Row("6.9.1 window beyond its bound", 3, .window(0, 0x7FFF_FFFF)),
        Row("6.10 continuation of nothing", 1, HTTP2Frame(.continuation, flags: 4, stream: 1)),
        Row("6.10 another frame inside a head", 1, HTTP2Frame(.headers, stream: 1), .settings()),
        Row("6.10 continuation of another stream", 1, HTTP2Frame(.headers, stream: 1), piece(3)),
    ]

    private static func piece(_ stream: UInt32) -> HTTP2Frame { HTTP2Frame(.continuation, flags: 4, stream: stream) }

    @Test(arguments: connectionErrors)
    func `loses its connection`(row: Row) async throws {
        try await withHTTP2 { bench in
            let beside = try await bench.frameClient()
            let client = try await bench.frameClient()
            try client.send(row.frames)
            try await client.until("a GOAWAY") { !$0.goAways.isEmpty }
            #expect(client.goAways.map(\.code) == [row.code])
            client.wire.close()
            #expect(try await beside.get("/beside").text == "/beside")
            await bench.until { bench.server.connectionCount == 1 }
        }
    }

    @Test(arguments: [("", ""), ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ""), ("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", "")])
    func `is no HTTP/2 without its first bytes`(opening: String, rest: String) async throws {
        try await withHTTP2 { bench in
            let wire = try TestClient(bench.reactor, to: bench.secureAddress)
            try await wire.startTLS(TestBench.clientContext(["h2"]))
            let client = FrameClient(wire)
            try wire.send(opening)
            if opening.isEmpty { try wire.endOutput() }
            _ = try await client.end()
            #expect(bench.handler.paths.isEmpty)
        }
    }

    @Test(arguments: [
        ("/%zz?\"", 400), ("/a#b", 400), ("/{", 400), ("/" + String(repeating: "a", count: 8192), 414), ("/ok", 200),
    ])
    func `has its target looked at as over HTTP/1.1`(path: String, status: Int) async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            #expect(try await client.get(path).status == status)
        }
    }

    @Test(arguments: ["*", "a", "http://a/", "/ ", "/\u{7F}"])
    func `has a target that is a path`(path: String) async throws {
        try await withHTTP2 { bench in
            let answer = try await bench.frameClient().get(path)
            #expect(answer.status == 400 || answer.reset == 1)
            #expect(bench.handler.paths.isEmpty)
        }
    }

    /// The standard would end the connection.
    ///
    /// The head may have been under way when this side ended its stream.
    @Test func `with a stream number that goes down is ignored`() async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            try client.send(.headers(3, HTTP2Frame.request("/3")), MalformedTests.request())
            #expect(try await client.answer(3).text == "/3")
            try await client.settle()
            #expect(client.answers[1] == nil)
            #expect(bench.handler.paths == ["/3"])
        }
    }

    @Test(arguments: ["a b", "a@b", "a/b"])
    func `has its host looked at as over HTTP/1.1`(host: String) async throws {
        try await withHTTP2 { bench in
            let client = try await bench.frameClient()
            try client.send(.headers(1, HTTP2Frame.request().map { $0.0 == ":authority" ? ($0.0, host) : $0 }))
            let answer = try await client.answer(1)
            #expect(answer.status == 400 || answer.reset == 1)
            #expect(bench.handler.paths.isEmpty)
        }
    }

    @Test func `may carry trailers, which nobody sees`() async throws {
        try await withHTTP2 { bench in
            bench.handler.answer = { .now(.text("\($0.fieldCount)")) }
            let client = try await bench.frameClient()
            try client.send(MalformedTests.open(), .data(1, [1], ends: false), .headers(1, [("x-late", "1")]))
            #expect(try await client.answer(1).text == "1")
        }
    }
}
