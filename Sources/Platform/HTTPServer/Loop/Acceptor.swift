import EventIO
import Telemetry

/// Takes new connections from one listening socket.
///
/// Level-triggered, because it takes only some of them in each turn.
final class Acceptor: ReadinessHandler {
    /// How long a loop without descriptors waits before it tries again; the kernel keeps the connections until then.
    private static let pause: Duration = .milliseconds(500)

    private let security: ServerConfiguration.Security
    private unowned let part: LoopServer
    private var socket: ListeningSocket?
    private var registration: Registration?
    private var pauseTimer: TimerID?

    /// Opens a listening socket.
    init(_ listener: ServerConfiguration.Listener, at address: SocketAddress, part: LoopServer) throws(IOError) {
        security = listener.security
        self.part = part
        socket = try ListeningSocket(address)
    }

    /// Fails where somebody listens already.
    ///
    /// The listeners of the loops share an address, and with that they would share it with anybody of the same user.
    static func expectFree(_ address: SocketAddress) throws(IOError) {
        if address.port != 0 { try Socket.listen(on: address).close() }
    }

    /// Where it listens, with the port that the kernel has chosen.
    func localAddress() throws(IOError) -> SocketAddress? {
        try socket?.localAddress()
    }

    /// Begins to take connections.
    func begin() throws(IOError) {
        guard let socket else { return }
        registration = try part.reactor.add(socket.raw, interest: .readable, trigger: .level, handler: self)
    }

    func ready(_ readiness: Readiness) {
        accept(atMost: max(1, part.limits.acceptsPerTurn))
    }

    /// Takes the connections that wait, then stops listening.
    ///
    /// A listener that is closed with connections in its queue resets them, so they are taken first.
    func drain() {
        accept(atMost: .max)
        close()
    }

    /// Stops listening.
    func close() {
        if let pauseTimer { part.reactor.cancel(pauseTimer) }
        pauseTimer = nil
        if let registration { part.reactor.remove(registration) }
        registration = nil
        socket = nil
    }

    private func accept(atMost limit: Int) {
        do {
            var left = limit
            while left > 0, let accepted = try socket?.accept() {
                left -= 1
                part.welcome(accepted, security)
            }
        } catch {
            // A level-triggered listener would report the same connection again and again.
            part.shared.logger.warning("http.accept_paused", [LogField("error", error.description)])
            pauseAccepting()
        }
    }

    private func pauseAccepting() {
        guard let registration, pauseTimer == nil else { return }
        part.reactor.remove(registration)
        self.registration = nil
        pauseTimer = part.reactor.schedule(after: Acceptor.pause) { [weak self] in self?.resumeAccepting() }
    }

    private func resumeAccepting() {
        pauseTimer = nil
        do throws(IOError) {
            try begin()
        } catch {
            part.shared.logger.error("http.accept_stopped", [LogField("error", error.description)])
        }
    }
}

/// A listening socket, closed when nobody holds it any more.
private final class ListeningSocket {
    private let descriptor: Descriptor

    init(_ address: SocketAddress) throws(IOError) {
        let descriptor = try Socket.listen(on: address, reusePort: true)
        // Accepted sockets inherit it. Responses leave in one piece, so there is nothing to wait for.
        if !address.addressBytes.isEmpty { try Socket.setNoDelay(descriptor) }
        self.descriptor = descriptor
    }

    var raw: Int32 { descriptor.raw }

    func accept() throws(IOError) -> Socket.Accepted? {
        try Socket.accept(descriptor)
    }

    func localAddress() throws(IOError) -> SocketAddress {
        try Socket.localAddress(descriptor)
    }
}
