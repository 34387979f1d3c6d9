import EventIO
import Primitives
import TLS
import Telemetry

/// What all loops of a server have in common.
final class SharedServerState: Sendable {
    let configuration: ServerConfiguration
    let logger: Logger
    let metrics: MetricsRegistry
    let connections: ConnectionLimiter
    let drainSignal = StopSignal()
    private let tls: Lock<TLSContext?>
    private let bound = Lock<[SocketAddress]>([])

    init(_ configuration: ServerConfiguration, tls: TLSContext?, logger: Logger, metrics: MetricsRegistry) {
        self.configuration = configuration
        self.logger = logger.with([LogField("server", configuration.name)])
        self.metrics = metrics
        connections = ConnectionLimiter(configuration.limits)
        self.tls = Lock(tls)
    }

    /// The context for new connections.
    var tlsContext: TLSContext? { tls.withLock { $0 } }

    /// Uses another context for new connections.
    func use(_ context: TLSContext) {
        tls.withLock { $0 = context }
    }

    /// What the first loop has bound; empty before that.
    var boundAddresses: [SocketAddress] { bound.withLock { $0 } }

    /// Lets one loop at a time listen: two that start together must not get two ports from the kernel.
    ///
    /// - Parameter body: Gets what the first loop has bound, or nothing on the first; returns what it has bound.
    /// - Throws: What the body throws.
    func listening(_ body: ([SocketAddress]) throws(ServerError) -> [SocketAddress]) throws(ServerError) {
        let failure: ServerError? = bound.withLock { bound in
            do throws(ServerError) {
                bound = try body(bound)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }
}
