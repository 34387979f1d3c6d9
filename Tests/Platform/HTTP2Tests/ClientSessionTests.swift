import HTTP2
import HTTPCore
import TestKit
import Testing

/// A client's session that is given frames, and whose own frames are read.
private final class ClientBench {
    let session: HTTP2ClientSession
    private(set) var events: [HTTP2ClientEvent] = []
    private(set) var hasFailed = false
    private var output: [UInt8] = []
    private let reader = HeaderBlockReader()

    /// - Parameter settings: Of the server; `nil` where they have not come.
    init(_ limits: HTTP2ClientLimits = HTTP2ClientLimits(), settings: [(UInt16, UInt32)]? = []) throws {
        session = try HTTP2ClientSession(limits, at: 0)
        if let settings { receive(HTTP2Frame.settings(settings)) }
        _ = frames()
    }

    func receive(_ frames: HTTP2Frame...) { receive(frames.flatMap(\.bytes)) }

    func receive(_ bytes: [UInt8]) {
        do throws(HTTP2Error) { try session.receive(bytes.span, at: 0) } catch { hasFailed = true }
        while let event = session.nextEvent() { events.append(event) }
    }

    /// What it has sent.
    func frames() -> [HTTP2Frame] {
        #expect(session.send(into: &output, upTo: 1 << 20))
        if output.starts(with: HTTP2Frame.preface) { output.removeFirst(HTTP2Frame.preface.count) }
        var frames: [HTTP2Frame] = []
        while let frame = HTTP2Frame.take(from: &output) { frames.append(frame) }
        return frames
    }

    func head(_ frame: HTTP2Frame) -> [String: String] {
        Dictionary((reader.read(frame.payload) ?? []).map { ($0.name, $0.value) }) { one, _ in one }
    }

    /// Requests that have been sent.
    func begin(_ count: Int = 1) {
        _ = submit(count)
        _ = frames()
    }

    func submit(_ count: Int = 1) -> [Int32] { (0..<count).compactMap { _ in session.submit(ClientBench.request) } }

    static let request = HTTP2Request(
        method: "POST",
        authority: "push.test",
        path: "/3/device/00ff",
        fields: [HTTP2Request.Field("apns-topic", "pass.test", isIndexed: true)],
        body: Array("{}".utf8)
    )

    /// Status and content of an answer, or the code of a failure, by stream.
    var outcomes: [Int32: String] {
        var outcomes: [Int32: String] = [:]
        for case .over(let stream, let outcome) in events {
            switch outcome {
            case .success(let answer):
                outcomes[stream] = "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
            case .failure(let error): outcomes[stream] = "\(error)"
            }
        }
        return outcomes
    }
}

@Suite("An HTTP/2 session of a client")
struct ClientSessionTests {
    @Test func `sends a request, and reads its answer`() throws {
        let bench = try ClientBench()
        #expect(bench.submit() == [1])
        let frames = bench.frames()
        #expect(frames.map(\.kind) == [.headers, .data])
        #expect(
            bench.head(frames[0]) == [
                ":method": "POST", ":scheme": "https", ":authority": "push.test", ":path": "/3/device/00ff",
                "apns-topic": "pass.test",
            ]
        )
        #expect(frames[1].payload == Array("{}".utf8) && frames[1].ends)
        bench.receive(.headers(1, [(":status", "410"), ("apns-id", "x")], ends: false), .data(1, Array("gone".utf8)))
        #expect(bench.outcomes == [1: "410 gone"])
        #expect(bench.session.openStreams == 0)
    }

    @Test func `keeps a path in no table, and a topic in one`() throws {
        let bench = try ClientBench()
        _ = bench.submit(2)
        let heads = bench.frames().filter { $0.kind == .headers }
        // Everything but the path is one byte the second time: 0x1x says of a literal that no table may ever have it.
        #expect(heads[1].payload.count < 5 + 16)
        for head in heads { #expect(head.payload.contains(0x14)) }
        #expect(heads.allSatisfy { bench.head($0)[":path"] == "/3/device/00ff" })
    }

    @Test func `waits for the settings before a second stream, and follows them`() throws {
        let bench = try ClientBench(settings: nil)
        #expect(bench.submit(3) == [1])
        bench.receive(.settings([(3, 2)]))
        #expect(bench.submit(3) == [3])
        bench.receive(.settings([(3, 4)]))
        #expect(bench.submit(9).count == 2)
        _ = bench.frames()
        bench.receive(.settings([(3, 1)]))
        #expect(bench.session.room == 0)
        bench.receive(.headers(1, [(":status", "200")]), .headers(3, [(":status", "200")]))
        bench.receive(.headers(5, [(":status", "200")]))
        #expect(bench.session.room == 0, "one is still under way")
        bench.receive(.headers(7, [(":status", "200")]))
        #expect(bench.session.room == 1)
    }

    @Test func `never has more streams than this side allows`() throws {
        var limits = HTTP2ClientLimits()
        limits.streams = 3
        let bench = try ClientBench(limits)
        #expect(bench.submit(9).count == 3)
    }

    @Test func `gives back what the server has not taken, and waits for the rest`() throws {
        let bench = try ClientBench()
        bench.begin(3)
        bench.receive(HTTP2Frame(.goAway, HTTP2Frame.four(3) + HTTP2Frame.four(0) + Array("{\"reason\":\"x\n\"}".utf8)))
        #expect(bench.outcomes == [5: "refused"])
        #expect(bench.session.room == 0 && bench.submit().isEmpty)
        let notices = bench.events.compactMap { if case .goAway(let notice) = $0 { notice } else { nil } }
        #expect(notices.map(\.reason) == ["{\"reason\":\"x?\"}"] && notices.map(\.lastStream) == [3])
        bench.receive(.headers(1, [(":status", "200")]), .headers(3, [(":status", "200")]))
        #expect(bench.outcomes == [1: "200 ", 3: "200 ", 5: "refused"])
        #expect(!bench.hasFailed)
    }

    @Test func `tells a refused stream from one that was reset`() throws {
        let bench = try ClientBench()
        bench.begin(3)
        bench.receive(.reset(1, 7), .reset(3, 2), .headers(5, [(":status", "200")], ends: false), .reset(5, 0))
        #expect(bench.outcomes == [1: "refused", 3: "connectionLost", 5: "connectionLost"])
    }

    @Test func `takes an answer whose stream is reset behind its end`() throws {
        let bench = try ClientBench(settings: [(4, 0)])
        bench.begin()
        // The server gives no room for the content, answers, and resets.
        bench.receive(.headers(1, [(":status", "413")]), .reset(1, 0))
        #expect(bench.outcomes == [1: "413 "])
    }

    @Test func `passes over interim answers and fields behind the content`() throws {
        let bench = try ClientBench()
        bench.begin()
        bench.receive(.headers(1, [(":status", "103"), ("link", "x")], ends: false))
        bench.receive(.headers(1, [(":status", "200")], ends: false), .data(1, [0x61], ends: false))
        bench.receive(.headers(1, [("x-end", "1")]))
        #expect(bench.outcomes == [1: "200 a"])
    }

    @Test func `forgets a request that is given up, and ignores its answer`() throws {
        let bench = try ClientBench()
        bench.begin()
        bench.session.cancel(1)
        #expect(bench.session.openStreams == 0)
        #expect(bench.frames().map(\.kind) == [.reset])
        bench.receive(.headers(1, [(":status", "200")]))
        #expect(bench.outcomes.isEmpty && !bench.hasFailed)
    }

    @Test func `reports the answer to a PING`() throws {
        let bench = try ClientBench()
        bench.session.ping()
        let ping = try #require(bench.frames().first { $0.kind == .ping })
        bench.receive(HTTP2Frame(.ping, flags: 1, ping.payload))
        #expect(bench.events.contains { if case .pong = $0 { true } else { false } })
    }

    @Test(arguments: [
        HTTP2Request.Field("apns-topic", "a\r\nx: y"), .init("apns-topic", "a\0"), .init("Apns", "a"), .init("", "a"),
        .init(":status", "a"), .init("a", "\u{FC}"),
    ])
    func `sends no field that could end it`(field: HTTP2Request.Field) throws {
        let bench = try ClientBench()
        var request = ClientBench.request
        request.fields = [field]
        #expect(bench.session.submit(request) == nil)
        request.fields = []
        request.path = "/3/device/a b"
        #expect(bench.session.submit(request) == nil)
        request.path = "3"
        #expect(bench.session.submit(request) == nil)
    }
}

@Suite("An HTTP/2 session of a client with a hostile server")
struct HostileServerTests {
    @Test func `bounds the content of an answer`() throws {
        var limits = HTTP2ClientLimits()
        limits.bodyBytes = 10
        let bench = try ClientBench(limits)
        bench.begin(2)
        bench.receive(.headers(1, [(":status", "200")], ends: false), .data(1, [UInt8](repeating: 0x61, count: 11)))
        bench.receive(.headers(3, [(":status", "200")], ends: false), .data(3, [UInt8](repeating: 0x61, count: 10)))
        #expect(bench.outcomes == [1: "bodyTooLarge", 3: "200 aaaaaaaaaa"])
    }

    @Test func `bounds the fields of an answer, over all its heads`() throws {
        let bench = try ClientBench()
        bench.begin()
        for _ in 0..<400 { bench.receive(.headers(1, [(":status", "103"), ("a", "b")], ends: false)) }
        #expect(bench.outcomes == [1: "protocolViolation"])
    }

    @Test(arguments: [
        HTTP2Frame(.ping, [UInt8](repeating: 0, count: 8)), .settings([(3, 100)]), .data(1, [], ends: false),
        HTTP2Frame(type: 200, [1]), .window(0, 1), .headers(99, [(":status", "200")]),
    ])
    func `ends a connection with more frames than its requests need`(frame: HTTP2Frame) throws {
        let bench = try ClientBench()
        bench.begin()
        bench.receive(.headers(1, [(":status", "200")], ends: false))
        for _ in 0..<2_200 where !bench.hasFailed { bench.receive(frame) }
        #expect(bench.session.room == 0)
        _ = bench.frames()
        #expect(bench.session.isOver)
    }

    @Test(arguments: [
        // A promise, a stream of the server's own, a status that is none, no status, an upper-case name.
        HTTP2Frame(.pushPromise, flags: 4, stream: 1, HTTP2Frame.four(2) + HTTP2Frame.block(HTTP2Frame.request())),
        .headers(2, [(":status", "200")]), .headers(1, [(":status", "20")]), .headers(1, [(":status", "099")]),
        .headers(1, [("a", "b")]), .headers(1, [(":status", "200"), ("A", "b")]),
        .headers(1, [(":status", "200"), (":path", "/")]),
        HTTP2Frame(.headers, flags: 5, stream: 1, [0xFF, 0xFF, 0xFF]),
        HTTP2Frame(.settings, [0, 4, 0xFF, 0xFF, 0xFF, 0xFF]), HTTP2Frame(.goAway, [1]), .window(1, 0x7FFF_FFFF),
    ])
    func `answers what is no HTTP 2 with an end, never with an answer`(frame: HTTP2Frame) throws {
        let bench = try ClientBench()
        bench.begin()
        bench.receive(frame)
        _ = bench.frames()
        #expect(!bench.outcomes.values.contains { $0.hasPrefix("20") || $0.hasPrefix("0") })
        #expect(bench.hasFailed || bench.session.room == 0 || bench.session.openStreams <= 1)
    }

    @Test func `survives any bytes`() throws {
        let random = SeededRandom(seed: 7)
        for _ in 0..<300 {
            let bench = try ClientBench()
            bench.begin(3)
            var bytes = HTTP2Frame.headers(1, [(":status", "200"), ("a", "b")], ends: false).bytes
            bytes += HTTP2Frame.data(1, [1, 2, 3]).bytes + HTTP2Frame.reset(3).bytes
            for _ in 0..<3 { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            bench.receive(bytes)
            _ = bench.frames()
            #expect(bench.events.count <= 8)
        }
    }
}
