import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
import Telemetry
import Webhooks

// Verified notifications, sent on to another server of the merchant.

extension AppStorePart {
    /// How long a notification is tried to be sent on.
    static let forwardAge = Duration.seconds(3 * 86_400)
    /// Those that are taken at once; all of their time-outs together are shorter than the lease.
    private static let forwardBatch: Int32 = 5
    private static let forwardLease = Duration.seconds(120)
    private static let forwardPolicy = DeliveryPolicy()

    /// Sends some of the notifications that are due; whether there were any.
    @discardableResult
    func forward(over exchange: any HTTPExchange) async throws -> Bool {
        let statement = ForwardStatement.take(AppStorePart.forwardBatch, AppStorePart.forwardLease)
        let taken = try await loop.database.work(statement).all()
        for one in taken {
            let attempt = await send(one, over: exchange)
            let end = ForwardStatement.end(one.id, Int32(clamping: one.attempts), pause(after: attempt, of: one))
            _ = try await loop.database.work(end)
        }
        return !taken.isEmpty
    }

    private func send(_ forward: NotificationForward, over exchange: any HTTPExchange) async -> DeliveryAttempt {
        let request = OutboundRequest(
            method: "POST",
            url: process.settings.forwards.url,
            fields: [("content-type", "application/json")],
            body: Array(forward.body.utf8),
            timeout: AppStorePart.forwardPolicy.timeout,
            needs: .none
        )
        do throws(HTTPExchangeError) {
            return DeliveryAttempt(try await exchange.send(request), at: loop.reactor.wallNow)
        } catch {
            return .broke(error.code)
        }
    }

    /// Until the next try; `nil` where there is none, as it has arrived or is given up.
    private func pause(after attempt: DeliveryAttempt, of forward: NotificationForward) -> Duration? {
        let failures = forward.attempts - 1
        let outcome = AppStorePart.forwardPolicy.outcome(on: attempt, failures: failures, random: loop.reactor.random)
        switch outcome {
        case .delivered:
            metrics.countForward("delivered")
            return nil
        case .retry(let pause) where loop.reactor.wallNow + pause < forward.created + AppStorePart.forwardAge:
            metrics.countForward("failed")
            // The first failure tells; the metric has the rest.
            if failures == 0 { loop.logger.warning("app_store.forward_failed", fields(attempt, forward)) }
            return pause
        case .retry, .deadLetter:
            metrics.countForward("given_up")
            loop.logger.error("app_store.forward_given_up", fields(attempt, forward))
            return nil
        }
    }

    /// The address is not logged: it may hold a secret.
    private func fields(_ attempt: DeliveryAttempt, _ forward: NotificationForward) -> [LogField] {
        let what: LogField =
            switch attempt {
            case .answered(let status, _): LogField("status", status)
            case .broke(let code): LogField("error", "\(code)")
            }
        return [LogField("notification", forward.id), LogField("attempts", forward.attempts), what]
    }

    /// Deletes some that nobody has sent in time; whether there may be more.
    func pruneForwards() async -> Bool {
        do {
            let statement = ForwardStatement.prune(AppStorePart.forwardAge + .seconds(86_400), AppStorePart.batch)
            return try await loop.database.work(statement).first() >= Int(AppStorePart.batch)
        } catch {
            loop.logger.warning("upkeep.prune_failed", [LogField("detail", error.debugDescription)])
            return false
        }
    }
}
