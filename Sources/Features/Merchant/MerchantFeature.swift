import Accounts
import AmazonPay
import Checkout
import EventIO
import MerchantAPI
import MerchantOrders
package import Operations
import Primitives
package import ServerCore
import ServiceAPI
import SessionBroker
package import Settings
import Telemetry
package import Web
import Webhooks

/// Merchants: their routes below `/v1`, orders and the ledger, payments, what the provider's objects come to.
package struct MerchantFeature: Feature {
    /// What the settings say of it.
    package let settings: MerchantSettings

    package init(_ settings: inout SettingReader) {
        self.settings = MerchantSettings(&settings)
    }

    package func start(_ process: ProcessContext) throws -> MerchantProcess {
        let checkout = try process.shared(CheckoutFeature.self)
        let servers = try process.shared(WebhookDelivery.self).settings
        let policy = settings.policy(checkout.settings.provider.ledgerCurrency)
        return MerchantProcess(
            settings: settings,
            policy: policy,
            postage: try PostageSetup(
                policy,
                keys: settings.postageKeys,
                servers,
                process.keyring,
                agent: process.agent
            ),
            counters: LedgerCounters(process.metrics)
        )
    }
}

/// Merchants once per process: what orders may be, how their servers are asked.
package struct MerchantProcess: FeatureProcess {
    let settings: MerchantSettings
    /// What orders may be.
    let policy: OrderPolicy
    let postage: PostageSetup
    let counters: LedgerCounters

    // Orders go last, so that nothing is left without its order but what the upkeep of the ledger deletes.
    package var retentions: [Retention] {
        let keep = settings.orderRetention
        return [Retention("orders", [("payment_operation", keep), ("merchant_order", keep)])]
    }

    package func open(_ loop: LoopContext) throws -> MerchantPart {
        let checkout = try loop.part(CheckoutFeature.self)
        let part = try MerchantPart(self, checkout, loop)
        checkout.shippingCosts = try postage.client(loop)
        checkout.objectNews.listener = { [poller = part.poller] in poller.wake() }
        let service = try loop.part(ServiceFeature.self)
        service.keepClaims(for: settings.orderRetention)
        if settings.isServed {
            let events = WebhookEventType.ofOrders.map(\.text)
            var rules = ServiceRules.ofMerchants(claims: checkout.account.claimScope, events: events)
            rules.refusals = { $0.forMerchantAPI }
            service.serve(part, rules)
            try loop.part(AccountsFeature.self).serve()
        }
        return part
    }
}

/// Merchants on one loop.
package final class MerchantPart {
    let checkout: CheckoutPart
    let loop: LoopContext
    /// What orders may be.
    let policy: OrderPolicy
    /// What only merchants' webview sessions have.
    let creation: PostgresSessionCreation
    let orders: PostgresOrderStore
    let payments: PaymentService
    /// Reads objects at the provider that nobody waits for.
    let poller: Poller
    let events: PostgresEventStore
    /// What comparisons with the provider came to.
    let reports: PostgresReconciliationStore
    /// What has no outcome yet.
    let unsettled: PostgresUnsettledStore
    let counters: LedgerCounters
    /// How long orders and their ledger are kept behind their month.
    let orderRetention: Duration
    private let pollRound: Duration?

    init(_ process: MerchantProcess, _ checkout: CheckoutPart, _ loop: LoopContext) throws {
        let database = loop.database
        self.checkout = checkout
        self.loop = loop
        policy = process.policy
        creation = try PostgresSessionCreation(client: database, policy: checkout.deployment.policy)
        counters = process.counters
        orderRetention = process.settings.orderRetention
        pollRound = process.settings.pollRound
        orders = PostgresOrderStore(client: database, account: checkout.account)
        events = PostgresEventStore(client: database)
        reports = PostgresReconciliationStore(client: database)
        unsettled = PostgresUnsettledStore(client: database)
        payments = PaymentService(
            orders: orders,
            client: checkout.provider.client,
            random: loop.reactor.random,
            logger: loop.logger,
            metrics: loop.metrics
        )
        poller = Poller(
            polls: PostgresPollStore(client: database, account: checkout.account),
            orders: orders,
            checkout: checkout.provider,
            counters: checkout.polls,
            reactor: loop.reactor,
            logger: loop.logger
        )
    }
}

extension MerchantPart: FeaturePart {
    package static let routes: [RouteGroup<MerchantPart>] = []

    package func schedule(_ jobs: JobSchedule) {
        let recovery = PaymentRecovery(orders, payments, loop.reactor, logger: loop.logger)
        jobs.every(PaymentRecovery.pause, budget: PaymentRecovery.budget, "payment.recovery", recovery.run)
        if let upkeep = jobs.upkeep { OrderUpkeep(self).add(to: upkeep) }
        if let pollRound { jobs.every(pollRound, budget: Poller.budget, "poll", poller.run) }
        jobs.whenStopped { self.poller.stop() }
    }
}

/// What the newest comparison with the provider came to.
struct LedgerCounters: Sendable {
    private let differences: Gauge
    private let lastReport: Gauge

    init(_ metrics: MetricsRegistry) {
        differences = metrics.gauge(
            "sallyport_ledger_differences",
            help: "Differences between the ledger and the provider that the newest `sallyport reconcile` has left."
        )
        lastReport = metrics.gauge(
            "sallyport_ledger_last_report_timestamp_seconds",
            help: "Unix time at which the newest `sallyport reconcile` was complete; zero before the first."
        )
    }

    /// Shows a report: the differences that it has left, and when it came to its end.
    func show(_ report: (differences: Int, ended: WallTime)) {
        differences.set(report.differences)
        lastReport.set(Int(report.ended.seconds))
    }
}
