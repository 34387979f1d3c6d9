import Cryptography
import FeatureTestKit
import Primitives
import TLS
import Telemetry
import Testing

@testable import Program

@Suite struct `The end of a certificate as a metric` {
    private func served(_ settings: [(String, WallTime)]) throws -> ServedCertificates {
        let certificate = try SoundSettings.certificate()
        let context = try TLSContext(
            certificatePEM: certificate.certificatePEM,
            keyPEM: certificate.keyPEM,
            alpn: ["http/1.1"]
        )
        return ServedCertificates(context: context, ends: settings.map { (setting: $0.0, end: $0.1) })
    }

    private func line(_ setting: String, _ end: WallTime) -> String {
        "\nsallyport_certificate_not_after_timestamp_seconds{setting=\"\(setting)\"} \(end.seconds)\n"
    }

    @Test func `is the one that is in use, before a reload and after`() throws {
        let (first, second) = (WallTime(seconds: 1_900_000_000), WallTime(seconds: 1_950_000_000))
        let metrics = MetricsRegistry()
        let both = try served([("tls.certificate", first), ("tls.second_certificate", second)])
        let ends = CertificateEnds(both, metrics)
        #expect(metrics.prometheusText().contains(line("tls.certificate", first)))
        #expect(metrics.prometheusText().contains(line("tls.second_certificate", second)))
        ends.show(try served([("tls.certificate", second), ("tls.second_certificate", second)]))
        #expect(metrics.prometheusText().contains(line("tls.certificate", second)))
    }

    @Test func `is there only where a certificate is shown`() {
        let metrics = MetricsRegistry()
        _ = CertificateEnds(nil, metrics)
        #expect(metrics.prometheusText().isEmpty)
    }
}
