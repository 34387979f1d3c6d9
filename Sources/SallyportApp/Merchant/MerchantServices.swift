import Cryptography
import MerchantOrders
import Persistence
import Primitives
import SessionBroker
import Telemetry

/// What the handlers below `/v1` share on one loop; made on the loop, never leaves it.
final class MerchantServices {
    /// Keys, and what requests were answered.
    let keys: PostgresKeyStore
    /// What only merchants' flows have.
    let openings: PostgresOpeningStore
    /// The account that orders are made under.
    let account: OrderAccount
    /// Seals answers that hold tokens.
    let seal: AnswerSeal
    private let limits: MerchantLimits
    private let metrics: MetricsRegistry
    private let clock: any WallClock
    private var counters: [String: Counter] = [:]

    /// The services of a loop.
    ///
    /// - Parameters:
    ///   - keys: Of the same loop.
    ///   - openings: Of the same loop.
    ///   - account: That orders are made under.
    ///   - limits: Of the process.
    ///   - metrics: Counts requests.
    ///   - clock: For the limits.
    /// - Throws: `failed` where OpenSSL does not offer what sealing needs.
    init(
        keys: PostgresKeyStore,
        openings: PostgresOpeningStore,
        account: OrderAccount,
        limits: MerchantLimits,
        metrics: MetricsRegistry,
        clock: any WallClock
    ) throws(CryptographyError) {
        self.keys = keys
        self.openings = openings
        self.account = account
        self.limits = limits
        self.metrics = metrics
        self.clock = clock
        seal = try AnswerSeal()
    }

    /// The present, for what an answer says; deadlines are the database's.
    var now: WallTime { clock.now() }

    /// Counts a request of a key.
    ///
    /// - Parameter key: Whose it is.
    /// - Returns: The seconds to wait after too many of them, or `nil`.
    func wait(of key: UUIDBytes) -> Int? {
        limits.count(key, at: clock.now())
    }

    /// Counts an answer.
    ///
    /// - Parameters:
    ///   - route: Its name in the description, or `none`.
    ///   - status: As it was sent.
    func count(_ route: String, _ status: Int) {
        let key = "\(route) \(status)"
        let counter =
            counters[key]
            ?? metrics.counter(
                "sallyport_merchant_requests_total",
                help: "Requests of merchants' programs, by route and status.",
                labels: [("route", route), ("code", "\(status)")]
            )
        counters[key] = counter
        counter.increment()
    }
}

/// How often keys may be used, shared by the loops of a process.
final class MerchantLimits: Sendable {
    private let requests: Lock<RateLimiter>

    /// More keys than any operator hands out.
    private static let keys = 4_096

    /// Limits with nothing counted yet.
    ///
    /// - Parameter perMinute: Requests of one key.
    init(perMinute: Int) {
        requests = Lock(RateLimiter(perMinute: perMinute, capacity: MerchantLimits.keys))
    }

    /// Counts a request of a key; the seconds to wait, or `nil` when it may go on.
    func count(_ key: UUIDBytes, at now: WallTime) -> Int? {
        requests.withLock { limiter in
            // Ids of keys are random in their low half.
            if let wait = limiter.wait(key.low, at: now.microseconds) { return wait }
            limiter.count(key.low, at: now.microseconds)
            return nil
        }
    }
}
