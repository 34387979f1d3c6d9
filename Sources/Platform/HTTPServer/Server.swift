package import EventIO
package import TLS
package import Telemetry

/// An HTTP server on one or more event loops.
///
/// What it owns: listeners, connections, limits, deadlines, the order of responses, and the drain. What it refuses to
/// do: routing, and anything with content beyond its framing. Each loop has a listening socket of its own for every
/// configured address and a handler of its own; a connection lives and ends on the loop that accepted it. Several
/// servers may share the same loops.
///
///     let server = Server(configuration, tls: context, logger: logger, metrics: metrics)
///     try await server.start(on: loops) { reactor in MyHandler(reactor) }
///     ...
///     await server.drain()
package final class Server: Sendable {
    private let shared: SharedServerState

    /// A server that does not listen yet.
    ///
    /// - Parameters:
    ///   - logger: Hears about pauses, failures of handlers and the drain; never about single requests.
    ///   - metrics: Counts requests by class of status, connections and refusals.
    package init(
        _ configuration: ServerConfiguration,
        tls: TLSContext? = nil,
        logger: Logger = .silent,
        metrics: MetricsRegistry = MetricsRegistry()
    ) {
        shared = SharedServerState(configuration, tls: tls, logger: logger, metrics: metrics)
    }

    /// Starts to listen on each of some loops.
    ///
    /// - Throws: `ServerError`, or what `makeHandler` throws. Loops that had begun to listen go on: drain the server.
    package func start(
        on loops: [EventLoop],
        makeHandler: @escaping @Sendable (Reactor) throws -> any RequestHandler
    ) async throws {
        for loop in loops {
            try await loop.run { reactor in
                try self.attach(to: reactor, handler: makeHandler(reactor))
            }
        }
    }

    /// Starts to listen on the present loop; what `start` does on each.
    ///
    /// - Parameters:
    ///   - reactor: Of the loop that this is called on.
    ///   - handler: Made on this loop; held until the server is drained.
    /// - Throws: `cannotListen`, `noTLSContext`, or `draining` after the drain has begun.
    package func attach(to reactor: Reactor, handler: any RequestHandler) throws(ServerError) {
        let part = LoopServer(shared, reactor: reactor, handler: handler)
        try part.listen()
        let shared = shared
        reactor.startTask {
            await shared.drainSignal.wait()
            await part.drain()
            shared.drainSignal.partEnded()
        }
    }

    /// The addresses it listens on, in the order of the configuration; empty before the first loop listens.
    package var boundAddresses: [SocketAddress] { shared.boundAddresses }

    /// How many connections there are at present, all loops together.
    package var connectionCount: Int { shared.connections.total }

    /// Uses another context for connections accepted from now on; those that exist keep theirs.
    ///
    /// Any thread may call.
    package func reload(_ context: TLSContext) {
        shared.use(context)
    }

    /// Ends the server: takes the connections that wait, closes the listeners, answers what is in flight, closes.
    ///
    /// Idle connections are closed at once, those with a request in flight after its response; what is left at the
    /// drain's deadline is cut off and its tasks are cancelled. A second call waits for the same end.
    package func drain() async {
        await shared.drainSignal.stop()
    }
}
