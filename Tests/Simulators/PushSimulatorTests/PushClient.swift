import EventIO
import Primitives
import TLS
import TestKit

@testable import PushSimulator

/// A client of the push service that sends whatever frames a test wants.
final class PushClient: ReadinessHandler {
    /// What came for a stream.
    struct Answer {
        var status = ""
        var fields: [String: String] = [:]
        var body: [UInt8] = []
        var isOver = false
        var resetCode: UInt32?

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let reactor: Reactor
    private let session: TLSSession
    private var socket: ConnectedSocket?
    private var registration: Registration?
    private var plain: [UInt8] = []
    private var out: [UInt8] = []
    private let heads = HeaderBlockReader()
    private var nextStream: UInt32 = 1
    private(set) var answers: [UInt32: Answer] = [:]
    private(set) var settings: [UInt32] = []
    private(set) var goAway: HTTP2Frame?
    private(set) var isClosed = false

    init(_ reactor: Reactor, _ address: SocketAddress, _ context: TLSContext) throws {
        self.reactor = reactor
        session = try TLSSession(connecting: context, serverName: "localhost")
        let socket = ConnectedSocket(try Socket.connect(to: address))
        self.socket = socket
        registration = try reactor.add(socket.raw, interest: [.readable, .writable], trigger: .edge, handler: self)
    }

    /// Shakes hands, and waits for the service's settings.
    func begin() async throws {
        _ = try session.handshake()
        push()
        guard await waitUntil(reactor, { self.session.isEstablished || self.isClosed }), !isClosed else {
            throw TLSError(.handshakeFailed)
        }
        try send([HTTP2Frame.settings()], before: HTTP2Frame.preface)
        _ = await waitUntil(reactor) { !self.settings.isEmpty || self.isClosed }
    }

    /// Sends frames as they are.
    func send(_ frames: [HTTP2Frame], before first: [UInt8] = []) throws {
        let bytes = first + frames.flatMap(\.bytes)
        try session.write(bytes.span)
        push()
    }

    /// Begins a request.
    ///
    /// - Returns: Its stream.
    func request(
        _ path: String,
        method: String = "POST",
        fields: [(String, String)] = [],
        body: [UInt8]? = Array("{}".utf8)
    ) throws -> UInt32 {
        let stream = nextStream
        nextStream += 2
        answers[stream] = Answer()
        let head = HTTP2Frame.headers(
            stream,
            HTTP2Frame.request(path, method: method, fields),
            ends: body == nil
        )
        try send([head] + (body.map { [HTTP2Frame.data(stream, $0)] } ?? []))
        return stream
    }

    /// Begins requests with one write, so that the service reads them together.
    ///
    /// - Returns: Their streams.
    func requests(_ count: Int, _ path: String) throws -> [UInt32] {
        let streams = (0..<UInt32(count)).map { nextStream + 2 * $0 }
        nextStream += 2 * UInt32(count)
        var frames: [HTTP2Frame] = []
        for stream in streams {
            answers[stream] = Answer()
            let head = HTTP2Frame.request(path, method: "POST")
            frames += [.headers(stream, head, ends: false), .data(stream, Array("{}".utf8))]
        }
        try send(frames)
        return streams
    }

    /// Waits for what comes of a request.
    func answer(_ stream: UInt32) async -> Answer {
        _ = await waitUntil(reactor) {
            self.answers[stream]?.isOver == true || self.answers[stream]?.resetCode != nil || self.isClosed
        }
        return answers[stream] ?? Answer()
    }

    func ready(_ readiness: Readiness) {
        guard let socket else { return }
        var bytes: [UInt8] = []
        do {
            while case .done(let count) = try socket.receive(&bytes, limit: 65_536) {
                guard count > 0 else {
                    isClosed = true
                    break
                }
            }
            try session.feed(bytes.span)
            if try session.handshake() {
                while case .bytes = try session.read(appendingTo: &plain, limit: 65_536) {}
            }
        } catch {
            isClosed = true
        }
        while let frame = HTTP2Frame.take(from: &plain) { take(frame) }
        push()
    }

    private func push() {
        session.takeCiphertext(into: &out)
        while let socket, !out.isEmpty, case .done(let count) = try? socket.send(out.span) { out.removeFirst(count) }
    }

    private func take(_ frame: HTTP2Frame) {
        let stream = frame.stream
        switch frame.kind {
        case .settings where !frame.ends:
            for index in stride(from: 0, to: frame.payload.count, by: 6) where frame.payload[index + 1] == 3 {
                settings.append(frame.number(at: index + 2))
            }
            try? send([HTTP2Frame(.settings, flags: HTTP2Frame.end)])
        case .headers:
            for field in heads.read(frame.payload) ?? [] {
                if field.name == ":status" { answers[stream]?.status = field.value }
                answers[stream]?.fields[field.name] = field.value
            }
        case .data: answers[stream]?.body += frame.payload
        case .reset: answers[stream]?.resetCode = frame.number()
        case .goAway: goAway = frame
        default: break
        }
        if frame.ends, frame.kind == .headers || frame.kind == .data { answers[stream]?.isOver = true }
    }

    /// Closes, as a client that ends.
    func close() {
        if let registration { reactor.remove(registration) }
        registration = nil
        socket = nil
    }
}
