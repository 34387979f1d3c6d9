import EventIO
import TLS

/// What connections of the push service ask and tell.
protocol PushEndpointOwner: AnyObject {
    /// A client is there.
    ///
    /// - Returns: How many streams it may have open.
    func opened(_ connection: PushConnection) -> Int
    /// A request is complete.
    func receive(_ stream: PushStream, _ connection: PushConnection)
    /// Something is wrong with what a client does.
    func note(_ violation: String, _ connection: PushConnection)
    /// A connection has ended.
    func closed(_ connection: PushConnection)
}

/// The listener of the push service, and its connections.
final class PushEndpoint: ReadinessHandler {
    /// Where it listens, with the port that the kernel has chosen.
    private(set) var address: SocketAddress
    private let tls: TLSContext
    private let reactor: Reactor
    private unowned let owner: any PushEndpointOwner
    private var listener: ListeningSocket?
    private var registration: Registration?
    private(set) var connections: [Int: PushConnection] = [:]
    private(set) var opened = 0
    /// Whether connections are reset as soon as they are there.
    ///
    /// The port stays taken meanwhile: it could not be had again while anybody else has it, or a child of this process a copy of the
    /// listener.
    var refuses = false

    private static let pause = Duration.seconds(1)

    init(_ address: SocketAddress, _ tls: TLSContext, reactor: Reactor, owner: any PushEndpointOwner) {
        self.address = address
        self.tls = tls
        self.reactor = reactor
        self.owner = owner
    }

    /// Listens until it is closed.
    func listen() throws(IOError) {
        let socket = try ListeningSocket(address)
        address = try socket.localAddress()
        listener = socket
        try watch()
    }

    private func watch() throws(IOError) {
        guard let listener else { return }
        registration = try reactor.add(listener.raw, interest: .readable, trigger: .level, handler: self)
    }

    private func unwatch() {
        if let registration { reactor.remove(registration) }
        registration = nil
    }

    /// Ends everything.
    func close() {
        unwatch()
        listener = nil
        for connection in connections.values { connection.close() }
    }

    func ready(_ readiness: Readiness) {
        do {
            while let accepted = try listener?.accept() { welcome(accepted) }
        } catch {
            // Without descriptors a level-triggered listener would spin.
            unwatch()
            lookAgain()
        }
    }

    private func lookAgain() {
        _ = reactor.schedule(after: PushEndpoint.pause) { [weak self] in
            guard let self else { return }
            do { try watch() } catch { lookAgain() }
        }
    }

    private func welcome(_ accepted: consuming Socket.Accepted) {
        let socket = ConnectedSocket(accepted.takeDescriptor())
        guard !refuses else { return socket.resetOnClose() }
        opened += 1
        do {
            let session = try TLSSession(accepting: tls)
            let connection = PushConnection(socket, session, number: opened, reactor: reactor, endpoint: self)
            try connection.begin()
            connections[opened] = connection
        } catch {
            // Closed with the socket.
        }
    }

    // MARK: Called by connections

    func opened(_ connection: PushConnection) -> Int { owner.opened(connection) }

    func receive(_ stream: PushStream, _ connection: PushConnection) { owner.receive(stream, connection) }

    func note(_ violation: String, _ connection: PushConnection) { owner.note(violation, connection) }

    func closed(_ connection: PushConnection) {
        connections[connection.number] = nil
        owner.closed(connection)
    }
}

/// A listening socket, closed when nobody holds it any more.
private final class ListeningSocket {
    private let descriptor: Descriptor

    init(_ address: SocketAddress) throws(IOError) {
        descriptor = try Socket.listen(on: address)
    }

    var raw: Int32 { descriptor.raw }

    func accept() throws(IOError) -> Socket.Accepted? { try Socket.accept(descriptor) }

    func localAddress() throws(IOError) -> SocketAddress { try Socket.localAddress(descriptor) }
}
