import AmazonPay
import EventIO
import HTTPClient
import HTTPCore
import Primitives
import Telemetry

extension CheckoutService {
    /// A service with a client of its own, for the present loop.
    ///
    /// - Parameters:
    ///   - quota: Shared by all loops of the process.
    ///   - signing: Signs on another thread, for all loops; `nil` signs here.
    ///   - offered: Carries requests; `nil` for a client of the service's own.
    /// - Returns: A service that has called nobody yet.
    static func make(
        _ provider: ProviderSetup,
        quota: CallQuota,
        sessionCalls: SessionCalls,
        reactor: Reactor,
        logger: Logger,
        metrics: MetricsRegistry,
        signing: SigningQueue?,
        over offered: (any HTTPExchange)? = nil
    ) -> CheckoutService {
        func ownExchange() -> CurlClient {
            var outbound = ClientConfiguration()
            if !provider.authorityPath.isEmpty { outbound.trust = .file(path: provider.authorityPath) }
            return CurlClient(reactor, configuration: outbound, logger: logger, metrics: metrics)
        }
        var surroundings = CheckoutClient.Surroundings(
            exchange: offered ?? ownExchange(),
            signOffLoop: { work in await signing?.signCall(work) ?? work() },
            sleep: { duration in await reactor.sleep(for: duration) },
            uptime: { .nanoseconds(Int64(SystemClock().monotonicNow().nanoseconds)) },
            clock: SystemClock(),
            random: reactor.random
        )
        surroundings.logger = logger
        surroundings.metrics = metrics
        let client = CheckoutClient(
            provider.credentials,
            endpoint: provider.endpoint,
            quota: quota,
            surroundings: surroundings
        )
        return CheckoutService(
            client: client,
            provider: provider,
            signing: signing,
            sessionCalls: sessionCalls,
            startTask: { body in reactor.startTask(body) },
            logger: logger
        )
    }
}
