import EventIO
import MerchantOrders
import Operations
import Pages
import Persistence
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import SessionBroker
import Telemetry
import Web
import Webhooks

/// Keeps the tables in order: makes and drops partitions, counts live sessions, expires what is overdue, removes what is past its
/// retention.
///
/// One per process, a periodic task of its own: however long it takes, recovery does not wait for it. It takes one process of
/// PostgreSQL and a twentieth of a core in any minute, whatever there is to do.
final class Maintenance {
    private let services: LoopServices
    private let reactor: Reactor
    private let logger: Logger
    private let interval: Duration
    private let workPerMinute: Duration
    private lazy var work = makeWork()
    private var report = Report()
    private var liveSessions: Gauge?
    private var unsettled: UnsettledGauges?

    /// Between two runs, which do what is due by then.
    static let usualPause = Duration.seconds(5)
    /// After which a run begins no further step.
    static let budget = Duration.seconds(55)

    /// Maintenance on the present loop.
    ///
    /// - Parameters:
    ///   - services: The loop's.
    ///   - reactor: The loop's.
    ///   - logger: Hears what was done, and what could not be.
    ///   - isHurried: Whether each run does everything without a rest, for tests.
    init(_ services: LoopServices, reactor: Reactor, logger: Logger, isHurried: Bool = false) {
        self.services = services
        self.reactor = reactor
        self.logger = logger
        interval = isHurried ? .zero : .seconds(60)
        workPerMinute = .seconds(isHurried ? 3_600 : 3)
    }

    /// Does what is due, in small steps; a part that fails holds up no other.
    func run(_ budget: RunBudget) async {
        report = Report()
        await work.run(budget)
        report.write(to: logger)
        services.partitions.logDropped()
    }

    private func makeWork() -> SteppedWork {
        let (reactor, database, partitions) = (reactor, services.database, services.partitions)
        return SteppedWork(
            // First and by itself: nothing else is lost for good when it is late.
            first: {
                await partitions.makeAhead()
                return false
            },
            steps: [
                { [unowned self] in await count() }, { [unowned self] in await expire() },
                { await partitions.dropFlows() }, { await partitions.dropOrders() },
                { [unowned self] in await pruneClaims() }, { [unowned self] in await pruneNotifications() },
                { [unowned self] in await pruneEvents() }, { [unowned self] in await pruneOperators() },
                { [unowned self] in await lookAtReports() }, { [unowned self] in await countUnsettled() },
            ],
            every: interval,
            perMinute: workPerMinute,
            clock: SteppedWork.Clock(
                now: { reactor.now },
                sleep: { await reactor.sleep(for: $0) },
                workTime: { database.workTime }
            )
        )
    }

    private func count() async -> Bool {
        do throws(StoreError) {
            let hasMore = try await services.liveSessions.step()
            if let live = services.liveSessions.live { show(live) }
            return hasMore
        } catch {
            warn("upkeep.count_failed", error)
            return false
        }
    }

    private func show(_ live: Int) {
        let help = "Sessions that can still be opened or used: those counted, and those issued here since."
        let gauge = liveSessions ?? services.metrics.gauge("sallyport_live_sessions", help: help)
        gauge.set(live)
        liveSessions = gauge
    }

    private func expire() async -> Bool {
        do throws(StoreError) {
            let step = try await services.sweeper.step(request: "sweep-" + Hex.encode(services.random.bytes(8)))
            report.visited += step.visited
            report.expired += step.expired
            return !step.isLast
        } catch {
            warn("upkeep.sweep_failed", error)
            return false
        }
    }

    /// Removes what merchants' requests were answered before the oldest order that is kept.
    private func pruneClaims() async -> Bool {
        guard let keys = services.merchant?.keys else { return false }
        do throws(StoreError) {
            return try await keys.prune(keep: services.deployment.orderRetention) == PostgresKeyStore.pruneLimit
        } catch {
            logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }

    /// Forgets old messages of the provider.
    private func pruneNotifications() async -> Bool {
        do throws(StoreError) {
            let forgotten = try await services.notices.prune()
            report.notifications += forgotten
            return forgotten == PostgresNotificationStore.pruneLimit
        } catch {
            logger.warning("upkeep.reports_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }

    /// Takes old events out of the list; they are kept for as long as their orders.
    private func pruneEvents() async -> Bool {
        do throws(StoreError) {
            return try await services.events.prune() == PostgresEventStore.pruneLimit
        } catch {
            logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }

    /// Forgets what operators decided about orders of long ago.
    private func pruneOperators() async -> Bool {
        do throws(StoreError) {
            let keep = services.deployment.orderRetention
            return try await services.operators.prune(keep: keep) == PostgresOperatorStore.pruneLimit
        } catch {
            logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }

    /// Shows what the newest comparison with the provider came to.
    private func lookAtReports() async -> Bool {
        do throws(StoreError) {
            if let report = try await services.reports.newest() { services.showReport(report) }
        } catch {
            logger.warning("upkeep.reports_failed", [LogField("detail", error.debugDescription)])
        }
        return false
    }

    /// Shows what has no outcome yet; every process shows the same.
    private func countUnsettled() async -> Bool {
        do throws(StoreError) {
            let counts = try await services.unsettled.counts()
            let gauges = unsettled ?? UnsettledGauges(services.metrics)
            gauges.show(counts)
            unsettled = gauges
        } catch {
            logger.warning("upkeep.unsettled_failed", [LogField("detail", error.debugDescription)])
        }
        return false
    }

    /// Loss of the connection has its own metrics and log lines; here it is only worth a line.
    private func warn(_ event: StaticString, _ error: StoreError) {
        let failure = error.failure
        logger.warning(event, [LogField("code", failure.code.name), LogField("detail", failure.detail)])
    }
}

/// What one run did, for the log.
private struct Report {
    var visited = 0
    var expired = 0
    var notifications = 0

    func write(to logger: Logger) {
        if visited > 0 {
            logger.debug("upkeep.swept", [LogField("visited", visited), LogField("expired", expired)])
        }
        if notifications > 0 { logger.info("upkeep.notifications_forgotten", [LogField("count", notifications)]) }
    }
}
