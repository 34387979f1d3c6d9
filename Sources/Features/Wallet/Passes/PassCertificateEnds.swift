import Cryptography
import Postgres
import Primitives
import Telemetry
import WalletPass

/// A certificate that ends soon.
struct CertificateExpiry: Sendable, Equatable {
    let passType: String
    let fingerprint: Digest32
    let expires: WallTime
    /// Whole days that are left; none on the last one.
    let days: Int

    /// Within how many days of the end the shop is told, each time once.
    private static let stages = [7, 30, 60]

    /// The least of these that counts; `nil` while there is time.
    var stage: Int? { CertificateExpiry.stages.first { days < $0 } }
}

extension PassStock {
    /// How long each certificate is valid, the first to end first.
    func expiries(at now: WallTime) -> [CertificateExpiry] {
        signers.values.map { signer in
            let days = max(0, (signer.expires.seconds - now.seconds) / 86_400)
            return CertificateExpiry(
                passType: signer.passType,
                fingerprint: signer.certificateDigest,
                expires: signer.expires,
                days: Int(days)
            )
        }
        .sorted { $0.expires < $1.expires }
    }
}

/// Says when the certificates of pass types end: a metric, and events to the shop.
///
/// One for all loops of a process.
final class PassCertificateEnds: Sendable {
    private let metrics: MetricsRegistry
    private let gauges = Lock<[OctetText: Gauge]>([:])

    init(_ metrics: MetricsRegistry) { self.metrics = metrics }

    /// Has the metric say what is in use.
    func show(_ stock: PassStock) {
        for expiry in stock.expiries(at: WallTime(microseconds: 0)) {
            let gauge = gauges.withLock { gauges in
                if let known = gauges[expiry.passType.octets] { return known }
                let made = metrics.gauge(
                    "sallyport_certificate_not_after_timestamp_seconds",
                    help: "Unix time at which a certificate in use ends, by the setting that names its file.",
                    labels: [("setting", "wallet.certificates"), ("pass_type", expiry.passType)]
                )
                gauges[expiry.passType.octets] = made
                return made
            }
            gauge.set(Int(expiry.expires.seconds))
        }
    }

    /// Tells the shop of certificates that end soon, unless it was told; a statement for each of these alone.
    func tell(of stock: PassStock, at now: WallTime, _ database: PostgresClient) async throws {
        for expiry in stock.expiries(at: now) {
            guard let stage = expiry.stage else { continue }
            _ = try await database.work(
                UpkeepStatement.certificateEnds(expiry.passType, expiry.fingerprint, expiry.expires, Int32(stage))
            )
        }
    }
}
