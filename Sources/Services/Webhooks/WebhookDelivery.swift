import EventIO
import HTTPClient
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

    package static let card = FeatureCard(
        "webhooks",
        commands: [WebhooksCommand.command],
        // Triggers of orders write the events.
        statements: .own(PostgresWebhookStore.statements + PostgresEventStore.statements)
    )

    package init(_ settings: inout SettingReader) {
        self.settings = WebhookSettings(&settings)
    }

    package func start(_ process: ProcessContext) throws -> WebhookProcess {
        try settings.checkAuthorities()
        return WebhookProcess(settings: settings, secret: try settings.secret(), process: process)
    }
}

/// What all loops share of the delivery.
package struct WebhookProcess: FeatureProcess {
    /// How endpoints are reached.
    package let settings: WebhookSettings
    /// `nil` where no key can be opened.
    let secret: Secret<[UInt8]>?
    let process: ProcessContext

    package func open(_ loop: LoopContext) throws -> WebhookPart {
        let store = PostgresWebhookStore(client: loop.database)
        guard loop.isFirst, let secret else { return WebhookPart(store, dispatcher: nil, logger: process.logger) }
        let reactor = loop.reactor
        let exchange = CurlClient(
            reactor,
            configuration: settings.outbound,
            logger: process.logger,
            metrics: process.metrics
        )
        var surroundings = WebhookDispatcher.Surroundings(
            store: store,
            exchange: exchange,
            vault: try WebhookVault(secret: secret),
            loop: (
                sleep: { duration in await reactor.sleep(for: duration) },
                start: { body in reactor.startTask(body) }
            ),
            random: reactor.random,
            clock: SystemClock()
        )
        surroundings.logger = process.logger
        surroundings.metrics = process.metrics
        let dispatcher = try WebhookDispatcher(
            policy: settings.policy,
            concurrency: settings.concurrency,
            agent: process.agent,
            surroundings: surroundings
        )
        return WebhookPart(store, dispatcher: dispatcher, logger: process.logger)
    }
}

/// The delivery on one loop; the first one delivers.
package final class WebhookPart: FeaturePart {
    package static let routes: [RouteGroup<WebhookPart>] = []

    private let store: PostgresWebhookStore
    /// `nil` on other loops, and without a secret, as nothing can be signed: what happens meanwhile waits in the database.
    private let dispatcher: WebhookDispatcher?
    private let logger: Logger

    init(_ store: PostgresWebhookStore, dispatcher: WebhookDispatcher?, logger: Logger) {
        self.store = store
        self.dispatcher = dispatcher
        self.logger = logger
    }

    package func schedule(_ jobs: JobSchedule) {
        guard let dispatcher else { return jobs.keep(warnOfEndpoints, stop: {}) }
        jobs.keep(dispatcher.run, stop: dispatcher.stop)
        let budget = WebhookDispatcher.countPause
        jobs.every(WebhookDispatcher.countPause, budget: budget, "webhook.count") { _ in await dispatcher.count() }
        jobs.every(WebhookDispatcher.purgeInterval, budget: budget, "webhook.purge") { _ in await dispatcher.purge() }
    }

    /// A secret that was forgotten would show only in what merchants do not hear.
    private func warnOfEndpoints() async {
        guard let endpoints = try? await store.endpoints(), !endpoints.isEmpty else { return }
        let fields = [LogField("endpoints", endpoints.count), LogField("setting", "merchant.secret_file")]
        logger.error("webhook.no_secret", fields)
    }
}
