import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import Notifications
import Operations
import Settings

/// Which messages of the provider are taken in and how they are judged, read and checked at the start.
struct NotificationSetup: Sendable {
    private let policy: NotificationPolicy
    private let chain: CertificateChain
    private let confirmsSubscriptions: Bool
    /// Authority of a simulator that serves its certificates itself; empty otherwise.
    private let authorityPath: String

    /// The setup of a configuration, or `nil` where no messages are taken in.
    ///
    /// - Parameter checkout: Checked in itself.
    /// - Throws: Where a file cannot be read or holds no certificates.
    init?(_ checkout: CheckoutSettings) throws(ConfigurationError) {
        let settings = checkout.notifications
        guard let chain = try settings.chain() else { return nil }
        self.chain = chain
        policy = settings.policy(merchantID: checkout.provider.merchantID)
        confirmsSubscriptions = settings.confirmsSubscriptions
        authorityPath = settings.certificateHosts.isEmpty ? "" : checkout.provider.authorityPath
    }

    /// How certificates of the sender are fetched, and subscriptions are confirmed.
    var outbound: OutboundPurpose {
        var outbound = ClientConfiguration()
        if !authorityPath.isEmpty { outbound.trust = .file(path: authorityPath) }
        return OutboundPurpose("notifications", outbound)
    }

    /// The inbox of a loop.
    ///
    /// - Parameters:
    ///   - store: Of the same loop.
    ///   - exchange: Carries requests.
    ///   - wake: Called when an object is to be read.
    /// - Returns: An inbox that has fetched no certificate yet.
    func inbox(
        _ store: PostgresNotificationStore,
        reactor: Reactor,
        telemetry: CheckoutTelemetry,
        over exchange: any HTTPExchange,
        wake: @escaping () -> Void
    ) -> NotificationInbox {
        let certificates = CertificateCache(
            exchange: exchange,
            chain: chain,
            clock: SystemClock(),
            startTask: { reactor.startTask($0) },
            logger: telemetry.logger
        )
        // Lines about unverified messages would fill the log.
        var lines = LogBudgets<String>(perSecond: 1)
        return NotificationInbox(
            NotificationVerifier(policy, certificates: certificates),
            store: store,
            over: exchange,
            counters: telemetry.notifications,
            logger: telemetry.logger,
            confirmsSubscriptions: confirmsSubscriptions,
            budget: { lines.take($0, at: reactor.now) },
            wake: wake
        )
    }
}
