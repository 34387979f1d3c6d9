import Checkout
import Cryptography
import EventIO
import HTTPCore
import MerchantAPI
import MerchantOrders
import Operations
import Primitives
import ServerCore
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
    /// Brings what has begun to its end.
    let shield: CancellationShield
    /// The digest context of the loop.
    let hasher: SHA256
    let random: any RandomSource
    private let log: FailureLog
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
    ///   - orders: Of the loop, as the other two.
    /// - Throws: `failed` where OpenSSL does not offer what sealing needs.
    init(
        _ deployment: MerchantDeployment,
        _ checkout: CheckoutPart,
        _ loop: LoopContext,
        orders: PostgresOrderStore,
        payments: PaymentService,
        events: PostgresEventStore
    ) throws(CryptographyError) {
        keys = PostgresKeyStore(client: loop.database)
        creation = try PostgresSessionCreation(client: loop.database, policy: checkout.deployment.policy)
        account = checkout.account
        policy = deployment.policy
        hasher = try SHA256()
        random = loop.reactor.random
        limits = deployment.limits
        metrics = loop.metrics
        shield = loop.shield
        log = FailureLog(loop.logger, on: loop.reactor)
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

    /// What limits count by.
    var time: MonotonicTime { clock.monotonicNow() }

    /// Counts a request of a key.
    ///
    /// - Returns: What is left to it.
    func count(_ key: UUIDBytes) -> RequestQuota {
        limits.count(key, at: time)
    }

    /// Counts a request that a buyer of a session has caused.
    ///
    /// - Parameter session: As the path names it.
    /// - Returns: What is left to it.
    func count(session: UUIDBytes) -> RequestQuota {
        limits.count(session: session, at: time)
    }

    /// Writes down that a request failed for a reason on our side.
    ///
    /// - Parameter problem: As the client got it.
    func note(_ problem: Failure, _ requestID: String) {
        guard problem.code.status.code >= 500 else { return }
        log.write(.warning, "merchant.request_failed", problem, requestID)
    }

    /// Whether there is a key with a hash; for addresses that guess, whose keys are not each looked up.
    ///
    /// All hashes are read, once in a second at most, so that guesses cost nothing and no valid key is refused because of them.
    ///
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
