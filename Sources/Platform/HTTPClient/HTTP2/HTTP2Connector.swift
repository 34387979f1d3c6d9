package import EventIO
package import HTTPCore
import Primitives
import TLS
package import Telemetry

/// Makes connections to one server, on its loop.
package final class HTTP2Connector {
    /// Where they go.
    package let destination: HTTP2Destination
    private let reactor: Reactor
    private let logger: Logger
    private let metrics: ClientMetrics
    private let connections: Counter
    private let resolver = NameResolver()

    /// A connector without a connection.
    ///
    /// - Parameter metrics: Counts connections, counts exchanges by outcome, and measures them.
    package init(
        _ reactor: Reactor,
        to destination: HTTP2Destination,
        logger: Logger = .silent,
        metrics: MetricsRegistry = MetricsRegistry()
    ) {
        self.reactor = reactor
        self.destination = destination
        self.logger = logger.with([LogField("purpose", destination.purpose)])
        self.metrics = ClientMetrics(metrics, purpose: destination.purpose)
        connections = metrics.counter(
            "sallyport_outbound_connections_total",
            help: "Connections over HTTP/2 to other servers that were opened.",
            labels: [("purpose", destination.purpose)]
        )
    }

    /// Looks the host up, connects, and agrees with the server on TLS and HTTP/2.
    ///
    /// - Returns: A connection that is open until it is closed by either side; the caller closes it.
    /// - Throws: `connectFailed`; nothing was sent.
    package func connect() async throws(HTTPExchangeError) -> HTTP2Connection {
        do throws(HTTPExchangeError) {
            let deadline = reactor.now + destination.connectTimeout
            let socket = try await connectedSocket(deadline)
            let connection = try HTTP2Connection(reactor, socket, destination, logger: logger, metrics: metrics)
            try await connection.begin(until: deadline)
            connections.increment()
            return connection
        } catch {
            logger.debug("outbound.not_connected", [LogField("detail", error.detail)])
            throw error
        }
    }

    private func connectedSocket(_ deadline: MonotonicTime) async throws(HTTPExchangeError) -> ClientSocket {
        let addresses = try await addresses(deadline)
        var detail = ""
        for (index, address) in addresses.enumerated() {
            // An address that does not answer leaves time for the others.
            let share = (deadline - reactor.now) / (addresses.count - index)
            do throws(IOError) {
                return try await connect(address, until: reactor.now + share)
            } catch {
                detail = error.description
            }
        }
        throw HTTPExchangeError(.connectFailed, detail: detail)
    }

    private func addresses(_ deadline: MonotonicTime) async throws(HTTPExchangeError) -> [SocketAddress] {
        let (resolver, host, port) = (resolver, destination.host, destination.port)
        let found: Result<[SocketAddress], NameError>? = await OneShot.wait(on: reactor, until: deadline) { shot in
            reactor.startTask {
                do throws(NameError) {
                    shot.end(.success(try await resolver.addresses(of: host, port: port)))
                } catch {
                    shot.end(.failure(error))
                }
            }
        }
        switch found {
        case .success(let addresses): return addresses
        case .failure(let error): throw HTTPExchangeError(.connectFailed, detail: "name lookup: \(error)")
        case nil: throw HTTPExchangeError(.connectFailed, detail: "name lookup: no answer")
        }
    }

    private func connect(_ address: SocketAddress, until deadline: MonotonicTime) async throws(IOError) -> ClientSocket
    {
        let socket = ClientSocket(try Socket.connect(to: address))
        let writable = WritableOnce()
        let registration = try reactor.add(
            socket.descriptor.raw,
            interest: .writable,
            trigger: .level,
            handler: writable
        )
        defer { reactor.remove(registration) }
        let isReady: Bool? = await OneShot.wait(on: reactor, until: deadline) { shot in
            writable.onReady = { shot.end(true) }
        }
        guard isReady == true else { throw IOError(code: IOError.timedOut, operation: "connect") }
        if let error = try Socket.connectionError(socket.descriptor) { throw error }
        try Socket.setNoDelay(socket.descriptor)
        return socket
    }
}

/// A connected socket, closed when nobody holds it any more, or before.
final class ClientSocket {
    private(set) var descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    func close() { descriptor.closeInPlace() }
}

/// Waits for the end of a connect, good or bad.
private final class WritableOnce: ReadinessHandler {
    var onReady: () -> Void = {}

    func ready(_ readiness: Readiness) { onReady() }
}
