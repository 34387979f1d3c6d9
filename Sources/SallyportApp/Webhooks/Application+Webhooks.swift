import EventIO
import HTTPClient
import Operations
import Persistence
import Settings
import Telemetry
import Webhooks

extension Application {
    /// Begins to tell merchants of events, on the loop of the periodic tasks.
    ///
    /// Without a secret nothing can be signed; what happens meanwhile waits in the database until there is one.
    ///
    /// - Parameters:
    ///   - services: The loop's.
    ///   - reactor: The loop's.
    ///   - configuration: Names the secret.
    /// - Throws: `ConfigurationError`, or `CryptographyError` where OpenSSL lacks an algorithm.
    func startWebhooks(_ services: LoopServices, _ reactor: Reactor, _ configuration: Configuration) throws {
        let store = PostgresWebhookStore(client: services.database)
        guard let secret = try configuration.merchantSecret() else {
            reactor.startTask { await self.warnOfEndpoints(store) }
            return
        }
        let exchange = CurlClient(
            reactor,
            configuration: configuration.webhooks.outbound,
            logger: logger,
            metrics: telemetry.metrics
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
        surroundings.logger = logger
        surroundings.metrics = telemetry.metrics
        let dispatcher = try WebhookDispatcher(
            policy: configuration.webhooks.policy,
            concurrency: configuration.webhooks.concurrency,
            agent: "Sallyport/\(ProgramVersion.text)",
            surroundings: surroundings
        )
        reactor.startTask { await dispatcher.run() }
        let budget = WebhookDispatcher.countPause
        jobs.every(WebhookDispatcher.countPause, budget: budget, on: reactor) { _ in await dispatcher.count() }
        jobs.every(WebhookDispatcher.purgeInterval, budget: budget, on: reactor) { _ in await dispatcher.purge() }
        reactor.onStop(deliveryStop) { await dispatcher.stop() }
    }

    /// A secret that was forgotten would show only in what merchants do not hear.
    private func warnOfEndpoints(_ store: PostgresWebhookStore) async {
        guard let endpoints = try? await store.endpoints(), !endpoints.isEmpty else { return }
        let fields = [LogField("endpoints", endpoints.count), LogField("setting", "merchant.secret_file")]
        logger.error("webhook.no_secret", fields)
    }
}
