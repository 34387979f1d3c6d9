import Checkout
import Cryptography
import EventIO
import HTTPCore
import MerchantAPI
import MerchantOrders
import Primitives
import ServiceAPI
import SessionBroker
import Telemetry
import Web
import Webhooks

/// What the handlers below `/v1` share on one loop; made on the loop, never leaves it.
final class MerchantServices {
    /// Keys, and what requests were answered.
    let keys: PostgresKeyStore
    /// What only merchants' webview sessions have.
    let creation: PostgresSessionCreation
    /// The account that orders are made under.
    let account: OrderAccount
    /// Seals answers that hold tokens.
    let seal: AnswerSeal
    /// Orders and the ledger.
    let orders: PostgresOrderStore
    /// Moves money that merchants ask for.
    let payments: PaymentService
    /// The events for merchants.
    let events: PostgresEventStore
    /// What orders may be.
    let policy: OrderPolicy
    private let limits: MerchantLimits
    private let metrics: MetricsRegistry
    private let clock: any WallClock & MonotonicClock
    /// Those of all answers in the description are there from the start.
    private var counters: [String: Counter] = [:]
    /// Hashes of all keys, as they were read last; only while somebody guesses.
    private var keyHashes: Set<Digest32> = []
    private var keyHashesReadAt: MonotonicTime?

    /// What the interface works with on a loop.
    ///
    /// - Parameters:
    ///   - deployment: Of the process.
    ///   - checkout: Of the loop.
    ///   - orders: Of the loop, as the other two.
    ///   - payments: Moves money.
    ///   - events: The events for merchants.
    /// - Throws: `failed` where OpenSSL does not offer what sealing needs.
    init(
        _ deployment: MerchantDeployment,
        _ checkout: CheckoutPart,
        orders: PostgresOrderStore,
        payments: PaymentService,
        events: PostgresEventStore
    ) throws(CryptographyError) {
        keys = PostgresKeyStore(client: checkout.database)
        creation = try PostgresSessionCreation(client: checkout.database, policy: checkout.deployment.policy)
        account = checkout.account
        policy = deployment.policy
        limits = deployment.limits
        metrics = checkout.metrics
        clock = SystemClock()
        self.orders = orders
        self.payments = payments
        self.events = events
        seal = try AnswerSeal()
        for route in MerchantRouteTable.all.map(\.description) where route.scope != nil {
            let codes = route.shape.answers.map(\.status.code) + OpenAPIDocument.problems(of: route).map(\.status.code)
            for code in Set(codes).sorted() { _ = counter(route.name, code) }
        }
        for code in [404, 405] { _ = counter("none", code) }
    }

    /// The present, for what an answer says; deadlines are the database's.
    var now: WallTime { clock.now() }

    /// Counts a request of a key.
    ///
    /// - Parameter key: Whose it is.
    /// - Returns: The seconds to wait after too many of them, or `nil`.
    func wait(of key: UUIDBytes) -> Int? {
        limits.count(key, at: clock.monotonicNow())
    }

    /// Counts a request that a buyer of a session has caused.
    ///
    /// - Parameter session: As the path names it.
    /// - Returns: The seconds to wait after too many of them, or `nil`.
    func wait(ofSession session: UUIDBytes) -> Int? {
        limits.count(session: session, at: clock.monotonicNow())
    }

    /// Whether there is a key with a hash; for addresses that guess, whose keys are not each looked up.
    ///
    /// All hashes are read, once in a second at most, so that guesses cost nothing and no valid key is refused because of them.
    ///
    /// - Parameter hash: Of a whole key.
    /// - Returns: False also for a key that was made within the last second.
    /// - Throws: `unavailable`, `overloaded`, `fault`.
    func exists(_ hash: Digest32) async throws(StoreError) -> Bool {
        if keyHashes.contains(hash) { return true }
        let now = clock.monotonicNow()
        if let last = keyHashesReadAt {
            guard last + .seconds(1) <= now else { return false }
            keyHashesReadAt = now
        }
        keyHashes = Set(try await keys.hashes())
        keyHashesReadAt = now
        return keyHashes.contains(hash)
    }

    /// Counts an answer.
    ///
    /// - Parameters:
    ///   - route: Its name in the description, or `none`.
    ///   - status: As it was sent.
    func count(_ route: String, _ status: Int) {
        counter(route, status).increment()
    }

    private func counter(_ route: String, _ status: Int) -> Counter {
        let key = "\(route) \(status)"
        if let counter = counters[key] { return counter }
        let counter = metrics.counter(
            "sallyport_merchant_requests_total",
            help: "Requests of merchants' programs, by route and status.",
            labels: [("route", route), ("code", "\(status)")]
        )
        counters[key] = counter
        return counter
    }
}

/// How often keys may be used, shared by the loops of a process.
///
/// What buyers cause by coming back counts for their session alone: a buyer who reloads a page does not use up the key's rate.
final class MerchantLimits: Sendable {
    private let requests: Lock<RateLimiter>
    private let sessionRequests: Lock<RateLimiter>

    /// More keys than any operator hands out.
    private static let keys = 4_096
    /// More sessions than come to their end in a minute.
    private static let sessions = 16_384
    /// A buyer's part of the key's rate.
    private static let sessionShare = 10

    /// Limits with nothing counted yet.
    ///
    /// - Parameter perMinute: Requests of one key.
    init(perMinute: Int) {
        requests = Lock(RateLimiter(perMinute: perMinute, capacity: MerchantLimits.keys))
        let part = perMinute / MerchantLimits.sessionShare
        sessionRequests = Lock(RateLimiter(perMinute: part, capacity: MerchantLimits.sessions))
    }

    /// Counts a request of a key; the seconds to wait, or `nil` when it may go on.
    func count(_ key: UUIDBytes, at now: MonotonicTime) -> Int? {
        MerchantLimits.take(requests, key, now)
    }

    /// Counts a request that a session's buyer has caused; the seconds to wait, or `nil` when it may go on.
    func count(session: UUIDBytes, at now: MonotonicTime) -> Int? {
        MerchantLimits.take(sessionRequests, session, now)
    }

    private static func take(_ limiter: borrowing Lock<RateLimiter>, _ id: UUIDBytes, _ now: MonotonicTime) -> Int? {
        // Ids of keys and sessions are random in their low half.
        limiter.withLock { $0.take(id.low, at: now.microseconds) }
    }
}
