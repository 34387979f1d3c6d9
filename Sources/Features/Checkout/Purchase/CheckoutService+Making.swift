import AmazonPay
import EventIO
import HTTPCore
import Primitives
import Telemetry

extension CheckoutService {
    /// A service for the present loop.
    ///
    /// - Parameters:
    ///   - quota: Shared by all loops of the process.
    ///   - signing: Signs on another thread, for all loops; `nil` signs here.
    ///   - exchange: Carries requests.
    /// - Returns: A service that has called nobody yet.
    static func make(
        _ provider: ProviderSetup,
        quota: CallQuota,
        sessionCalls: SessionCalls,
        reactor: Reactor,
        logger: Logger,
        metrics: MetricsRegistry,
        signing: SigningQueue?,
        over exchange: any HTTPExchange
    ) -> CheckoutService {
        var surroundings = CheckoutClient.Surroundings(
            exchange: exchange,
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
