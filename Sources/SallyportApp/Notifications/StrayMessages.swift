import AmazonPay
import MerchantOrders
import Persistence
import Primitives
import Telemetry

/// Follows messages about payments that no order has to the purchase they may be about; one per loop.
///
/// A purchase whose outcome is unknown has no payment in the ledger yet, and is looked at less and less often. A message that tells
/// of its payment brings the next look forward, and does nothing else. To find the purchase costs a question to the provider, so
/// nothing is asked while no purchase waits, each message is followed once, and only some at a time.
final class StrayMessages {
    private let store: PostgresNotificationStore
    private let client: CheckoutClient
    private let logger: Logger

    /// How many are followed in one round of the upkeep: however many messages come, the provider is asked no more often.
    static let batch = 8

    private static let patience = Duration.seconds(5)

    /// A follower for one loop.
    ///
    /// - Parameters:
    ///   - store: What came, and the purchases.
    ///   - client: The provider.
    ///   - logger: Told which purchases were woken.
    init(_ store: PostgresNotificationStore, client: CheckoutClient, logger: Logger) {
        self.store = store
        self.client = client
        self.logger = logger
    }

    /// Follows the newest ones.
    func follow() async {
        do throws(MerchantStoreError) {
            for text in try await store.takeStray(limit: StrayMessages.batch) {
                switch await trace(text) {
                case .flow(let flow):
                    guard try await store.wakePurchase(of: flow) else { continue }
                    logger.info(
                        "purchase.woken",
                        [LogField("flow", flow.description), LogField("permission", text)]
                    )
                case .stranger: continue
                // Recovery, which comes next, is not to wait for a provider that does not answer; the pauses bring the looks.
                case .noAnswer: return
                }
            }
        } catch {
            logger.warning("upkeep.stray_messages_failed", [LogField("detail", error.debugDescription)])
        }
    }

    /// Where a permission leads.
    private enum Trace {
        /// It has this mark.
        case flow(UUIDBytes)
        /// It has none of ours.
        case stranger
        /// Nobody knows.
        case noAnswer
    }

    /// Reads our own mark on a permission.
    ///
    /// Another shop of the account may have marks that look alike, so what this finds is a reason to look and nothing more.
    private func trace(_ text: String) async -> Trace {
        guard let id = ChargePermissionID(text) else { return .stranger }
        do throws(AmazonPayError) {
            let permission = try await client.permission(id, priority: .background, within: StrayMessages.patience)
            return permission.merchantReferenceID.flatMap { UUIDBytes($0) }.map(Trace.flow) ?? .stranger
        } catch {
            logger.info(
                "purchase.not_traced",
                [LogField("permission", text), LogField("detail", error.debugDescription)]
            )
            return error.code == .refused ? .stranger : .noAnswer
        }
    }
}
