import Primitives
import TLS
import Telemetry

/// What the TLS listener shows to new connections.
struct ServedCertificates {
    /// For new connections.
    let context: TLSContext
    /// The setting of each certificate, and until when the certificate is valid.
    let ends: [(setting: String, end: WallTime)]
}

/// The end of each certificate in use, as a metric: an alert on it is heard before buyers are turned away, whoever renews the files.
final class CertificateEnds: Sendable {
    private let gauges: [String: Gauge]

    /// The metric of a process.
    ///
    /// - Parameter served: Without them there is none.
    init(_ served: ServedCertificates?, _ metrics: MetricsRegistry) {
        let gauges = (served?.ends ?? []).map { setting, _ in
            let gauge = metrics.gauge(
                "sallyport_certificate_not_after_timestamp_seconds",
                help: "Unix time at which a certificate in use ends, by the setting that names its file.",
                labels: [("setting", setting)]
            )
            return (setting, gauge)
        }
        self.gauges = Dictionary(gauges) { first, _ in first }
        if let served { show(served) }
    }

    /// Has the metric say when these end, once they are in use.
    func show(_ served: ServedCertificates) {
        for (setting, end) in served.ends { gauges[setting]?.set(Int(end.seconds)) }
    }
}
