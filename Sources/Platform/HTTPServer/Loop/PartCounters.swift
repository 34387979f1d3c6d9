import EventIO
import HTTP2
import HTTPCore
import Primitives
import Telemetry

/// What a server counts on one loop; each loop has cells of its own.
///
/// An object: as a value each use would count a reference for each of its cells.
final class PartCounters: Sendable {
    /// Why a connection was not served.
    enum Refusal: String, CaseIterable {
        case tooMany = "too_many"
        case handshakeFailed = "handshake_failed"
        case handshakeTimeout = "handshake_timeout"
    }

    /// Reading calls on connections.
    let receives: Counter
    /// Writing calls on connections.
    let sends: Counter
    /// Connections taken, refused ones included.
    let accepted: Counter
    /// Connections that are open.
    let open: Gauge
    /// Connections that speak HTTP/2.
    let http2Connections: Counter
    /// Responses that were given up because their reader was slow.
    let slowReaders: Counter
    /// Bytes of content that are held, beyond what a connection may hold uncounted.
    let heldContent: Gauge
    /// Requests that were refused because too much content is held.
    let refusedContent: Counter
    /// Requests whose handler did not begin, because too many are under way.
    let refusedHandlers: Counter
    /// Requests whose handler took too long.
    let lateHandlers: Counter
    /// Streams that the peer has reset, and those that this side has.
    let resetsReceived: Counter
    let resetsSent: Counter
    private let durations: Histogram
    private let floods: [Counter]
    private let responses: [Counter]
    private let refusals: [Counter]

    init(_ metrics: MetricsRegistry, server: String) {
        func counter(_ name: String, _ help: String, _ labels: [(String, String)] = []) -> Counter {
            metrics.counter("sallyport_http_\(name)_total", help: help, labels: [("server", server)] + labels)
        }
        receives = counter("receives", "Reading system calls on connections.")
        sends = counter("sends", "Writing system calls on connections.")
        accepted = counter("connections", "Connections taken.")
        open = metrics.gauge(
            "sallyport_http_open_connections",
            help: "Connections that are open.",
            labels: [("server", server)]
        )
        http2Connections = counter("h2_connections", "Connections that speak HTTP/2.")
        slowReaders = counter("h2_slow_readers", "HTTP/2 responses given up because of their reader.")
        heldContent = metrics.gauge(
            "sallyport_http_held_content_bytes",
            help: "Bytes of content, heads and unread answers that are held, beyond what each connection may hold.",
            labels: [("server", server)]
        )
        refusedContent = counter("refused_content", "Requests refused because too much content is held.")
        refusedHandlers = counter("refused_handlers", "Requests answered 503 because too many handlers are under way.")
        lateHandlers = counter("late_handlers", "Requests answered 503 because their handler took too long.")
        resetsReceived = counter("h2_resets", "HTTP/2 streams that were reset.", [("by", "client")])
        resetsSent = counter("h2_resets", "HTTP/2 streams that were reset.", [("by", "server")])
        durations = metrics.histogram(
            "sallyport_http_request_duration_seconds",
            help: "From the last byte of a request to its response, by the clock of the loop's turns.",
            labels: [("server", server)]
        )
        floods = FloodKind.allCases.map {
            counter("h2_floods", "HTTP/2 connections ended for a flood.", [("kind", "\($0)")])
        }
        responses = (1...5).map { counter("responses", "Responses by class of status.", [("class", "\($0)xx")]) }
        refusals = Refusal.allCases.map {
            counter("refused_connections", "Connections that were not served.", [("reason", $0.rawValue)])
        }
    }

    /// Counts a response.
    func count(_ status: HTTPStatus) {
        responses[status.code / 100 - 1].increment()
    }

    /// Counts how long a request took that was handed over to its handler.
    func observe(from start: MonotonicTime, to end: MonotonicTime) {
        durations.observe(Double(end.nanoseconds &- start.nanoseconds) / 1e9)
    }

    /// Counts a connection that was ended for a flood.
    func count(_ flood: FloodKind) {
        floods[flood.rawValue].increment()
    }

    /// Counts a connection that was not served.
    func count(_ refusal: Refusal) {
        guard let index = Refusal.allCases.firstIndex(of: refusal) else { return }
        refusals[index].increment()
    }
}
