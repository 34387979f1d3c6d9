import Cryptography
import EventIO
import Primitives
import Telemetry
import Web

/// Bounds on sign-ins that fail: by address, and by the name that is tried from anywhere.
final class OperatorSignInLimits: Sendable {
    private let addresses: AddressRateLimit
    private let names: KeyRateLimit
    /// So that nobody chooses names that share a bucket.
    private let salt: [UInt8]
    private let counters: [Outcome: Counter]

    /// How a sign-in ended.
    enum Outcome: String, Sendable, CaseIterable {
        case accepted
        case refused
        case limited
    }

    init(perMinute: Int, _ metrics: MetricsRegistry) {
        addresses = AddressRateLimit(perMinute: perMinute)
        names = KeyRateLimit(perMinute: perMinute)
        salt = KernelRandom().bytes(16)
        counters = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map { outcome in
                let counter = metrics.counter(
                    "sallyport_operator_sign_ins_total",
                    help: "Sign-ins of the shop's staff.",
                    labels: [("outcome", outcome.rawValue)]
                )
                return (outcome, counter)
            }
        )
    }

    /// Counts a sign-in that failed.
    ///
    /// The right key is never asked for room: nobody locks a person out by guessing.
    ///
    /// - Throws: `rate_limited`.
    func refuse(_ client: ClientKeys, name: String, at now: MonotonicTime) throws(Failure) {
        let key = key(name)
        if let wait = addresses.wait(client, at: now) ?? names.wait(key, at: now) {
            note(.limited)
            throw Failure(.rateLimited, retryAfter: wait)
        }
        addresses.count(client, at: now)
        names.count(key, at: now)
        note(.refused)
    }

    func note(_ outcome: Outcome) { counters[outcome]?.increment() }

    private func key(_ name: String) -> UInt64 { SHA256.digest(of: salt + name.utf8).prefix }
}
