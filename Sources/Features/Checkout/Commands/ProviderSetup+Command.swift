package import AmazonPay
package import EventIO
import HTTPClient
import Telemetry

extension ProviderSetup {
    /// A service for the loop of a command, which has that loop to itself: it signs there, and neither logs nor counts.
    ///
    /// - Parameters:
    ///   - pace: How fast the command calls the provider, in place of what the settings say.
    package func commandCheckout(on reactor: Reactor, pace: CallRate? = nil) -> CheckoutService {
        var limits = quota
        limits.pace = pace ?? limits.pace
        let metrics = MetricsRegistry()
        return CheckoutService.make(
            self,
            quota: CallQuota(limits),
            sessionCalls: SessionCalls(metrics, limits: limits),
            reactor: reactor,
            logger: .silent,
            metrics: metrics,
            signing: nil,
            over: CurlClient(reactor, configuration: outbound.configuration)
        )
    }
}
