import EventIO
import SimulatorCore
import TLS

/// What a client has shown of itself on a connection.
struct PushPeer: Sendable {
    /// The UIDs of its certificate: the topics that it may push to.
    var certificateTopics: [String] = []
    /// Whether it has shown a certificate.
    var hasCertificate = false
    /// Why its certificate is not believed.
    var complaint: String?
    /// Whether it has agreed on `h2` by ALPN.
    var hasALPN = true
}

/// One connection of a client of the push service.
final class PushConnection: ReadinessHandler {
    /// Counts from one, over all of a run.
    let number: Int
    private(set) var peer = PushPeer()
    private let reactor: Reactor
    private let tls: TLSSession
    private unowned let endpoint: PushEndpoint
    private var socket: ConnectedSocket?
    private var registration: Registration?
    private var session: PushSession?
    private var output: [UInt8] = []
    private var isBlocked = false
    private var isClosing = false
    /// Requests on streams beyond it come to nothing.
    private var lastStream = Int32.max
    /// How many streams the client was last allowed.
    private(set) var streamLimit = 0

    private static let readSize = 65_536

    init(_ socket: ConnectedSocket, _ tls: TLSSession, number: Int, reactor: Reactor, endpoint: PushEndpoint) {
        self.socket = socket
        self.tls = tls
        self.number = number
        self.reactor = reactor
        self.endpoint = endpoint
    }

    /// How many streams are open.
    var openStreams: Int { session?.openStreams ?? 0 }
    /// Most streams that were open at once.
    var mostStreams: Int { session?.mostStreams ?? 0 }
    /// Whether it takes no part any more.
    var isClosed: Bool { socket == nil }

    /// Registers with the loop.
    func begin() throws(IOError) {
        guard let socket else { return }
        registration = try reactor.add(socket.raw, interest: .readable, trigger: .level, handler: self)
    }

    func ready(_ readiness: Readiness) {
        guard !readiness.isError else { return close() }
        if readiness.isReadable || readiness.isHangUp { read() }
        flush()
    }

    // MARK: In

    private func read() {
        guard let socket, !isClosing else { return }
        var bytes: [UInt8] = []
        do throws(IOError) {
            guard case .done(let count) = try socket.receive(&bytes, limit: PushConnection.readSize) else { return }
            guard count > 0 else { return close() }
        } catch { return close() }
        do throws(TLSError) {
            try tls.feed(bytes.span)
            guard try tls.handshake() else { return }
            begunSession()
            try takePlaintext()
        } catch {
            endpoint.note(error.description, self)
            // An alert may wait to be sent.
            isClosing = true
        }
    }

    private func begunSession() {
        guard session == nil else { return }
        let shown = tls.clientCertificate
        peer.hasCertificate = shown != nil
        peer.certificateTopics = shown?.values("UID") ?? []
        peer.complaint = shown?.complaint
        peer.hasALPN = tls.negotiatedProtocol == "h2"
        streamLimit = endpoint.opened(self)
        session = PushSession(streams: streamLimit)
        if session == nil { close() }
    }

    private func takePlaintext() throws(TLSError) {
        var plain: [UInt8] = []
        loop: while true {
            switch try tls.read(appendingTo: &plain, limit: PushConnection.readSize) {
            case .bytes: continue
            case .needsInput: break loop
            case .closed:
                isClosing = true
                break loop
            }
        }
        guard let session, !plain.isEmpty else { return }
        if !session.receive(plain) { isClosing = true }
        for event in session.takeEvents() {
            switch event {
            case .violation(let what): endpoint.note(what, self)
            case .request(let stream): if !isClosed, stream.id <= lastStream { endpoint.receive(stream, self) }
            }
        }
    }

    // MARK: Out

    /// Answers a request; nothing happens where its stream or the connection has ended.
    func respond(_ stream: Int32, _ answer: SimulatorAnswer) {
        session?.respond(stream, answer)
        flush()
    }

    /// Ends a stream instead of an answer.
    func reset(_ stream: Int32, code: UInt32) {
        session?.reset(stream, code: code)
        flush()
    }

    /// Says that no stream beyond the last one is taken.
    func goAway(last: Int32, code: UInt32, debug: [UInt8]) {
        lastStream = last
        session?.goAway(last: last, code: code, debug: debug)
        flush()
    }

    /// Tells the client how many streams it may have open.
    func limitStreams(to count: Int) {
        streamLimit = count
        session?.limitStreams(to: count)
        flush()
    }

    private func flush() {
        guard let socket else { return }
        if let session {
            var plain: [UInt8] = []
            if !session.send(into: &plain) { isClosing = true }
            do throws(TLSError) {
                if !plain.isEmpty { try tls.write(plain.span) }
            } catch { isClosing = true }
        }
        tls.takeCiphertext(into: &output)
        do throws(IOError) {
            while !output.isEmpty {
                guard case .done(let count) = try socket.send(output.span) else { break }
                output.removeFirst(count)
            }
            try watch()
        } catch { return close() }
        if output.isEmpty, isClosing || session?.isOver == true { close() }
    }

    private func watch() throws(IOError) {
        guard isBlocked == output.isEmpty, let registration else { return }
        isBlocked = !output.isEmpty
        try reactor.modify(registration, interest: isBlocked ? [.readable, .writable] : .readable)
    }

    /// Closes at once.
    ///
    /// - Parameter resets: Whether the client sees a reset, and nothing of what may be on its way to it.
    func close(resets: Bool = false) {
        guard let socket else { return }
        if let registration { reactor.removeBeforeClose(registration) }
        if resets { socket.resetOnClose() }
        self.socket = nil
        endpoint.closed(self)
        session = nil
    }
}

/// A connected socket, closed when nobody holds it any more.
final class ConnectedSocket {
    private let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    var raw: Int32 { descriptor.raw }

    func receive(_ buffer: inout [UInt8], limit: Int) throws(IOError) -> IOResult {
        try Socket.receive(descriptor, appendingTo: &buffer, limit: limit)
    }

    func send(_ bytes: Span<UInt8>) throws(IOError) -> IOResult {
        try Socket.send(descriptor, bytes)
    }

    func resetOnClose() {
        // A peer that is gone already is no failure here.
        try? Socket.setResetOnClose(descriptor)
    }
}
