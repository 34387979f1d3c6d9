import EventIO
import Primitives
import Telemetry

/// Hands the events of one subscription to its handler; one per process, on the first loop.
///
/// Subscribers of several processes share the store: each takes the queues of some subjects, handles the first event of each, writes that
/// down, and goes on with the next of the same. A subject whose event cannot be handled waits, longer each time, and holds up no other.
final class EventSubscriber {
    let subscription: EventSubscription
    private let handler: EventHandler
    private let store: PostgresWebhookStore
    private let reactor: Reactor
    private let logger: Logger
    /// `nil` until it is read at the beginning.
    private var id: UUIDBytes?
    private var underWay = 0
    private var isStopped = false
    private var isStoreAway = false

    /// How long a queue is this process's.
    static let lease = Duration.seconds(60)
    private static let backoff = Backoff(base: .seconds(1), cap: .seconds(3_600), least: 0.5)
    /// How many subjects are handled at the same time.
    private static let places = 8
    /// Between two looks where nothing was due.
    private static let pause = Duration.seconds(1)
    /// Between two looks at what is under way.
    private static let shortPause = Duration.milliseconds(20)
    /// How long the end of what is under way is waited for when the program stops.
    private static let drainTime = Duration.seconds(3)

    init(
        _ subscription: EventSubscription,
        _ handler: @escaping EventHandler,
        _ store: PostgresWebhookStore,
        _ reactor: Reactor,
        _ logger: Logger
    ) {
        self.subscription = subscription
        self.handler = handler
        self.store = store
        self.reactor = reactor
        self.logger = logger
    }

    /// Handles what is due until it is stopped.
    func run() async {
        while !isStopped {
            if await round() == 0 { await waitForRoom() }
        }
    }

    private func waitForRoom() async {
        let isFull = underWay >= EventSubscriber.places
        await reactor.sleep(for: isFull ? EventSubscriber.shortPause : EventSubscriber.pause)
    }

    /// Takes no more and waits a moment for what is under way; what has not ended by then is handled again when its lease is over.
    func stop() async {
        isStopped = true
        var waited = Duration.zero
        while underWay > 0, waited < EventSubscriber.drainTime {
            await reactor.sleep(for: EventSubscriber.shortPause)
            waited += EventSubscriber.shortPause
        }
    }

    /// Claims what is due and begins to handle it; how many subjects.
    private func round() async -> Int {
        let free = EventSubscriber.places - underWay
        guard free > 0, !isStopped else { return 0 }
        do throws(StoreError) {
            let id = if let id { id } else { try await store.subscriber(named: subscription.name) }
            guard let id else { return 0 }
            self.id = id
            let attempt = UUIDBytes(version7At: SystemClock().now(), random: reactor.random)
            let claimed = try await store.claim(of: id, lease: EventSubscriber.lease, limit: free, attempt: attempt)
            isStoreAway = false
            for event in claimed {
                underWay += 1
                reactor.startTask {
                    await self.walk(event)
                    self.underWay -= 1
                }
            }
            return claimed.count
        } catch {
            note(error)
            return 0
        }
    }

    /// Handles the events of a subject one after the other, for as long as that goes well.
    private func walk(_ first: SubscribedEvent) async {
        var claimed = first
        while true {
            let failure = await failure(claimed)
            do throws(StoreError) {
                if let failure {
                    let pause = EventSubscriber.backoff.pause(after: claimed.failures + 1, random: reactor.random)
                    return try await store.failed(claimed.fence, DeliveryFailure(error: failure), again: pause)
                }
                let step = try await store.handled(claimed.fence, lease: EventSubscriber.lease)
                guard case .next(let event) = step, !isStopped else { return }
                claimed.event = event
                claimed.failures = 0
            } catch {
                return note(error)
            }
        }
    }

    /// What an event was not handled for; `nil` where it was.
    private func failure(_ claimed: SubscribedEvent) async -> String? {
        do {
            try await handler(claimed.event)
            return nil
        } catch {
            let detail = String(reflecting: error)
            let fields = [
                LogField("subscriber", subscription.name),
                LogField("webhook_event", WebhookEvent.text(of: claimed.event.id)),
                LogField("type", claimed.event.type), LogField("failures", claimed.failures),
                LogField("detail", detail),
            ]
            // Then each quarter of an hour to an hour.
            let isSeldom = claimed.failures == 0 || claimed.failures > 12
            logger.log(isSeldom ? .warning : .debug, "event.not_handled", fields)
            return String(String.UnicodeScalarView(detail.unicodeScalars.prefix(200)))
        }
    }

    /// One line for each time that the store goes away.
    private func note(_ error: StoreError) {
        guard !isStoreAway || error.code == .fault else { return }
        isStoreAway = true
        logger.warning(
            "event.store_failed",
            [
                LogField("subscriber", subscription.name), LogField("code", error.code.word),
                LogField("detail", error.detail),
            ]
        )
    }
}
