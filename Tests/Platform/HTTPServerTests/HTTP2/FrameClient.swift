import EventIO
import HTTPServer
import TLS
import TestKit
import Testing

/// A client that sends frames as a test says and takes the server's frames apart.
final class FrameClient {
    /// A response, or how its stream ended.
    struct Answer: Equatable {
        var status = 0
        var fields: [String: String] = [:]
        var body: [UInt8] = []
        /// The code of the reset, if there was one.
        var reset: UInt32?

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    let wire: TestClient
    private let reader = HeaderBlockReader()
    private var bytes: [UInt8] = []
    /// Frames that have come, in order.
    private(set) var frames: [HTTP2Frame] = []
    private(set) var answers: [UInt32: Answer] = [:]
    /// Streams that have come to their end.
    private(set) var ended: Set<UInt32> = []
    /// The codes of the GOAWAY frames.
    private(set) var goAways: [(last: UInt32, code: UInt32)] = []
    /// Whether content is acknowledged, so that the server may go on.
    var opensWindows = true
    private var nextStream: UInt32 = 1

    init(_ wire: TestClient) {
        self.wire = wire
    }

    var hasEnded: Bool { wire.hasEnded }

    /// What has come and is no whole frame.
    var rest: [UInt8] { bytes }

    /// Sends the preface and the first settings.
    func begin(_ settings: [(UInt16, UInt32)] = []) throws {
        try wire.send(HTTP2Frame.preface + HTTP2Frame.settings(settings).bytes)
    }

    func send(_ frames: HTTP2Frame...) throws {
        try wire.send(frames.flatMap(\.bytes))
    }

    func send(_ frames: [HTTP2Frame]) throws {
        try wire.send(frames.flatMap(\.bytes))
    }

    /// The number of a stream that has not been used.
    func newStream() -> UInt32 {
        defer { nextStream += 2 }
        return nextStream
    }

    /// Leaves the next stream out: a test has used it.
    func skipStream() {
        nextStream += 2
    }

    /// Sends a request without content.
    ///
    /// - Returns: Its stream.
    @discardableResult
    func ask(_ path: String = "/", _ more: [(String, String)] = []) throws -> UInt32 {
        let stream = newStream()
        try send(.headers(stream, HTTP2Frame.request(path, more)))
        return stream
    }

    /// Takes in what has come.
    func digest() throws {
        bytes += wire.take()
        var reply: [HTTP2Frame] = []
        while let frame = HTTP2Frame.take(from: &bytes) {
            frames.append(frame)
            note(frame)
            if opensWindows, frame.kind == .data, !frame.payload.isEmpty {
                reply.append(.window(0, UInt32(frame.payload.count)))
                if !frame.ends { reply.append(.window(frame.stream, UInt32(frame.payload.count))) }
            }
        }
        if !reply.isEmpty, !wire.hasEnded { try send(reply) }
    }

    private func note(_ frame: HTTP2Frame) {
        switch frame.kind {
        case .headers:
            let fields = reader.read(frame.payload) ?? []
            for field in fields { answers[frame.stream, default: Answer()].fields[field.name] = field.value }
            let status = fields.first { $0.name == ":status" }.flatMap { Int($0.value) } ?? 0
            answers[frame.stream, default: Answer()].status = status
        case .data: answers[frame.stream, default: Answer()].body += frame.payload
        case .reset:
            answers[frame.stream, default: Answer()].reset = frame.number()
            ended.insert(frame.stream)
        case .goAway: goAways.append((frame.number() & 0x7FFF_FFFF, frame.number(at: 4)))
        default: break
        }
        if frame.ends, frame.kind == .headers || frame.kind == .data { ended.insert(frame.stream) }
    }

    /// Waits until something holds of what has come.
    func until(_ purpose: String, _ holds: (FrameClient) -> Bool) async throws {
        try digest()
        while !holds(self) {
            try await wire.wait(purpose)
            try digest()
        }
    }

    /// The answer on a stream when it is complete.
    func answer(_ stream: UInt32) async throws -> Answer {
        try await until("stream \(stream)") { $0.ended.contains(stream) }
        return answers[stream] ?? Answer()
    }

    /// Sends a request without content and waits for its answer.
    func get(_ path: String = "/", _ more: [(String, String)] = []) async throws -> Answer {
        try await answer(try ask(path, more))
    }

    /// Waits for the end of the connection and says with which code it came.
    func end() async throws -> UInt32? {
        while !wire.hasEnded { try await wire.wait("the end") }
        try digest()
        return goAways.last?.code
    }

    /// Waits until the server has read everything that was sent.
    func settle() async throws {
        let before = frames.filter { $0.kind == .ping && $0.ends }.count
        try send(HTTP2Frame(.ping, [UInt8](repeating: 7, count: 8)))
        try await until("an echo") { $0.frames.filter { $0.kind == .ping && $0.ends }.count > before }
    }
}

extension TestBench {
    /// A client that has begun to speak HTTP/2, over either listener.
    func frameClient(
        _ transport: Transport = .clear,
        settings: [(UInt16, UInt32)] = []
    ) async throws -> FrameClient {
        let wire = try TestClient(reactor, to: transport == .tls ? secureAddress : address)
        if transport == .tls { try await wire.startTLS(TestBench.clientContext(["h2"])) }
        let client = FrameClient(wire)
        try client.begin(settings)
        return client
    }
}

/// A server that takes HTTP/2 over both listeners.
func withHTTP2(
    _ limits: ServerLimits = ServerLimits(),
    clock: any LoopClock = SystemClock(),
    _ body: @escaping @Sendable (TestBench) async throws -> Void
) async throws {
    let both: @Sendable (inout ServerConfiguration) -> Void = { configuration in
        configuration.acceptsClearHTTP2 = true
        configuration.limits = limits
    }
    try await withServer(clock: clock, configure: both, body)
}

extension ServerLimits {
    /// The defaults but for one.
    static func with<Value>(_ limit: WritableKeyPath<ServerLimits, Value>, _ value: Value) -> ServerLimits {
        var limits = ServerLimits()
        limits[keyPath: limit] = value
        return limits
    }
}
