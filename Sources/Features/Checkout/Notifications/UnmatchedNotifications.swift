import AmazonPay
import Primitives
import SessionBroker
import Telemetry

/// Follows messages about payments that no order has to the session they may be about; one per loop.
///
/// One that came while its purchase was written down, so that neither knew of the other, is taken in like any other.
///
/// A purchase whose outcome is unknown has no payment in the ledger yet, and is looked at less and less often: a message that
/// is about its payment brings the next read forward. A session that is unpaid and has a payment all the same is handed to the
/// recovery where its checkout session says so too, else to a person. To find the session costs a question to the provider, so
/// only some messages are followed at a time, and each until there is an answer.
final class UnmatchedNotifications {
    private let store: PostgresNotificationStore
    private let broker: Broker
    private let purchases: PurchaseService
    private let client: CheckoutClient
    private let random: any RandomSource
    private let logger: Logger
    private let wakePolls: () -> Void

    /// How many that were overtaken are taken in by one run; each is a statement, and the next run is seconds away.
    private static let overtaken = 100
    /// How many are followed in one run of the recovery: however many messages come, the provider is asked no more often.
    static let batch = 8

    private static let patience = Duration.seconds(5)

    /// A follower for one loop.
    ///
    /// - Parameters:
    ///   - logger: For purchases that were woken, and payments that no order has.
    ///   - wakePolls: Called when an object is to be read.
    init(
        _ store: PostgresNotificationStore,
        broker: Broker,
        purchases: PurchaseService,
        client: CheckoutClient,
        random: any RandomSource,
        logger: Logger,
        wakePolls: @escaping () -> Void
    ) {
        self.store = store
        self.broker = broker
        self.purchases = purchases
        self.client = client
        self.random = random
        self.logger = logger
        self.wakePolls = wakePolls
    }

    /// How many questions in a row may stay without an answer: the others would fare no better.
    private static let patienceInARow = 2

    /// Follows the newest ones; those without an answer are followed again by the next run.
    ///
    /// - Returns: Whether recovery has something to do now.
    func follow() async -> Bool {
        var hasWoken = false
        var unanswered = 0
        do {
            try await takeOvertaken()
            let messages = try await store.unmatched(limit: UnmatchedNotifications.batch)
            var permissions: [String] = []
            for message in messages where !permissions.contains(where: { $0.octets == message.permission.octets }) {
                permissions.append(message.permission)
            }
            for permission in permissions where unanswered < UnmatchedNotifications.patienceInARow {
                let charges = messages.filter { $0.permission.octets == permission.octets }.compactMap(\.charge)
                let end = try await follow(permission, charges.compactMap { ChargeID($0) })
                // The others would have no turn either; all of them come with the next run, as if there had been none.
                if end == .heldBack { break }
                unanswered = end == .noAnswer ? unanswered + 1 : 0
                if end == .woken { hasWoken = true }
                try await store.noteFollowed(permission, isAnswered: end != .noAnswer)
            }
        } catch {
            logger.warning("upkeep.unmatched_notifications_failed", [LogField("detail", String(reflecting: error))])
        }
        return hasWoken
    }

    private func takeOvertaken() async throws(StoreError) {
        for message in try await store.overtaken(limit: UnmatchedNotifications.overtaken) {
            do throws(StoreError) {
                if try await store.take(message) { wakePolls() }
            } catch {
                // The others, and what is behind them in this run, need not wait for this one.
                logger.warning("upkeep.unmatched_notifications_failed", [LogField("detail", error.debugDescription)])
            }
        }
    }

    /// What became of the messages about a permission.
    private enum End {
        /// Recovery has something to do.
        case woken
        /// Nothing more is to be done, or it was logged for a person.
        case settled
        /// The provider gave no answer.
        case noAnswer
        /// A question had no turn.
        case heldBack
    }

    private func follow(_ permission: String, _ charges: [ChargeID]) async throws -> End {
        switch await trace(permission) {
        case .webviewSession(let webviewSession): try await handOver(webviewSession, permission, charges)
        case .unknown: .settled
        case .noAnswer: .noAnswer
        case .heldBack: .heldBack
        }
    }

    /// Hands a session that a payment names to the recovery, or to a person.
    private func handOver(_ webviewSession: UUIDBytes, _ permission: String, _ charges: [ChargeID]) async throws -> End
    {
        guard try await !store.wakePurchase(of: webviewSession) else {
            logger.info("purchase.woken", UnmatchedNotifications.fields(webviewSession, permission))
            return .woken
        }
        let caller = Caller(internal: "recovery", request: "unmatched-" + Hex.encode(random.bytes(8)))
        let payment = try await broker.store.payment(of: webviewSession)
        // Other shops of the account have marks of their own; ours are of version 7, also where a restore has lost the session.
        guard payment != nil || webviewSession.high >> 12 & 0xF == 7 else { return .settled }
        switch payment?.state {
        case .authorized? where payment?.permission?.octets == permission.octets: return .settled
        case .purchasing? where payment?.isStuck == false: return .settled
        case .purchasing?:
            switch try await purchases.reread(webviewSession, payment, by: caller) {
            case .resumed: return .woken
            case .same: return .settled
            case .heldBack: return .heldBack
            }
        default: break
        }
        // A charge that the bank has declined, or that was given back, is nobody's money.
        switch await holding(charges) {
        case .possible: break
        case .none: return .settled
        case .noAnswer: return .noAnswer
        case .heldBack: return .heldBack
        }
        switch payment?.state {
        // A session that somebody has ended on purpose stays so until a person says otherwise.
        case .placed?, .declined?, .expired?:
            switch try await purchases.reclaim(webviewSession, payment, by: caller) {
            case .done:
                logger.error("purchase.reclaimed", UnmatchedNotifications.fields(webviewSession, permission))
                return .woken
            case .nothingHeld: return .settled
            case .heldBack: return .heldBack
            case .notPaid: break
            }
        default: break
        }
        try await store.noteUnpaid(permission, of: webviewSession)
        logger.error("notification.charge_unpaid", UnmatchedNotifications.fields(webviewSession, permission))
        return .settled
    }

    /// Whether money is with any of some charges.
    private enum Holding {
        /// It is, or may be, also where no charge is named.
        case possible
        /// None of them has any.
        case none
        /// Unknown.
        case noAnswer
        /// Unknown, for want of a turn.
        case heldBack
    }

    private func holding(_ charges: [ChargeID]) async -> Holding {
        for id in Set(charges) {
            do throws(AmazonPayError) {
                let charge = try await client.charge(id, priority: .background, within: UnmatchedNotifications.patience)
                if charge.mayHoldMoney { return .possible }
            } catch {
                let detail = LogField("detail", error.debugDescription)
                logger.info("purchase.not_traced", [LogField("charge", id.text), detail])
                guard error.isAboutNothing else { return error.isHeldBack ? .heldBack : .noAnswer }
            }
        }
        return charges.isEmpty ? .possible : .none
    }

    private static func fields(_ webviewSession: UUIDBytes, _ permission: String) -> [LogField] {
        [LogField("webview_session", webviewSession.description), LogField("permission", permission)]
    }

    /// Where a permission leads.
    private enum Trace {
        /// It has this mark.
        case webviewSession(UUIDBytes)
        /// It has none of ours.
        case unknown
        /// Unknown.
        case noAnswer
        /// Unknown, for want of a turn.
        case heldBack
    }

    /// Reads our own mark on a permission.
    ///
    /// Another shop of the account may have marks that look alike, so what this finds is a reason to look and nothing more.
    private func trace(_ text: String) async -> Trace {
        guard let id = ChargePermissionID(text) else { return .unknown }
        do throws(AmazonPayError) {
            let permission = try await client.permission(
                id,
                priority: .background,
                within: UnmatchedNotifications.patience
            )
            return permission.markedSession.map(Trace.webviewSession) ?? .unknown
        } catch {
            logger.info(
                "purchase.not_traced",
                [LogField("permission", text), LogField("detail", error.debugDescription)]
            )
            guard !error.isHeldBack else { return .heldBack }
            return error.isAboutNothing ? .unknown : .noAnswer
        }
    }
}
