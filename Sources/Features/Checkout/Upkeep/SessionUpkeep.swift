import EventIO
import Operations
import Primitives
import SessionBroker
import Telemetry
import Web

/// Keeps the tables of sessions in order: counts live sessions, expires what is overdue, forgets
/// old messages of the provider.
///
/// One per process.
final class SessionUpkeep {
    private let part: CheckoutPart
    private var report = Report()
    private var liveSessions: Gauge?

    init(_ part: CheckoutPart) { self.part = part }

    /// Adds its work, in small steps; a part that fails holds up no other.
    func add(to upkeep: Upkeep) {
        upkeep.add { await self.count() }
        upkeep.add { await self.expireSoon() }
        upkeep.add { await self.expire() }
        upkeep.add { await self.pruneNotifications() }
        upkeep.addEnding {
            self.report.write(to: self.part.logger)
            self.report = Report()
        }
    }

    private func count() async -> Bool {
        do throws(StoreError) {
            let hasMore = try await part.liveSessions.step()
            if let live = part.liveSessions.live { show(live) }
            return hasMore
        } catch {
            warn("upkeep.count_failed", error)
            return false
        }
    }

    private func show(_ live: Int) {
        let help = "Sessions that can still be opened or used: those counted, and those issued here since."
        let gauge = liveSessions ?? part.metrics.gauge("sallyport_live_sessions", help: help)
        gauge.set(live)
        liveSessions = gauge
    }

    private func expire() async -> Bool {
        do throws(StoreError) {
            let step = try await part.sweeper.step(request: "sweep-" + Hex.encode(part.reactor.random.bytes(8)))
            report.visited += step.visited
            report.expired += step.expired
            if let (webviewSession, state) = step.skipped {
                let fields = [
                    LogField("webview_session", webviewSession.description), LogField("work", "sweep"),
                    LogField("sql_state", state),
                ]
                part.logger.warning("upkeep.row_skipped", fields)
            }
            return !step.isLast
        } catch {
            warn("upkeep.sweep_failed", error)
            return false
        }
    }

    /// What is past the nearer of its deadlines; all live sessions are read for it, so they are not counted as visited.
    private func expireSoon() async -> Bool {
        do throws(StoreError) {
            let step = try await part.deadlines.step(request: "sweep-" + Hex.encode(part.reactor.random.bytes(8)))
            report.expired += step.expired
            return !step.isLast
        } catch {
            warn("upkeep.sweep_failed", error)
            return false
        }
    }

    /// Forgets old messages of the provider.
    private func pruneNotifications() async -> Bool {
        do throws(StoreError) {
            let forgotten = try await part.notices.prune()
            report.notifications += forgotten
            return forgotten == PostgresNotificationStore.pruneLimit
        } catch {
            part.logger.warning("upkeep.reports_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }

    /// Loss of the connection has its own metrics and log lines; here it is only worth a line.
    private func warn(_ event: StaticString, _ error: StoreError) {
        let failure = error.failure
        part.logger.warning(event, [LogField("code", failure.code.name), LogField("detail", failure.detail)])
    }
}

/// What one run did, for the log.
private struct Report {
    var visited = 0
    var expired = 0
    var notifications = 0

    func write(to logger: Logger) {
        if visited > 0 || expired > 0 {
            logger.debug("upkeep.swept", [LogField("visited", visited), LogField("expired", expired)])
        }
        if notifications > 0 { logger.info("upkeep.notifications_forgotten", [LogField("count", notifications)]) }
    }
}
