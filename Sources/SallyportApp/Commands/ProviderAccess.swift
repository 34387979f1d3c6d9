import AmazonPay
import EventIO
import SessionBroker
import Telemetry

/// The provider of a command that reads objects at it.
struct ProviderAccess: Sendable {
    private let setup: ProviderSetup

    /// The provider in the settings.
    ///
    /// - Parameter configuration: Names the account.
    /// - Throws: Every problem of the account at once.
    init(_ configuration: Configuration) throws(ConfigurationError) {
        setup = try ProviderSetup(
            configuration.provider,
            web: configuration.listeners.web,
            lease: configuration.policy.times.lease
        )
    }

    /// A client for the loop of a command.
    ///
    /// - Parameter reactor: The loop's.
    func client(on reactor: Reactor) -> CheckoutClient {
        let metrics = MetricsRegistry()
        let checkout = CheckoutService.make(
            setup,
            quota: CallQuota(setup.quota),
            sessionCalls: SessionCalls(metrics),
            reactor: reactor,
            telemetry: AppTelemetry(logger: .silent, metrics: metrics),
            // Nobody else is on this loop.
            signOffLoop: { work in work() }
        )
        return checkout.client
    }
}
