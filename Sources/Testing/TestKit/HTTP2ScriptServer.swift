package import EventIO
import Primitives
package import TLS

/// A server over TLS on loopback that says over HTTP/2 what a test wants, right or wrong.
package final class HTTP2ScriptServer {
    /// Where it listens.
    package let address: SocketAddress
    /// Everybody who has connected, in order.
    package private(set) var peers: [Peer] = []
    /// Settings that each peer is sent at once; `nil` for none, and then the peer's are not acknowledged.
    package var settings: [(UInt16, UInt32)]? = [(3, 100)]
    /// What becomes of a request; nothing answers for it.
    package var onRequest: (Peer, Request) -> Void = { _, _ in }
    /// Whether a PING is answered.
    package var answersPing = true

    private let reactor: Reactor
    private let tls: TLSContext
    private let listener: Descriptor
    private var registration: Registration?

    /// A request that has come.
    package struct Request: Sendable {
        /// Its stream.
        package let stream: UInt32
        /// Its fields, pseudo-fields among them.
        package let fields: [String: String]
        /// Its content.
        package let body: [UInt8]
    }

    /// Listens on a port that the kernel chooses.
    package init(_ reactor: Reactor, tls: TLSContext) throws {
        self.reactor = reactor
        self.tls = tls
        listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0))
        address = try Socket.localAddress(listener)
        registration = try reactor.add(listener.raw, interest: .readable, trigger: .level, handler: Entry(self))
    }

    /// Takes no further connection.
    package func stop() {
        if let registration { reactor.remove(registration) }
        registration = nil
    }

    /// All requests of all connections, in order for each.
    package var requests: [Request] { peers.flatMap(\.requests) }

    fileprivate func acceptAll() {
        while let accepted = try? Socket.accept(listener) {
            guard let session = try? TLSSession(accepting: tls) else { return }
            let peer = Peer(accepted.takeDescriptor(), session, self, reactor)
            peers.append(peer)
            peer.start()
        }
    }

    private final class Entry: ReadinessHandler {
        private weak var server: HTTP2ScriptServer?

        init(_ server: HTTP2ScriptServer) { self.server = server }

        func ready(_ readiness: Readiness) { server?.acceptAll() }
    }

    /// One connection.
    package final class Peer: ReadinessHandler {
        /// Requests that have come whole.
        package private(set) var requests: [Request] = []
        /// Every other frame, in order.
        package private(set) var frames: [HTTP2Frame] = []
        /// Whether the client has gone, or was sent away.
        package private(set) var isClosed = false

        private var socket: Descriptor
        private let session: TLSSession
        private weak var server: HTTP2ScriptServer?
        private let reactor: Reactor
        private let reader = HeaderBlockReader()
        private var registration: Registration?
        private var hasBegun = false
        private var input: [UInt8] = []
        private var heads: [UInt32: [String: String]] = [:]

        init(_ socket: consuming Descriptor, _ session: TLSSession, _ server: HTTP2ScriptServer, _ reactor: Reactor) {
            self.socket = socket
            self.session = session
            self.server = server
            self.reactor = reactor
        }

        func start() {
            registration = try? reactor.add(socket.raw, interest: .readable, trigger: .level, handler: self)
        }

        /// Sends frames.
        package func send(_ frames: HTTP2Frame...) {
            guard !isClosed else { return }
            let bytes = frames.flatMap(\.bytes)
            try? session.write(bytes.span)
            flush()
        }

        /// Answers a request.
        package func answer(_ request: Request, _ status: Int, _ body: String = "") {
            let head = HTTP2Frame.headers(request.stream, [(":status", "\(status)")], ends: body.isEmpty)
            if body.isEmpty { send(head) } else { send(head, .data(request.stream, Array(body.utf8))) }
        }

        /// Ends the connection without a word.
        package func close() {
            guard !isClosed else { return }
            isClosed = true
            if let registration { reactor.remove(registration) }
            socket.closeInPlace()
        }

        package func ready(_ readiness: Readiness) {
            var bytes: [UInt8] = []
            guard case .done(let count)? = try? Socket.receive(socket, appendingTo: &bytes, limit: 65_536) else {
                return close()
            }
            guard count > 0, (try? session.feed(bytes.span)) != nil, let isDone = try? session.handshake() else {
                flush()
                return close()
            }
            if isDone { read() }
            flush()
        }

        private func read() {
            if !hasBegun {
                hasBegun = true
                if let settings = server?.settings { send(.settings(settings)) }
            }
            while case .bytes? = try? session.read(appendingTo: &input, limit: 65_536) {}
            if input.starts(with: HTTP2Frame.preface) { input.removeFirst(HTTP2Frame.preface.count) }
            while !isClosed, let frame = HTTP2Frame.take(from: &input) { take(frame) }
        }

        private func take(_ frame: HTTP2Frame) {
            switch frame.kind {
            case .headers:
                let fields = (reader.read(frame.payload) ?? []).map { ($0.name, $0.value) }
                let head = Dictionary(fields) { one, other in "\(one), \(other)" }
                heads[frame.stream] = head
                if frame.ends { finish(frame.stream, []) }
            case .data: if frame.ends { finish(frame.stream, frame.payload) }
            case .settings where !frame.ends: if server?.settings != nil { send(HTTP2Frame(.settings, flags: 1)) }
            case .ping where !frame.ends:
                frames.append(frame)
                if server?.answersPing == true { send(HTTP2Frame(.ping, flags: 1, frame.payload)) }
            default: frames.append(frame)
            }
        }

        private func finish(_ stream: UInt32, _ body: [UInt8]) {
            guard let fields = heads.removeValue(forKey: stream) else { return }
            let request = Request(stream: stream, fields: fields, body: body)
            requests.append(request)
            server?.onRequest(self, request)
        }

        /// What a test sends fits into the kernel's buffer.
        private func flush() {
            guard !isClosed else { return }
            var output: [UInt8] = []
            session.takeCiphertext(into: &output)
            var sent = 0
            while sent < output.count {
                guard case .done(let count)? = try? Socket.send(socket, output.span.extracting(sent...)) else { return }
                sent += count
            }
        }
    }
}
