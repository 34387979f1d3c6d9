import EventIO
import Synchronization
import TLS
import Telemetry

/// What all loops of a server have in common.
final class ServerShared: Sendable {
    let configuration: ServerConfiguration
    let logger: Logger
    let metrics: MetricsRegistry
    let census: ConnectionCensus
    let drainSignal = DrainSignal()
    /// The context for new connections.
    let tls: Mutex<TLSContext?>
    /// What the first loop has bound; the others listen on the same, which matters where the kernel chose a port.
    let boundAddresses = Mutex<[SocketAddress]>([])

    init(_ configuration: ServerConfiguration, tls: TLSContext?, logger: Logger, metrics: MetricsRegistry) {
        self.configuration = configuration
        self.logger = logger.with([LogField("server", configuration.name)])
        self.metrics = metrics
        census = ConnectionCensus(configuration.limits)
        self.tls = Mutex(tls)
    }
}
