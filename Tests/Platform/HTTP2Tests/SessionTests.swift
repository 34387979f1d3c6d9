import HTTP2
import HTTPCore
import TestKit
import Testing

@Suite("An HTTP/2 session")
struct SessionTests {
    /// A connection with a bit of everything.
    static let stream: [UInt8] = {
        let block = HTTP2Frame.block(HTTP2Frame.request("/split"))
        let frames = [
            HTTP2Frame.settings([(4, 65_535)]), .headers(1, HTTP2Frame.request("/upload", method: "POST"), ends: false),
            .data(1, [1, 2], ends: false), HTTP2Frame(.ping, [UInt8](repeating: 7, count: 8)), .data(1, [3]),
            HTTP2Frame(.headers, flags: 1, stream: 3, Array(block.prefix(9))),
            HTTP2Frame(.continuation, stream: 3, Array(block[9..<20])),
            HTTP2Frame(.continuation, flags: 4, stream: 3, Array(block[20...])), .window(0, 100),
            .headers(5, HTTP2Frame.request("//")), .headers(7, HTTP2Frame.request("/last")),
        ]
        return HTTP2Frame.preface + frames.flatMap(\.bytes)
    }()

    private struct Outcome: Equatable {
        let seen: [SessionBench.Seen]
        let isOver: Bool
    }

    private static func outcome(_ bytes: [UInt8], pieces: Int) throws -> Outcome {
        let bench = try SessionBench()
        bench.receive(bytes, pieces: pieces)
        bench.send()
        return Outcome(seen: bench.seen, isOver: bench.hasFailed || bench.session.isOver)
    }

    @Test func `frees the head of a stream at once that it refuses`() throws {
        let bench = try SessionBench.begun()
        let fields = (0..<3).map { ("x-fill-\($0)", String(repeating: "x", count: 4_000)) }
        for number in 0..<40 {
            let head = HTTP2Frame.request("/", method: "POST") + fields
            bench.receive(.headers(UInt32(2 * number + 1), head, ends: false))
        }
        bench.send()
        var refused = 0
        while let event = bench.session.nextEvent() {
            guard case .closed(let stream) = event else { continue }
            #expect(stream.request.headSize == 0)
            refused += 1
        }
        #expect(refused > 20)
    }

    @Test func `understands what comes`() throws {
        let outcome = try SessionTests.outcome(SessionTests.stream, pieces: .max)
        #expect(
            outcome.seen == [
                .request(.post, path: "/upload", body: [1, 2, 3]), .request(.get, path: "/split", body: []),
                .request(.get, path: "//", body: []), .request(.get, path: "/last", body: []),
            ]
        )
        #expect(!outcome.isOver)
    }

    @Test(arguments: ["Bearer ", " Bearer", "\tBearer\t ", "Bearer"])
    func `cuts blanks off a value, as HTTP 1 does`(value: String) throws {
        let bench = try SessionBench.begun()
        var seen: [String?] = []
        bench.answer = { request in
            seen.append(request.first(.authorization))
            return HTTPResponse(.unauthorized)
        }
        bench.receive(HTTP2Frame.headers(1, HTTP2Frame.request("/v1") + [("authorization", value)]).bytes)
        bench.send()
        #expect(seen == ["Bearer"] && !bench.hasFailed)
    }

    @Test(arguments: [
        ("content-length", " 1"), ("content-length", "1 "), ("host", "a.example "), ("host", " example.test"),
        ("transfer-encoding", "chunked "), ("te", " gzip"), ("x", "a\rb"), ("x ", "a"),
    ])
    func `lets no blank hide what a field says`(field: (name: String, value: String)) throws {
        let bench = try SessionBench.begun()
        let fields = HTTP2Frame.request("/upload", method: "POST") + [field]
        bench.receive(HTTP2Frame.headers(1, fields, ends: false).bytes + HTTP2Frame.data(1, [1, 2]).bytes)
        bench.send()
        for case .request(_, _, let body) in bench.seen {
            Issue.record("\(field) was let through with \(body.count) bytes")
        }
    }

    @Test func `does so however it is cut`() throws {
        let whole = try SessionTests.outcome(SessionTests.stream, pieces: .max)
        // The library counts a head of CONTINUATION again for each piece that it comes in, and takes eight: none smaller than
        // 3.
        for pieces in 3...40 { #expect(try SessionTests.outcome(SessionTests.stream, pieces: pieces) == whole) }
    }

    @Test(arguments: [0x00, 0x01, 0x04, 0x20, 0x7F, 0x80, 0xFF] as [UInt8])
    func `judges a damaged byte the same however it is cut`(byte: UInt8) throws {
        for position in SessionTests.stream.indices {
            var damaged = SessionTests.stream
            damaged[position] = byte
            let whole = try SessionTests.outcome(damaged, pieces: .max)
            #expect(whole.seen.count <= 4, "byte \(position)")
            #expect(try SessionTests.outcome(damaged, pieces: 3) == whole, "byte \(position)")
        }
    }

    @Test func `takes noise for what it is`() throws {
        let random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            var noise: [UInt8] = []
            random.append(400, to: &noise)
            // Behind the preface and with a plausible head, so that it is looked at.
            noise.replaceSubrange(..<4, with: [0, 0, UInt8(random.below(200)), UInt8(random.below(12))])
            let bench = try SessionBench.begun()
            bench.receive(noise)
            bench.send()
            #expect(bench.seen.isEmpty)
        }
    }

    @Test(arguments: [1, 9, 1000, 16_384])
    func `sends in pieces what it sends in one`(limit: Int) throws {
        let outputs = try [Int.max, limit].map { limit in
            let bench = try SessionBench.begun()
            bench.answer = { _ in HTTPResponse(.ok, body: .bytes([UInt8](repeating: 5, count: 20_000))) }
            for stream in [1, 3, 5] as [UInt32] { bench.receive(.headers(stream, HTTP2Frame.request())) }
            return bench.send(upTo: limit)
        }
        #expect(outputs[0].count > 60_000)
        #expect(outputs[0] == outputs[1])
    }

    @Test func `knows what has not gone out, until it has or is not wanted`() throws {
        let bench = try SessionBench.begun([(4, 10)])
        bench.answer = { _ in HTTPResponse(.ok, body: .bytes([UInt8](repeating: 5, count: 100))) }
        bench.receive(.headers(1, HTTP2Frame.request()), .headers(3, HTTP2Frame.request()))
        #expect(bench.session.unsentBytes == 200)
        bench.send()
        #expect(bench.session.unsentBytes == 180)
        bench.receive(.reset(1))
        #expect(bench.session.unsentBytes == 90)
        #expect(bench.session.openStreams == 1)
        bench.receive(.window(3, 90))
        bench.send()
        #expect(bench.session.unsentBytes == 0)
        #expect(bench.session.openStreams == 0)
    }

    @Test func `leaves a stream alone that ended before its answer`() throws {
        let bench = try SessionBench.begun()
        bench.answer = { _ in nil }
        bench.receive(.headers(1, HTTP2Frame.request()))
        let stream = try #require(bench.open[1])
        #expect(try SessionTests.bytes(of: bench, answering: stream, afterReset: true) == 0)
        #expect(bench.session.unsentBytes == 0)
    }

    private static func bytes(of bench: SessionBench, answering stream: HTTP2Stream, afterReset: Bool) throws -> Int {
        _ = bench.frames()
        if afterReset { try bench.session.receive(HTTP2Frame.reset(UInt32(stream.id)).bytes.span, at: 0) }
        bench.respond(HTTPResponse(.ok, body: .bytes([1])), on: stream)
        return bench.frames().count
    }

    @Test func `puts its settings before all else`() throws {
        var limits = HTTP2Limits()
        limits.streams = 7
        let first = try SessionBench.begun([], limits).frames().first
        #expect(first?.kind == .settings)
        #expect(first?.payload.prefix(6) == [0, 3, 0, 0, 0, 7])
    }
}

@Suite("The head of an HTTP/2 response")
struct ResponseHeadTests {
    private static func heads(_ response: HTTPResponse, _ count: UInt32) throws -> [HTTP2Frame] {
        let bench = try SessionBench.begun()
        bench.answer = { _ in response }
        for number in 0..<count { bench.receive(.headers(1 + 2 * number, HTTP2Frame.request())) }
        return bench.frames().filter { $0.kind == .headers }
    }

    @Test func `has its status first, names in lower case, length and date`() throws {
        var response = HTTPResponse(.ok, body: .bytes([1, 2]))
        response.add(.cacheControl, constant: "no-store")
        let head = try #require(try ResponseHeadTests.heads(response, 1).first)
        let fields = try #require(HeaderBlockReader().read(head.payload))
        #expect(fields.map(\.name) == [":status", "cache-control", "content-length", "date"])
        #expect(fields.map(\.value) == ["200", "no-store", "2", String(decoding: SessionBench.date, as: UTF8.self)])
    }

    @Test func `keeps cookies out of every table, and all else in it`() throws {
        var response = HTTPResponse(.ok)
        response.add(.setCookie, constant: "a=0123456789")
        let heads = try ResponseHeadTests.heads(response, 3)
        #expect(heads.count == 3)
        for head in heads {
            // RFC 7541 section 6.2.3: a literal that is never indexed, with name 55 of the table, set-cookie.
            #expect(head.payload.indices.dropLast().contains { head.payload[$0...].starts(with: [0x1F, 40]) })
        }
        #expect(heads[1].payload.count < heads[0].payload.count, "the others are named by number")
        #expect(heads[2].payload == heads[1].payload)
    }
}
