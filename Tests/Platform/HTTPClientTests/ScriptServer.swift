import EventIO
import Testing

/// A server over plain sockets that does what a test tells it to.
final class ScriptServer: ReadinessHandler {
    private let reactor: Reactor
    private var listener: Descriptor
    private var registration: Registration?
    private let onData: (Peer) -> Void
    /// Called for each new connection, before anything is read.
    var onAccept: (Peer) -> Void = { _ in }
    /// In the order of their coming.
    private(set) var peers: [Peer] = []

    /// - Parameters:
    ///   - reactor: The loop it lives on.
    ///   - backlog: How many connections may wait.
    ///   - accepts: Whether it takes them.
    ///   - onData: Called each time bytes have come, with everything unanswered so far in `received`.
    /// - Throws: `IOError`.
    init(_ reactor: Reactor, backlog: Int32 = 128, accepts: Bool = true, onData: @escaping (Peer) -> Void) throws {
        self.reactor = reactor
        self.onData = onData
        listener = try Socket.listen(on: SocketAddress(v4: 0x7F00_0001, port: 0), backlog: backlog)
        if accepts {
            registration = try reactor.add(listener.raw, interest: .readable, trigger: .level, handler: self)
        }
    }

    /// A server that gives the same answer to each request whose head has come.
    static func answering(_ answer: String, _ reactor: Reactor) throws -> ScriptServer {
        try ScriptServer(reactor) { peer in
            guard peer.takeRequest() != nil else { return }
            peer.send(answer)
        }
    }

    var address: SocketAddress {
        get throws { try Socket.localAddress(listener) }
    }

    /// The URL of a path on this server.
    func url(_ path: String) throws -> String { "http://\(try address)\(path)" }

    /// Refuses connections from now on; those that exist stay.
    func stopListening() {
        if let registration { reactor.removeBeforeClose(registration) }
        registration = nil
        listener.closeInPlace()
    }

    /// Every request of every connection, in the order of each.
    var requests: [String] { peers.flatMap(\.requests) }

    func ready(_ readiness: Readiness) {
        do {
            while let accepted = try Socket.accept(listener) {
                let peer = Peer(reactor, accepted.takeDescriptor(), onData)
                peers.append(peer)
                onAccept(peer)
            }
        } catch {
            Issue.record(error)
        }
    }
}

/// One connection of a `ScriptServer`.
final class Peer: ReadinessHandler {
    private let reactor: Reactor
    private var descriptor: Descriptor
    private var registration: Registration?
    private let onData: (Peer) -> Void
    private(set) var received = ""
    private(set) var requests: [String] = []
    private(set) var isEnded = false

    init(_ reactor: Reactor, _ descriptor: consuming Descriptor, _ onData: @escaping (Peer) -> Void) {
        self.reactor = reactor
        self.onData = onData
        let raw = descriptor.raw
        self.descriptor = descriptor
        do {
            registration = try reactor.add(raw, interest: .readable, trigger: .level, handler: self)
        } catch {
            Issue.record(error)
        }
    }

    func ready(_ readiness: Readiness) {
        var bytes: [UInt8] = []
        let result = try? Socket.receive(descriptor, appendingTo: &bytes, limit: 1 << 20)
        guard case .done(let count) = result, count > 0 else {
            isEnded = true
            return close()
        }
        received += String(decoding: bytes, as: UTF8.self)
        onData(self)
    }

    /// Takes a whole request (head, and content by its length) out of what has come.
    func takeRequest() -> String? {
        let parts = received.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let length = parts[0].split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let wanted = length.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        guard parts[1].utf8.count >= wanted else { return nil }
        let request = received
        received = ""
        requests.append(request)
        return request
    }

    /// Sends text; a client that has gone meanwhile is no fault.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        do throws(IOError) {
            let result = try Socket.send(descriptor, bytes.span)
            #expect(result == .done(bytes.count))
        } catch  where error.code == IOError.connectionReset || error.code == IOError.brokenPipe {
            isEnded = true
        } catch {
            Issue.record(error)
        }
    }

    func reset() {
        #expect(throws: Never.self) { try Socket.setResetOnClose(self.descriptor) }
        close()
    }

    func close() {
        if let registration { reactor.removeBeforeClose(registration) }
        registration = nil
        descriptor.closeInPlace()
    }
}
