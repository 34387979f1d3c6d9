import EventIO
import HTTPCore
import HTTPServer
import TestKit
import Testing

/// A request that can be sent over either version.
struct SampleRequest: Sendable {
    var method = "GET"
    var target = "/"
    var fields: [(String, String)] = []
    /// One field over HTTP/1.1, pieces over HTTP/2.
    var cookies: [String] = []
    var body: [UInt8] = []
    /// How much of the body is sent; the rest does not come.
    var sentBytes: Int?
    var trailers: [(String, String)] = []

    private var isPartial: Bool { sentBytes != nil }

    /// As it is sent over HTTP/1.1.
    var text: [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: a"]
        lines += fields.map { "\($0.0): \($0.1)" }
        if !cookies.isEmpty { lines.append("cookie: " + cookies.joined(separator: "; ")) }
        guard trailers.isEmpty else {
            let chunks = "1\r\nx\r\n0\r\n" + trailers.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
            lines.append("Transfer-Encoding: chunked")
            return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + chunks).utf8)
        }
        if !body.isEmpty { lines.append("content-length: \(body.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body.prefix(sentBytes ?? body.count)
    }

    /// How long its head is over HTTP/1.1.
    var headLength: Int { text.count - body.prefix(sentBytes ?? body.count).count }

    /// As it is sent over HTTP/2.
    func frames(_ stream: UInt32) -> [HTTP2Frame] {
        var all = [(":method", method), (":scheme", "http"), (":authority", "a"), (":path", target)]
        all += fields + cookies.map { ("cookie", $0) }
        if !body.isEmpty { all.append(("content-length", "\(body.count)")) }
        let isEmpty = body.isEmpty && trailers.isEmpty
        var frames = SampleRequest.headers(stream, all, ends: isEmpty)
        if !trailers.isEmpty {
            frames.append(.data(stream, Array("x".utf8), ends: false))
            frames += SampleRequest.headers(stream, trailers, ends: true)
        } else if !isEmpty {
            let sent = Array(body.prefix(sentBytes ?? body.count))
            var start = 0
            while start < sent.count {
                let end = min(sent.count, start + 16_384)
                frames.append(.data(stream, Array(sent[start..<end]), ends: end == body.count))
                start = end
            }
        }
        return frames
    }

    private static func headers(_ stream: UInt32, _ fields: [(String, String)], ends: Bool) -> [HTTP2Frame] {
        var block = HTTP2Frame.block(fields)
        let flag: UInt8 = ends ? HTTP2Frame.end : 0
        guard block.count > 16_384 else {
            return [HTTP2Frame(.headers, flags: flag | HTTP2Frame.endHeaders, stream: stream, block)]
        }
        var frames = [HTTP2Frame(.headers, flags: flag, stream: stream, Array(block.prefix(16_384)))]
        block.removeFirst(16_384)
        while !block.isEmpty {
            let piece = Array(block.prefix(16_384))
            block.removeFirst(piece.count)
            let isLast: UInt8 = block.isEmpty ? HTTP2Frame.endHeaders : 0
            frames.append(HTTP2Frame(.continuation, flags: isLast, stream: stream, piece))
        }
        return frames
    }
}

/// One limit of the settings, requests at it and beyond it, and what each gets.
struct LimitRow: Sendable, CustomTestStringConvertible {
    let setting: String
    let name: String
    let status: Int
    var limits = ServerLimits()
    var content = 64 << 20
    var request: SampleRequest
    /// How long the client waits before it looks at the answer.
    var wait = Duration.zero

    init(
        _ setting: String,
        _ name: String,
        _ status: Int,
        _ request: SampleRequest,
        wait: Duration = .zero,
        content: Int = 64 << 20,
        _ configure: (inout ServerLimits) -> Void = { _ in }
    ) {
        self.setting = setting
        self.name = name
        self.status = status
        self.request = request
        self.wait = wait
        self.content = content
        configure(&limits)
    }

    var testDescription: String { "\(setting): \(name)" }

    /// A request whose head is as long as the limit, and some bytes more.
    private static func padded(_ request: SampleRequest, to length: Int) -> SampleRequest {
        var request = request
        request.fields.append(("x-pad", ""))
        request.fields[request.fields.count - 1].1 = String(repeating: "p", count: length - request.headLength)
        return request
    }

    private static func jar(_ count: Int, length: Int = 2) -> SampleRequest {
        SampleRequest(cookies: (0..<count).map { "c\($0)=" + String(repeating: "v", count: length) })
    }

    private static func fields(_ count: Int, beside request: SampleRequest = SampleRequest()) -> SampleRequest {
        var request = request
        request.fields = (0..<count).map { ("x-\($0)", "a") }
        return request
    }

    private static func post(_ count: Int, sent: Int? = nil) -> SampleRequest {
        SampleRequest(method: "POST", body: [UInt8](repeating: 0x61, count: count), sentBytes: sent)
    }

    private static func text(_ count: Int) -> String { String(repeating: "t", count: count) }

    private static func target(_ length: Int) -> SampleRequest {
        SampleRequest(target: "/" + text(length - 1))
    }

    private static func trailers(_ length: Int) -> SampleRequest {
        SampleRequest(method: "POST", trailers: [("x", text(length))])
    }

    private static func short(_ limits: inout ServerLimits) { limits.headerBytes = 2048 }

    /// Octets of the head: those of fields, of a jar in pieces, of the target.
    private static let octets: [LimitRow] = [
        LimitRow("limits.header_bytes", "just as long", 200, padded(SampleRequest(), to: 2048), short),
        LimitRow("limits.header_bytes", "a byte longer", 431, padded(SampleRequest(), to: 2049), short),
        LimitRow("limits.header_bytes", "a jar as long", 200, padded(jar(55), to: 2048), short),
        LimitRow("limits.header_bytes", "a jar a byte longer", 431, padded(jar(55), to: 2049), short),
        LimitRow("limits.header_bytes", "a jar of 300 pieces", 200, jar(300)),
        LimitRow("limits.header_bytes", "a jar of 2,000 pieces", 431, jar(2000, length: 8)),
        LimitRow("limits.header_bytes", "three times as long", 431, padded(SampleRequest(), to: 49_152)),
        LimitRow("limits.header_bytes", "a target as long", 200, target(8192)),
        LimitRow("limits.header_bytes", "a target too long", 414, target(8193)),
        LimitRow("limits.header_bytes", "a method too long", 400, SampleRequest(method: "ABCDEFGHIJKLMNOPQ")),
        LimitRow("limits.header_bytes", "trailers", 200, trailers(1000)),
        LimitRow("limits.header_bytes", "trailers too long", 431, trailers(1100)),
    ]

    /// The number of fields; Host is one, and a jar is one.
    private static let fieldCounts: [LimitRow] = [
        LimitRow("limits.header_fields", "as many", 200, fields(63)),
        LimitRow("limits.header_fields", "one more", 431, fields(64)),
        LimitRow("limits.header_fields", "five times as many", 431, fields(320)),
        LimitRow("limits.header_fields", "a jar among as many", 200, fields(62, beside: jar(60))),
        LimitRow("limits.header_fields", "a jar too many", 431, fields(63, beside: jar(1))),
    ]

    private static let contents: [LimitRow] = [
        LimitRow("limits.body_bytes", "as long", 200, post(16_384)),
        LimitRow("limits.body_bytes", "a byte longer", 413, post(16_385)),
        LimitRow("limits.content_bytes", "more than there is room for", 503, post(16_000, sent: 12_000), content: 4096),
        LimitRow("limits.content_bytes", "the first 4 KB of a connection", 200, post(4096), content: 1),
    ]

    private static let times: [LimitRow] = [
        LimitRow("limits.body_deadline", "content that stops", 408, post(100, sent: 50), wait: .seconds(21)),
        LimitRow("limits.handler_deadline", "a handler that hangs", 503, target("/hang"), wait: .seconds(56)),
    ]

    private static func target(_ path: String) -> SampleRequest { SampleRequest(target: path) }

    static let all = octets + fieldCounts + contents + times

    /// Settings that say nothing about a request, or that end the connection, each in the words of its version.
    static let elsewhere: Set<String> = [
        "limits.connections", "limits.connections_per_address", "limits.requests_per_connection",
        "limits.header_deadline", "limits.handshake_deadline", "limits.write_deadline", "limits.idle", "limits.drain",
        "limits.queue", "limits.queue_wait_ms", "limits.queue_deadline", "limits.issue_per_minute",
        "limits.webview_sessions_per_app", "limits.webview_sessions_total", "limits.unknown_per_minute",
    ]
}

@Suite("A limit of requests")
struct ParityTests {
    @Test(arguments: LimitRow.all)
    func `has the same status over both versions`(row: LimitRow) async throws {
        for version in [1, 2] {
            let clock = ManualClock()
            try await withServer(clock: clock) { configuration in
                configuration.acceptsClearHTTP2 = true
                configuration.limits = row.limits
                configuration.content = ContentBudget(limit: row.content)
            } _: { bench in
                let gate = Gate(bench.reactor)
                bench.handler.answer = { request in
                    guard request.path == "/hang" else { return .now(.text("taken")) }
                    return .later {
                        await gate.pass()
                        return .text("too late")
                    }
                }
                let status =
                    version == 1
                    ? try await ask(row, bench, clock) : try await askInFrames(row, bench, clock)
                #expect(status == row.status, "over HTTP/\(version)")
                gate.open()
            }
        }
    }

    private func ask(_ row: LimitRow, _ bench: TestBench, _ clock: ManualClock) async throws -> Int {
        let client = try bench.client()
        try client.send(row.request.text)
        await bench.turns(20)
        clock.advance(by: row.wait)
        return try await client.response().status
    }

    private func askInFrames(_ row: LimitRow, _ bench: TestBench, _ clock: ManualClock) async throws -> Int {
        let client = try await bench.frameClient()
        try client.send(row.request.frames(client.newStream()))
        try await client.settle()
        clock.advance(by: row.wait)
        let answer = try await client.answer(1)
        return answer.reset.map { -Int($0) } ?? answer.status
    }

    @Test func `stands in the table, whichever the settings have`() throws {
        let text = String(
            decoding: try Files.read(ProjectFolder.path("docs/settings.md"), limit: 1 << 20),
            as: UTF8.self
        )
        let documented = text.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("| `limits.") else { return nil }
            return line.split(separator: "`").dropFirst().first.map(String.init)
        }
        let known = LimitRow.elsewhere.union(LimitRow.all.map(\.setting))
        #expect(documented.count > 10)
        #expect(Set(documented) == known)
    }

    /// A jar as browsers have it: Chromium sends each cookie as a field of its own over HTTP/2.
    @Test func `takes a jar of many cookies over HTTP/2 as the one field that it is`() async throws {
        try await withHTTP2 { bench in
            bench.handler.answer = { .now(.text($0.first(.cookie) ?? "none")) }
            let client = try await bench.frameClient()
            for count in [55, 180, 255, 500] {
                let jar = (0..<count).map { "c\($0)=v\($0)" }
                let answer = try await client.get("/", jar.map { ("cookie", $0) })
                #expect(answer.status == 200)
                #expect(answer.text == jar.joined(separator: "; "))
            }
            #expect(client.goAways.isEmpty)
        }
    }
}
