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
        let timing = CallTiming(
            sleep: { duration in await reactor.sleep(for: duration) },
            uptime: { .nanoseconds(Int64(SystemClock().monotonicNow().nanoseconds)) },
            clock: SystemClock(),
            random: reactor.random
        )
        let client = CheckoutClient(
            provider.credentials,
            endpoint: provider.endpoint,
            quota: quota,
            over: exchange,
            signOffLoop: { work in await signing?.signCall(work) ?? work() },
            timing: timing,
            logger: logger,
            metrics: metrics
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
