import AppStoreTransactions
import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
import Telemetry
import Web

// Notifications that have not reached the server: Apple tries for some days, and keeps what it has sent for half a year.

extension AppStorePart {
    /// Pages of twenty that one reading takes at most; the next one goes on.
    private static let mostPages = 500
    /// What two readings have both, for clocks that differ.
    private static let overlap = Duration.seconds(3_600)

    /// Takes what was missed, of each environment that is due; what another process has begun is left to it.
    func readHistory(within budget: RunBudget) async throws {
        for environment in process.verifiers.environments where environment.isSigned && server != nil {
            guard !budget.isSpent else { return }
            let statement = PurchaseStatement.beginHistory(environment.rawValue, process.settings.historyPause)
            let begun = try await loop.database.work(statement).first()
            guard begun.isDue else { continue }
            do {
                let taken = try await readHistory(of: environment, since: begun.readUntil)
                let fields = [LogField("environment", environment.rawValue), LogField("taken", taken)]
                if taken > 0 { loop.logger.info("app_store.history_taken", fields) }
            } catch {
                loop.logger.warning(
                    "app_store.history_failed",
                    [LogField("environment", environment.rawValue), LogField("detail", Failure(error).detail)]
                )
            }
        }
    }

    /// Asks for the notifications that Apple could not deliver, and takes each as if it had come.
    ///
    /// - Parameter time: Up to when they were asked for before; `nil` for as far back as they are kept.
    /// - Returns: How many were new.
    func readHistory(of environment: AppStoreEnvironment, since time: WallTime?) async throws(Failure) -> Int {
        guard let server else { throw Failure(.appStoreOff) }
        let now = SystemClock().now()
        // A minute less than they are kept: Apple's clock may be ahead.
        let oldest =
            WallTime(microseconds: now.microseconds - NotificationFilter.oldest(in: environment).microseconds)
            + .seconds(60)
        let start = max(oldest, time.map { $0 + (.zero - AppStorePart.overlap) } ?? oldest)
        let filter: NotificationFilter
        do throws(ServerAPIRequestError) {
            filter = try NotificationFilter(from: start, to: now, onlyFailures: true)
        } catch {
            throw Failure(.internalError, "\(error)")
        }
        var walk = PageWalk(mostPages: AppStorePart.mostPages)
        var taken = 0
        while true {
            let page = try await page(server, filter, walk.mark, environment)
            for notification in page.notifications where try await take(notification, environment) { taken += 1 }
            switch walk.take(page.token, hasMore: page.hasMore) {
            case .next: continue
            case .finished:
                let statement = PurchaseStatement.endHistory(environment.rawValue, now)
                _ = try await Failure.mapErrors { try await loop.database.work(statement) }
                return taken
            case .stuck, .paused: throw Failure(.appStoreUnavailable, "the pages of notifications do not end")
            }
        }
    }

    private func page(
        _ server: AppStoreServer,
        _ filter: NotificationFilter,
        _ mark: String?,
        _ environment: AppStoreEnvironment
    ) async throws(Failure) -> NotificationPage {
        do throws(ServerAPIProblem) {
            let request = ServerAPIRequest.notificationHistory(filter, page: mark)
            return try await server.call(request, in: environment) { (content) throws(ServerAPIAnswerError) in
                try NotificationPage(content)
            }
        } catch {
            throw Failure(error)
        }
    }

    /// Takes a notification of the history; whether it is new.
    ///
    /// One that is refused is counted and left.
    private func take(_ sent: SentNotification, _ environment: AppStoreEnvironment) async throws(Failure) -> Bool {
        let (text, now) = (Array(sent.signedPayload.utf8), SystemClock().now())
        let notification: ServerNotification
        do throws(SignedTextRefusal) {
            notification = try await verifiedNotification(text, at: now)
        } catch {
            metrics.count(error)
            // The reading begins here again another time.
            if error.isRetryable { throw Failure(.appStoreUnavailable, "\(error)") }
            loop.logger.warning("app_store.history_refused", [LogField("reason", "\(error)")])
            return false
        }
        metrics.countVerified()
        return try await keep(notification, text, at: now)
    }
}
