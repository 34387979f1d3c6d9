import AppStoreTransactions
import EventIO
import Primitives
import ServerCore
import StrictJSON
import Telemetry
import Webhooks

// Granted purchases that are finished at Apple's server in the app's place, so that StoreKit does not bring them again.

extension EventSubscription {
    static let purchasesFinished = EventSubscription("app_store.finish", to: [.purchaseGranted])
}

extension AppStorePart {
    /// How long a purchase is tried to be finished; its app does it where it hands it in.
    static let finishAge = Duration.seconds(7 * 86_400)

    /// Finishes a purchase that was granted.
    ///
    /// A repeat is harmless: Apple takes it again.
    ///
    /// - Throws: `ServerAPIProblem` where it is to be tried again.
    func finish(_ event: WebhookEvent) async throws {
        guard process.settings.server.finishes, let server, let id = event.data["transactionId"]?.text,
            let word = event.data["environment"]?.text,
            let environment = AppStoreEnvironment.allCases.first(where: { $0.rawValue.octets == word.octets }),
            // Those of test tools have no server.
            environment.isSigned, let call = try? ServerAPIRequest.finishTransaction(id)
        else { return }
        do throws(ServerAPIProblem) {
            _ = try await server.call(call, in: environment)
        } catch {
            if isLastTry(error, of: event) {
                let fields = [LogField("transaction", id), LogField("detail", error.sentence)]
                return loop.logger.warning("app_store.not_finished", fields)
            }
            throw error
        }
    }

    private func isLastTry(_ problem: ServerAPIProblem, of event: WebhookEvent) -> Bool {
        switch problem {
        case .refused, .off, .noServer: true
        case .credentials, .unavailable, .later: loop.reactor.wallNow >= event.at + AppStorePart.finishAge
        }
    }
}
