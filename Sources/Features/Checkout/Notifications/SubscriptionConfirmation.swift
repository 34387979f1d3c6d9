import HTTPCore
import Telemetry

/// Confirms a subscription to our topic: a GET of the address in the message.
package struct SubscriptionConfirmation {
    /// Follows no redirect.
    let exchange: any HTTPExchange
    /// For the outcome.
    let logger: Logger

    private static let patience = Duration.seconds(3)

    /// Grants one.
    ///
    /// - Parameter url: With the token, so it is in no log.
    /// - Returns: The status to answer to the message: 200 where the service has decided, 503 where it did not come to that, so
    ///   that it sends the message again.
    func confirm(_ url: String) async -> Int {
        do throws(HTTPExchangeError) {
            let answer = try await exchange.send(
                OutboundRequest(method: "GET", url: url, timeout: SubscriptionConfirmation.patience, needs: .none)
            )
            let fields = [LogField("status", answer.status)]
            guard answer.status != 200 else {
                logger.info("notification.subscribed", fields)
                return 200
            }
            logger.error("notification.not_subscribed", fields)
            return answer.status == 429 || answer.status >= 500 ? 503 : 200
        } catch {
            logger.error("notification.not_subscribed", [LogField("detail", error.description)])
            return 503
        }
    }
}
