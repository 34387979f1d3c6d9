import AmazonPay
import MerchantOrders
import Persistence
import Primitives
import SessionBroker
import Telemetry

/// Follows messages about payments that no order has to the session they may be about; one per loop.
///
/// A purchase whose outcome is unknown has no payment in the ledger yet, and is looked at less and less often: a message that tells
/// of its payment brings the next look forward. A session that is unpaid and has a payment all the same is handed to the recovery
/// where its checkout session says so too, else to a person. To find the session costs a question to the provider, so each message
/// is followed once, and only some at a time.
final class StrayMessages {
    private let store: PostgresNotificationStore
    private let broker: Broker
    private let purchases: PurchaseService
    private let client: CheckoutClient
    private let random: any RandomSource
    private let logger: Logger

    /// How many are followed in one run of the recovery: however many messages come, the provider is asked no more often.
    static let batch = 8

    private static let patience = Duration.seconds(5)

    /// A follower for one loop.
    ///
    /// - Parameters:
    ///   - store: What came, and the purchases.
    ///   - broker: The sessions.
    ///   - purchases: Ends those that have a payment.
    ///   - client: The provider.
    ///   - random: Names its requests in the trail.
    ///   - logger: Told which purchases were woken, and which payments nobody has.
    init(
        _ store: PostgresNotificationStore,
        broker: Broker,
        purchases: PurchaseService,
        client: CheckoutClient,
        random: any RandomSource,
        logger: Logger
    ) {
        self.store = store
        self.broker = broker
        self.purchases = purchases
        self.client = client
        self.random = random
        self.logger = logger
    }

    /// Follows the newest ones.
    ///
    /// - Returns: Whether recovery has something to do now.
    func follow() async -> Bool {
        var hasWoken = false
        do {
            for text in try await store.takeStray(limit: StrayMessages.batch) {
                switch await trace(text) {
                case .flow(let flow): hasWoken = try await handOver(flow, text) || hasWoken
                case .stranger: continue
                // The others would fare no better; the pauses bring the looks.
                case .noAnswer: return hasWoken
                }
            }
        } catch {
            logger.warning("upkeep.stray_messages_failed", [LogField("detail", String(reflecting: error))])
        }
        return hasWoken
    }

    /// Hands a session that a payment names to the recovery, or to a person; says whether recovery has something to do now.
    private func handOver(_ flow: UUIDBytes, _ permission: String) async throws -> Bool {
        guard try await !store.wakePurchase(of: flow) else {
            logger.info("purchase.woken", StrayMessages.fields(flow, permission))
            return true
        }
        let caller = Caller(internal: "recovery", request: "stray-" + Hex.encode(random.bytes(8)))
        let payment = try await broker.payment(of: flow)
        // Other shops of the account have marks of their own; ours are of version 7, also where a restore has lost the session.
        guard payment != nil || flow.high >> 12 & 0xF == 7 else { return false }
        switch payment?.state {
        case .authorized? where payment?.permission == permission: return false
        case .purchasing? where payment?.isStuck == false: return false
        case .purchasing?: return try await purchases.reread(flow, payment, by: caller)
        // A session that somebody has ended on purpose stays so until a person says otherwise.
        case .placed?, .declined?, .expired?:
            guard try await purchases.reclaim(flow, payment, by: caller) else { break }
            logger.error("purchase.reclaimed", StrayMessages.fields(flow, permission))
            return true
        case .authorized?, .issued?, .opened?, .reviewed?, .cancelled?, .revoked?, nil: break
        }
        try await store.noteUnpaid(permission, of: flow)
        logger.error("notification.charge_unpaid", StrayMessages.fields(flow, permission))
        return false
    }

    private static func fields(_ flow: UUIDBytes, _ permission: String) -> [LogField] {
        [LogField("flow", flow.description), LogField("permission", permission)]
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
