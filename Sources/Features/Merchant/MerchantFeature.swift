import AmazonPay
import Checkout
import EventIO
package import Operations
import Primitives
package import ServerCore
import ServiceAPI
import SessionBroker
package import Settings
import Telemetry
package import Web
import Webhooks

/// Merchants: the interface `/v1`, orders and the ledger, payments, what the provider's objects come to.
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
            interface: MerchantDeployment(
                settings,
                policy,
                unknownPerMinute: checkout.settings.policy.limits.unknownPerMinute,
                process
            ),
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

/// Merchants once per process: limits, the description of the interface, how their servers are asked.
package struct MerchantProcess: FeatureProcess {
    let settings: MerchantSettings
    /// `nil` where the interface is not served.
    let interface: MerchantDeployment?
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
        if let interface = part.interface {
            loop.formats[.problem] = interface
            loop.offer(interface, as: (any ServiceGate).self)
        }
        return part
    }
}

/// Merchants on one loop.
package final class MerchantPart {
    let checkout: CheckoutPart
    let loop: LoopContext
    /// The interface; `nil` where it is not served.
    let interface: MerchantInterface?
    /// The keys of the interface; `nil` where it is not served.
    let keys: PostgresKeyStore?
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
        guard let deployment = process.interface else {
            keys = nil
            interface = nil
            return
        }
        let services = try MerchantServices(
            deployment,
            checkout,
            loop,
            orders: orders,
            payments: payments,
            events: events
        )
        keys = services.keys
        interface = MerchantInterface(checkout, services, deployment)
    }
}

extension MerchantPart: FeaturePart {
    /// Its rows stand on the interface.
    package static let routes: [RouteGroup<MerchantPart>] = []

    package static var routeCards: [RouteCard] { MerchantInterface.routes.cards }

    package func mount(_ routes: inout Routes) throws(RouteError) {
        if let interface { try routes.mount(MerchantInterface.routes, on: interface) }
    }

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
