import Cryptography
package import EventIO
import HTTPCore
package import Primitives
package import Telemetry

/// Sends events to their endpoints until they have arrived.
///
/// One per process, on one loop; dispatchers of several processes share the store. It claims the queues that are due, sends the
/// first event of each, takes down what became of it, and goes on with the next event of the same queue. Buyers' requests
/// neither wait for it nor know of it. An endpoint that fails gets one try at a time until one succeeds, so that it cannot keep
/// the places of others.
///
/// Not `Sendable`: made and used on its loop.
package final class WebhookDispatcher {
    /// What is known of an endpoint from the tries of this process.
    private struct EndpointHealth {
        var underWay = 0
        /// Tries that failed since one last arrived.
        var failures = 0
        /// Its keys that did not open the last time; logged once.
        var closedKeys: Set<String> = []
        /// When it is seen again whether its key opens; `nil` where it did.
        var locked: Interval?

        var isFailing: Bool { failures > 0 || locked != nil }
    }

    private let policy: DeliveryPolicy
    private let store: any WebhookStore
    private let sender: WebhookSender
    private let vault: WebhookVault
    private let reactor: Reactor
    private let clock: any WallClock & MonotonicClock
    private let logger: Logger
    private let counters: Counters
    private var health: [UUIDBytes: EndpointHealth] = [:]
    private var underWay = 0
    /// How many queues have been left again.
    private var ended = 0
    private var isStopped = false
    private var isStoreAway = false

    /// Between two looks where nothing was due.
    private static let pause = Duration.seconds(1)
    /// Between two looks at the tries that are under way.
    private static let shortPause = Duration.milliseconds(20)
    /// How often `count` is worth its statement.
    package static let countPause = Duration.seconds(15)
    /// How often `purge` is.
    package static let purgeInterval = Duration.seconds(3600)
    /// How often it is seen whether a key opens that did not: another one may have taken its place.
    private static let keySpan = Duration.seconds(60)
    /// After that a process that has the right file may take what this one cannot sign.
    private static let handover = Duration.seconds(1)
    /// What an answer takes to be written down, on top of the time for it to come.
    private static let margin = Duration.seconds(20)
    /// After so many failures in a row it was the endpoint that was away, and not one event that it cannot take.
    private static let outage = 5
    /// How long the end of tries is waited for when the program stops.
    private static let drainTime = Duration.seconds(3)

    /// A dispatcher of a loop.
    ///
    /// - Parameters:
    ///   - vault: Opens the keys of endpoints.
    ///   - clock: The calendar clock, for the times of tries; the one that nobody sets for pauses.
    ///   - logger: Hears about endpoints that fail and queues that are dead-lettered.
    package init(
        policy: DeliveryPolicy,
        store: any WebhookStore,
        sender: WebhookSender,
        vault: WebhookVault,
        reactor: Reactor,
        clock: any WallClock & MonotonicClock = SystemClock(),
        logger: Logger,
        metrics: MetricsRegistry
    ) {
        self.policy = policy
        self.store = store
        self.sender = sender
        self.vault = vault
        self.reactor = reactor
        self.clock = clock
        self.logger = logger
        counters = Counters(metrics)
    }

    /// How many tries may be under way; one endpoint gets half of them.
    private var places: Int { max(1, policy.concurrency) }

    /// How long a queue is this dispatcher's: a dispatcher that takes it after that does not meet a try of ours.
    private var lease: Duration { policy.timeout + WebhookDispatcher.margin }

    // MARK: Rounds

    /// Sends what is due until it is stopped.
    package func run() async {
        while !isStopped {
            let taken = await round()
            if taken == 0 || underWay >= places { await waitForRoom() }
        }
    }

    /// Waits until a try has ended, which may have made room for another, or until it is time to look again.
    private func waitForRoom() async {
        guard underWay > 0 else { return await reactor.sleep(for: WebhookDispatcher.pause) }
        let before = ended
        var waited = Duration.zero
        while ended == before, !isStopped, waited < WebhookDispatcher.pause || underWay >= places {
            await reactor.sleep(for: WebhookDispatcher.shortPause)
            waited += WebhookDispatcher.shortPause
        }
    }

    /// Takes no more queues and waits a moment for the tries that are under way.
    ///
    /// One that has not ended by then is made again when its lease is over.
    package func stop() async {
        isStopped = true
        var waited = Duration.zero
        while underWay > 0, waited < WebhookDispatcher.drainTime {
            await reactor.sleep(for: WebhookDispatcher.shortPause)
            waited += WebhookDispatcher.shortPause
        }
    }

    /// Claims what is due and begins to send it.
    ///
    /// - Returns: How many queues were claimed; their tries are tasks of their own.
    package func round() async -> Int {
        let free = places - underWay
        guard free > 0, !isStopped else { return 0 }
        let share = max(1, places / 2)
        var demand = ClaimDemand(limit: free, share: share, lease: lease)
        for endpoint in Array(health.keys) {
            let allowance = allowance(endpoint, share)
            if allowance < share { demand.allowances[endpoint] = allowance }
        }
        do throws(StoreError) {
            let attempt = UUIDBytes(version7At: clock.now(), random: reactor.random)
            let claimed = try await store.claim(demand, attempt: attempt)
            isStoreAway = false
            for delivery in claimed { begin(delivery) }
            return claimed.count
        } catch {
            note(error)
            return 0
        }
    }

    /// How many queues of an endpoint may be taken on top of those that are under way.
    private func allowance(_ endpoint: UUIDBytes, _ share: Int) -> Int {
        if health[endpoint]?.locked?.isOver(at: clock.monotonicNow()) == false { return 0 }
        guard let health = health[endpoint] else { return share }
        return max(0, (health.isFailing ? 1 : share) - health.underWay)
    }

    private func begin(_ delivery: ClaimedDelivery) {
        underWay += 1
        health[delivery.endpoint, default: EndpointHealth()].underWay += 1
        reactor.startTask {
            await self.walk(delivery)
            self.underWay -= 1
            self.ended += 1
            self.health[delivery.endpoint]?.underWay -= 1
        }
    }

    // MARK: One queue

    /// Sends the events of a queue one after the other, for as long as they arrive.
    private func walk(_ first: ClaimedDelivery) async {
        var delivery = first
        while true {
            guard let keys = openKeys(of: delivery) else { return await postpone(delivery) }
            let attempt = await send(delivery, keys)
            let outcome = policy.outcome(on: attempt, failures: delivery.failures, random: reactor.random)
            let wasAway = (health[delivery.endpoint]?.failures ?? 0) >= WebhookDispatcher.outage
            note(outcome, attempt, delivery)
            do throws(StoreError) {
                guard case .delivered = outcome else {
                    var pause: Duration?
                    if case .retry(let after) = outcome { pause = after }
                    return try await store.failed(delivery, DeliveryFailure(attempt), again: pause)
                }
                let step = try await store.delivered(delivery, lease: lease)
                if wasAway { try await store.retryNow(delivery.endpoint) }
                guard case .next(let event) = step, !isStopped else { return }
                delivery.event = event
                delivery.failures = 0
            } catch {
                return note(error)
            }
        }
    }

    /// The keys to sign with; `nil` where the endpoint's own does not open.
    ///
    /// The one before it may be missing: after a loss of the file it is the one that nobody can open any more, and receivers
    /// that have the new one must not suffer from it.
    private func openKeys(of delivery: ClaimedDelivery) -> [WebhookKey]? {
        var keys: [WebhookKey] = []
        var closed: Set<String> = []
        for key in delivery.keys {
            do throws(CryptographyError) {
                keys.append(try vault.open(key, of: delivery.endpoint))
            } catch {
                closed.insert(key.id)
                guard health[delivery.endpoint]?.closedKeys.contains(key.id) != true else { continue }
                logger.error(
                    "webhook.key_unreadable",
                    fields(delivery) + [LogField("key", key.id), LogField("reason", error.description)]
                )
            }
        }
        health[delivery.endpoint]?.closedKeys = closed
        guard let current = delivery.keys.first, !closed.contains(current.id) else { return nil }
        health[delivery.endpoint]?.locked = nil
        return keys
    }

    /// Gives back what cannot be signed here.
    ///
    /// It is no failure of the endpoint's: the event keeps its tries.
    private func postpone(_ delivery: ClaimedDelivery) async {
        let locked = Interval(WebhookDispatcher.keySpan, since: clock.monotonicNow())
        health[delivery.endpoint]?.locked = locked
        do throws(StoreError) {
            try await store.postponed(delivery, for: WebhookDispatcher.handover)
        } catch {
            note(error)
        }
    }

    private func send(_ delivery: ClaimedDelivery, _ keys: [WebhookKey]) async -> DeliveryAttempt {
        let event = delivery.event
        do throws(HTTPExchangeError) {
            let response = try await sender.send(
                event.id,
                event.body,
                to: delivery.url,
                keys: keys,
                at: clock.now(),
                timeout: policy.timeout
            )
            return DeliveryAttempt(response, at: clock.now())
        } catch {
            return .broke(error.code)
        }
    }

    // MARK: Words for operators

    private func note(_ outcome: DeliveryOutcome, _ attempt: DeliveryAttempt, _ delivery: ClaimedDelivery) {
        let wasFailing = health[delivery.endpoint]?.isFailing ?? false
        let failure = DeliveryFailure(attempt)
        var fields = fields(delivery)
        if let status = failure.status { fields.append(LogField("status", status)) }
        if let error = failure.error { fields.append(LogField("error", error)) }
        switch outcome {
        case .delivered:
            counters.delivered.increment()
            logger.debug("webhook.delivered", fields)
            if wasFailing { logger.info("webhook.endpoint_back", fields) }
        case .retry:
            counters.failed.increment()
            logger.debug("webhook.failed", fields)
            if !wasFailing { logger.warning("webhook.endpoint_failing", fields) }
        case .deadLetter:
            counters.deadLettered.increment()
            logger.error("webhook.dead_lettered", fields)
        }
        if outcome == .delivered {
            health[delivery.endpoint]?.failures = 0
        } else {
            health[delivery.endpoint]?.failures += 1
        }
    }

    /// The address is not logged: a merchant may have put a secret into its query.
    private func fields(_ delivery: ClaimedDelivery) -> [LogField] {
        [
            LogField("endpoint", delivery.endpoint.description),
            LogField("webhook_event", WebhookEvent.text(of: delivery.event.id)), LogField("type", delivery.event.type),
            LogField(
                delivery.event.subject.isSession ? "webview_session" : "subject",
                delivery.event.subject.id.description
            ), LogField("failures", delivery.failures),
        ]
    }

    /// Shows how many events wait, and since when.
    package func count() async {
        do throws(StoreError) {
            let backlog = try await store.backlog()
            counters.lag.set(Int(backlog.lag.components.seconds))
            counters.deadLetteredQueues.set(backlog.deadLettered)
        } catch {
            note(error)
        }
    }

    /// One line for each time that the store goes away; the rest is in its own metrics.
    private func note(_ error: StoreError) {
        guard !isStoreAway || error.code == .fault else { return }
        isStoreAway = true
        let fields = [LogField("code", error.code.word), LogField("detail", error.detail)]
        logger.warning("webhook.store_failed", fields)
    }
}

/// A span of the clock after which something is done again.
private struct Interval {
    private let span: Duration
    private var start: MonotonicTime?

    /// One that is over at once, or when its span has passed since a moment.
    init(_ span: Duration, since start: MonotonicTime? = nil) {
        self.span = span
        self.start = start
    }

    /// Whether the span has passed; then it begins anew.
    mutating func isOver(at now: MonotonicTime) -> Bool {
        if let start, now < start + span { return false }
        start = now
        return true
    }
}

/// What is counted of all tries.
private struct Counters {
    let delivered: Counter
    let failed: Counter
    let deadLettered: Counter
    let lag: Gauge
    let deadLetteredQueues: Gauge

    init(_ metrics: MetricsRegistry) {
        func outcome(_ word: String) -> Counter {
            metrics.counter(
                "sallyport_webhook_deliveries_total",
                help: "Tries to deliver an event, by outcome.",
                labels: [("outcome", word)]
            )
        }
        delivered = outcome("delivered")
        failed = outcome("failed")
        deadLettered = outcome("dead_lettered")
        lag = metrics.gauge(
            "sallyport_webhook_lag_seconds",
            help: "Age of the oldest event that waits to be delivered and is not dead-lettered; zero where none waits."
        )
        deadLetteredQueues = metrics.gauge(
            "sallyport_webhook_dead_lettered_queues",
            help: "Sessions with a dead event: nothing is sent until an operator replays it."
        )
    }
}
