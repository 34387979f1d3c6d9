import EventIO
import HTTP1
import HTTP2
import HTTPCore
import Primitives
import TLS
import Telemetry

/// What a server is on one loop: its listeners, its connections and what they share.
final class LoopServer {
    let shared: SharedServerState
    let reactor: Reactor
    let handler: any RequestHandler
    let limits: ServerLimits
    let deadlines: DeadlineLengths
    /// The fields of answers that no handler gave.
    let errorFields: FieldBlock
    let counters: PartCounters
    let pool: BufferPool
    let turn: DeferredWork
    /// What the parsers of all connections accept.
    let parserLimits: HTTP1Limits
    /// What the HTTP/2 sessions of all connections share; made for the first of them.
    lazy var http2: HTTP2Common? = try? HTTP2Common(HTTP2Limits(limits))
    var lateHandlers = LateHandlers()
    /// Who has how many handlers under way.
    private var handlers: AddressShares
    private(set) var isDraining = false
    private var acceptors: [Acceptor] = []
    private var connections: [Connection] = []
    private var lastSerialNumber: UInt64
    private var emptied: Suspension<Void>?

    init(_ shared: SharedServerState, reactor: Reactor, handler: any RequestHandler) {
        self.shared = shared
        self.reactor = reactor
        self.handler = handler
        limits = shared.configuration.limits
        deadlines = DeadlineLengths(limits)
        errorFields = shared.configuration.errorFields
        counters = PartCounters(shared.metrics, server: shared.configuration.name)
        // A head stays in its block until it is complete; the rest is room for content or the next request.
        pool = BufferPool(inputBlockSize: limits.headerBytes + 4096)
        handlers = AddressShares(of: limits.handlers, hasShares: limits.hasShares)
        turn = DeferredWork(reactor, limits)
        parserLimits = HTTP1Limits(limits)
        // Numbers of other loops and earlier runs are far away.
        lastSerialNumber = reactor.random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What a request is answered that no handler sees.
    func refusal(_ status: HTTPStatus) -> HTTPResponse {
        var response = HTTPResponse(status, block: errorFields)
        if status == .serviceUnavailable { response.add(.retryAfter, constant: "1") }
        return response
    }

    /// Opens a listening socket for each configured address.
    func listen() throws(ServerError) {
        let configuration = shared.configuration
        guard shared.drainSignal.addPart() else { throw ServerError(.draining) }
        do throws(ServerError) {
            guard shared.tlsContext != nil || !configuration.listeners.contains(where: { $0.security == .tls }) else {
                throw ServerError(.noTLSContext)
            }
            try shared.listening { bound throws(ServerError) in
                try openListeners(configuration.listeners, bound)
            }
        } catch {
            for acceptor in acceptors { acceptor.close() }
            acceptors = []
            shared.drainSignal.partEnded()
            throw error
        }
    }

    private func openListeners(
        _ listeners: [ServerConfiguration.Listener],
        _ bound: [SocketAddress]
    ) throws(ServerError) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        for (index, listener) in listeners.enumerated() {
            let address = bound.isEmpty ? listener.address : bound[index]
            do throws(IOError) {
                if bound.isEmpty, !shared.configuration.sharesAddresses { try Acceptor.expectFree(address) }
                let acceptor = try Acceptor(listener, at: address, part: self)
                acceptors.append(acceptor)
                try addresses.append(acceptor.localAddress() ?? address)
                try acceptor.begin()
            } catch {
                throw ServerError(cannotListenOn: address, error)
            }
        }
        return addresses
    }

    /// A number that no other request of this process has.
    func nextSerialNumber() -> UInt64 {
        lastSerialNumber &+= 1
        return lastSerialNumber
    }
}

// MARK: Connections

extension LoopServer {
    /// Begins to serve a connection, or closes it where a limit is reached.
    func welcome(_ accepted: consuming Socket.Accepted, _ security: ServerConfiguration.Security) {
        let address = accepted.peer
        counters.accepted.increment()
        let isTrusted = isTrusted(address)
        // A proxy speaks for many clients, also one that passes TLS on and cannot say for whom.
        let isProxy = security == .clear && isTrusted
        let key = isTrusted ? nil : PeerAddress(address).bucketKey
        guard shared.connections.admit(key) else { return counters.count(.tooMany) }
        let socket = StreamSocket(accepted.takeDescriptor(), counters: counters)
        guard let channel = makeChannel(security) else { return shared.connections.leave(key) }
        let peer = Connection.Peer(address: PeerAddress(address), isProxy: isProxy, limiterKey: key)
        let connection = Connection(socket, channel, peer: peer, isSecure: security == .tls, part: self)
        do throws(IOError) {
            try connection.begin()
        } catch {
            shared.connections.leave(key)
            shared.logger.warning("http.connection_refused", [LogField("error", error.description)])
            return
        }
        connection.tableIndex = connections.count
        connections.append(connection)
        counters.open.add(1)
    }

    private func isTrusted(_ address: SocketAddress) -> Bool {
        let proxies = shared.configuration.trustedProxies
        guard !proxies.isEmpty else { return false }
        let bytes = address.addressBytes
        return proxies.contains { $0.contains(bytes) }
    }

    private func makeChannel(_ security: ServerConfiguration.Security) -> (any Channel)? {
        guard security == .tls else { return ClearChannel() }
        guard let context = shared.tlsContext else { return nil }
        do throws(TLSError) {
            return TLSChannel(try TLSSession(accepting: context), turn: turn, pool: pool)
        } catch {
            shared.logger.warning("http.connection_refused", [LogField("error", error.debugDescription)])
            return nil
        }
    }

    /// Forgets a connection that has closed itself.
    func forget(_ connection: Connection) {
        let index = connection.tableIndex
        guard connections.indices.contains(index), connections[index] === connection else { return }
        let last = connections.removeLast()
        if last !== connection {
            connections[index] = last
            last.tableIndex = index
        }
        shared.connections.leave(connection.peer.limiterKey)
        counters.open.add(-1)
        if connections.isEmpty {
            emptied?.resume()
            emptied = nil
        }
    }
}

// MARK: Drain

extension LoopServer {
    /// Takes what waits, stops listening, lets every connection come to its end, and cuts off what takes too long.
    func drain() async {
        for acceptor in acceptors { acceptor.drain() }
        acceptors = []
        isDraining = true
        for connection in connections { connection.drain() }
        guard !connections.isEmpty else { return }
        let deadline = reactor.schedule(after: shared.configuration.drainDeadline) { [self] in
            shared.logger.warning("http.drain_cut_off", [LogField("connections", connections.count)])
            for connection in connections { connection.close() }
        }
        await suspend { suspension in
            if connections.isEmpty { suspension.resume() } else { emptied = suspension }
        }
        reactor.cancel(deadline)
    }

    /// Notes how much content a connection holds; false where the process has no room for it.
    func hold(_ bytes: Int, in share: inout ContentShare) -> Bool {
        share.hold(bytes, of: shared.configuration.content, counters.heldContent)
    }
}

// MARK: Handlers that take their time

extension LoopServer {
    /// Counts a handler that is about to begin.
    ///
    /// - Parameter key: Whose share it is of; `nil` for nobody's.
    /// - Returns: What its client is answered where there is no room for it; then nothing was counted.
    func refusalOfHandler(of request: HTTPRequest, _ key: UInt64?) -> HTTPResponse? {
        guard !handlers.take(1, key) else { return nil }
        counters.refusedHandlers.increment()
        return handler.lateAnswer(to: request) ?? refusal(.serviceUnavailable)
    }

    /// Forgets a handler that has ended.
    func handlerEnded(_ key: UInt64?) {
        handlers.give(1, key)
    }

    /// When the deadline of a request's handler began: now, or so much earlier that it is over when its route says so.
    func handlerStart(of request: HTTPRequest) -> MonotonicTime {
        let now = reactor.now
        guard let own = handler.patience(for: request), own < limits.handlerDeadline else { return now }
        let earlier = UInt64(max(0, (limits.handlerDeadline - own).wholeNanoseconds))
        return MonotonicTime(nanoseconds: now.nanoseconds - min(now.nanoseconds, earlier))
    }

    /// Writes down and counts that a handler took too long.
    ///
    /// - Returns: What its client is answered.
    func giveUp(_ request: HTTPRequest) -> HTTPResponse {
        counters.lateHandlers.increment()
        if let unwritten = lateHandlers.take(at: reactor.now) {
            var fields = [LogField("route", handler.name(of: request)), LogField("request", request.requestID)]
            if unwritten > 0 { fields.append(LogField("unwritten", unwritten)) }
            shared.logger.warning("http.handler_late", fields)
        }
        return handler.lateAnswer(to: request) ?? refusal(.serviceUnavailable)
    }
}

extension HTTP2Limits {
    /// A session's share of a server's limits.
    init(_ limits: ServerLimits) {
        self.init()
        streams = limits.streamsPerConnection
        headBytes = limits.headerBytes
        fieldCount = limits.headerCount
        streamWindow = limits.streamWindow
        connectionWindow = limits.connectionWindow
        frameBurst = limits.controlFrameBurst
        framesPerSecond = limits.controlFramesPerSecond
    }
}

extension HTTP1Limits {
    /// The parser's share of a server's limits.
    init(_ limits: ServerLimits) {
        self.init()
        headBytes = limits.headerBytes
        fieldCount = limits.headerCount
        bodyBytes = limits.bodyBytes
    }
}
