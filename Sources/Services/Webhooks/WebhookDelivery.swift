import EventIO
package import Operations
import Postgres
import Primitives
package import ServerCore
package import Settings
import Telemetry
package import Web

/// Webhooks to merchants' servers: their endpoints, the delivery of events, and the command for both.
package struct WebhookDelivery: Feature {
    /// How the servers are reached.
    package let settings: WebhookSettings

    package init(_ settings: inout SettingReader) {
        self.settings = WebhookSettings(&settings)
    }

    package func start(_ process: ProcessContext) throws -> WebhookProcess {
        try settings.checkAuthorities()
        return WebhookProcess(settings: settings, process: process)
    }
}

/// What all loops share of the delivery.
package struct WebhookProcess: FeatureProcess {
    /// How endpoints are reached.
    package let settings: WebhookSettings
    let process: ProcessContext

    package var retentions: [Retention] { [Retention("event", keep: settings.eventRetention)] }

    /// From here on the events of subscriptions wait for them.
    package func prepare(_ loop: LoopContext) async throws {
        let store = PostgresWebhookStore(client: loop.database)
        for subscription in process.activeSlots(EventSubscription.self) { try await store.subscribe(subscription) }
    }

    package func open(_ loop: LoopContext) throws -> WebhookPart {
        WebhookPart(loop, dispatcher: try dispatcher(loop), process)
    }

    /// `nil` on other loops than the first, and without a secret, as nothing can be signed: what happens meanwhile waits in the database.
    private func dispatcher(_ loop: LoopContext) throws -> WebhookDispatcher? {
        guard loop.isFirst, let keyring = process.keyring else { return nil }
        return WebhookDispatcher(
            policy: settings.policy,
            store: PostgresWebhookStore(client: loop.database),
            sender: try WebhookSender(over: loop.client(settings.outbound), agent: process.agent),
            vault: try WebhookVault(keyring),
            reactor: loop.reactor,
            logger: process.logger,
            metrics: process.metrics
        )
    }
}

/// The delivery on one loop; the first one delivers, and has the events handled that features subscribe to.
package final class WebhookPart: FeaturePart {
    package static let routes: [RouteGroup<WebhookPart>] = []

    private let store: PostgresWebhookStore
    private let events: PostgresEventStore
    private let dispatcher: WebhookDispatcher?
    private let reactor: Reactor
    private let process: ProcessContext
    private var subscribers: [EventSubscriber] = []

    init(_ loop: LoopContext, dispatcher: WebhookDispatcher?, _ process: ProcessContext) {
        store = PostgresWebhookStore(client: loop.database)
        events = PostgresEventStore(client: loop.database)
        reactor = loop.reactor
        self.dispatcher = dispatcher
        self.process = process
    }

    /// Has the events of a subscription handled, for a feature that is being opened; one loop of the process does it.
    ///
    /// - Throws: `FeatureError` where no card has the subscription: nothing would ever wait for it.
    package func handle(_ subscription: EventSubscription, _ handler: @escaping EventHandler) throws(FeatureError) {
        guard process.activeSlots(EventSubscription.self).contains(subscription) else {
            throw FeatureError(description: "\(subscription.name): a subscription that stands on no card")
        }
        subscribers.append(EventSubscriber(subscription, handler, store, reactor, process.logger))
    }

    package func schedule(_ jobs: JobSchedule) {
        for subscription in unhandled {
            process.logger.error("event.no_handler", [LogField("subscriber", subscription.name)])
        }
        jobs.upkeep?.add { await self.prune() }
        let budget = WebhookDispatcher.countPause
        if dispatcher != nil || !subscribers.isEmpty {
            jobs.every(WebhookDispatcher.purgeInterval, budget: budget, "webhook.purge") { _ in await self.purge() }
        }
        if !subscribers.isEmpty {
            jobs.every(WebhookDispatcher.countPause, budget: budget, "event.count") { _ in
                try await self.countSubscribers()
            }
        }
        for subscriber in subscribers { jobs.keep(subscriber.run, stop: subscriber.stop) }
        guard let dispatcher else { return jobs.keep(warnOfEndpoints, stop: {}) }
        jobs.keep(dispatcher.run, stop: dispatcher.stop)
        jobs.every(WebhookDispatcher.countPause, budget: budget, "webhook.count") { _ in await dispatcher.count() }
    }

    /// Subscriptions whose events would wait for ever.
    private var unhandled: [EventSubscription] {
        process.activeSlots(EventSubscription.self).filter { slot in !subscribers.contains { $0.subscription == slot } }
    }

    /// A secret that was forgotten would show only in what merchants do not hear.
    private func warnOfEndpoints() async {
        guard let endpoints = try? await store.endpoints(), !endpoints.isEmpty else { return }
        let fields = [LogField("endpoints", endpoints.count), LogField("setting", KeyringFile.setting)]
        process.logger.error("webhook.no_secret", fields)
    }

    /// Shows what waits for subscribers.
    private func countSubscribers() async throws(StoreError) {
        for backlog in try await store.subscriberBacklogs() {
            let labels = [("subscriber", backlog.name)]
            process.metrics.gauge(
                "sallyport_event_subscriber_lag_seconds",
                help: "Age of the oldest event that waits for a subscriber; zero where none waits.",
                labels: labels
            ).set(Int(backlog.lag.components.seconds))
            process.metrics.gauge(
                "sallyport_event_subscriber_failing_subjects",
                help: "Subjects whose next event a subscriber could not handle; it is tried again.",
                labels: labels
            ).set(backlog.failing)
        }
    }

    /// Removes queues that nobody will ask for.
    private func purge() async {
        do throws(StoreError) {
            let removed = try await store.purge()
            if removed > 0 { process.logger.info("webhook.purged", [LogField("queues", removed)]) }
        } catch {
            process.logger.warning(
                "webhook.store_failed",
                [LogField("code", error.code.word), LogField("detail", error.detail)]
            )
        }
    }

    /// Takes old events out of the list; whether there may be more.
    private func prune() async -> Bool {
        do throws(StoreError) {
            return try await events.prune() == PostgresEventStore.pruneLimit
        } catch {
            process.logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }
}
