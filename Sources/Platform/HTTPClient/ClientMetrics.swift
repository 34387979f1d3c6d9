import HTTPCore
import Telemetry

/// What a client counts.
struct ClientMetrics {
    private let answered: Counter
    private let failures: [HTTPExchangeError.Code: Counter]
    private let seconds: Histogram

    init(_ registry: MetricsRegistry, purpose: String) {
        func counter(_ outcome: String) -> Counter {
            registry.counter(
                "sallyport_outbound_exchanges_total",
                help: "Requests to other servers by outcome.",
                labels: [("purpose", purpose), ("outcome", outcome)]
            )
        }
        answered = counter("answered")
        failures = [
            .connectFailed: counter("connect_failed"), .refused: counter("refused"), .timedOut: counter("timed_out"),
            .connectionLost: counter("connection_lost"), .bodyTooLarge: counter("body_too_large"),
            .protocolViolation: counter("protocol_violation"),
        ]
        seconds = registry.histogram(
            "sallyport_outbound_exchange_seconds",
            help: "From the call to the whole response or the failure.",
            labels: [("purpose", purpose)]
        )
    }

    func count(_ outcome: Result<InboundResponse, HTTPExchangeError>, took duration: Duration) {
        switch outcome {
        case .success: answered.increment()
        case .failure(let error): failures[error.code]?.increment()
        }
        seconds.observe(duration / .seconds(1))
    }
}
