package import Cryptography
import EventIO
package import HTTPCore
package import Primitives
package import Telemetry

/// Fetches the certificates of the notification service, judges them, and remembers their keys.
///
/// One per loop, not `Sendable`. Any sender can name an address that the rule allows: what that may cost is bounded here.
package final class CertificateCache {
    /// What is spent on certificates at most.
    package struct Limits: Sendable {
        /// How many addresses are remembered.
        package var entries = 64
        /// How long a key is used before its certificate is fetched again; shorter where its chain ends before.
        package var life = Duration.seconds(86_400)
        /// How long an address that brought no key is left alone.
        package var refusalLife = Duration.seconds(60)
        /// For one fetch: a sender that names slow hosts holds a flight for no longer.
        package var timeout = Duration.seconds(2)
        /// The most bytes of a certificate with all that comes with it.
        package var byteCount = 16 << 10
        /// How many fetches are under way at once; further ones fail at once.
        package var flights = 4

        /// The limits in production.
        package init() {}
    }

    private typealias Outcome = Result<RSAPublicKey, NotificationRefusal>

    private struct Entry {
        let outcome: Outcome
        /// The end of the certificate.
        let validUntil: WallTime?
        let keptUntil: MonotonicTime
        /// Counts up: the order of arrival.
        let serial: Int

        var isKey: Bool {
            if case .success = outcome { true } else { false }
        }
    }

    private let exchange: any HTTPExchange
    private let chain: CertificateChain
    private let names: [String]
    private let limits: Limits
    private let clock: any MonotonicClock
    private let logger: Logger
    private var entries: [CertificateURL: Entry] = [:]
    private let flights: SharedCalls<CertificateURL, Outcome>
    private var serial = 0

    /// A cache without keys.
    ///
    /// - Parameters:
    ///   - names: A certificate must name one of these, or the service's host that it was fetched from.
    ///   - limits: What is spent at most.
    ///   - clock: For the age of what is kept.
    ///   - startTask: Starts a task on the loop, perhaps at once.
    ///   - logger: Hears about addresses that brought no key, at level info.
    package init(
        exchange: any HTTPExchange,
        chain: CertificateChain,
        names: [String] = ["sns.amazonaws.com"],
        limits: Limits = Limits(),
        clock: any MonotonicClock,
        startTask: @escaping (@escaping () async -> Void) -> Void,
        logger: Logger = .silent
    ) {
        flights = SharedCalls(startTask: startTask)
        self.exchange = exchange
        self.chain = chain
        self.names = names
        self.limits = limits
        self.clock = clock
        self.logger = logger
    }

    /// The key of the certificate at an address.
    ///
    /// Who asks for an address that is being fetched waits for that fetch, which goes on when they go away and ends within the
    /// limits' timeout.
    ///
    /// - Parameters:
    ///   - now: The present, at which the certificate must be valid.
    ///   - mayFetch: Asked, once, before a certificate that is not remembered is fetched.
    /// - Returns: A key that the notification service has, or had when its certificate was fetched.
    /// - Throws: `certificateUnavailable` where nothing usable came or too much is under way (a later try may succeed),
    ///   `foreign` with `certificate` where what came is not to be believed.
    package func key(
        for url: CertificateURL,
        at now: WallTime,
        mayFetch: () -> Bool = { true }
    ) async throws(NotificationRefusal) -> RSAPublicKey {
        if let outcome = remembered(url, at: now) { return try outcome.get() }
        let outcome = await flights.value(of: url) {
            // A fetch may have ended since the look above.
            if let outcome = remembered(url, at: now) { return outcome }
            return flights.count < limits.flights && mayFetch() ? nil : .failure(.certificateUnavailable)
        } _: {
            let entry = await self.fetch(url, at: now)
            self.keep(entry, for: url, at: now)
            return entry.outcome
        }
        return try outcome.get()
    }

    private func remembered(_ url: CertificateURL, at now: WallTime) -> Outcome? {
        guard let entry = entries[url], isFresh(entry, at: now) else { return nil }
        return entry.outcome
    }

    // MARK: Fetching

    private func fetch(_ url: CertificateURL, at now: WallTime) async -> Entry {
        let request = OutboundRequest(method: "GET", url: url.text, timeout: limits.timeout)
        let response: InboundResponse
        do throws(HTTPExchangeError) {
            response = try await exchange.send(request)
        } catch {
            return refused(.certificateUnavailable, error.description, url)
        }
        guard response.status == 200 else {
            return refused(.certificateUnavailable, "status \(response.status)", url)
        }
        guard response.body.count <= limits.byteCount else {
            return refused(.foreign(.certificate), "too large", url)
        }
        return judge(response.body, url, now)
    }

    private func judge(_ pem: [UInt8], _ url: CertificateURL, _ now: WallTime) -> Entry {
        let names = names + (url.serviceHost.map { [$0] } ?? [])
        let outcome = chain.verify(leafPEM: pem, names: names, at: now)
        guard case .good(let end) = outcome else {
            return refused(.foreign(.certificate), "\(outcome)", url)
        }
        do throws(CryptographyError) {
            return made(.success(try RSAPublicKey(certificatePEM: pem)), until: end, keep: limits.life)
        } catch {
            return refused(.foreign(.certificate), error.debugDescription, url)
        }
    }

    private func refused(
        _ refusal: NotificationRefusal,
        _ reason: String,
        _ url: CertificateURL
    ) -> Entry {
        logger.info(
            "notification.no_certificate",
            [LogField("url", url.text), LogField("outcome", refusal.outcome), LogField("reason", reason)]
        )
        return made(.failure(refusal), until: nil, keep: limits.refusalLife)
    }

    private func made(_ outcome: Outcome, until end: WallTime?, keep life: Duration) -> Entry {
        serial += 1
        return Entry(outcome: outcome, validUntil: end, keptUntil: clock.monotonicNow() + life, serial: serial)
    }

    // MARK: Remembering

    private func isFresh(_ entry: Entry, at now: WallTime) -> Bool {
        clock.monotonicNow() < entry.keptUntil && entry.validUntil.map { now < $0 } != false
    }

    private func keep(_ entry: Entry, for url: CertificateURL, at now: WallTime) {
        entries = entries.filter { isFresh($0.value, at: now) && $0.key != url }
        if entries.count >= limits.entries {
            // Refusals can be had for any number of addresses: they give way first, and a key gives way to a key only.
            let refusals = entries.filter { !$0.value.isKey }
            let candidates = refusals.isEmpty && entry.isKey ? entries : refusals
            guard let oldest = candidates.min(by: { $0.value.serial < $1.value.serial }) else { return }
            entries[oldest.key] = nil
        }
        entries[url] = entry
    }
}
