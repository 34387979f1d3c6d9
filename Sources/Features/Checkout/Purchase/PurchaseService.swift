import AmazonPay
import CheckoutCodes
import MerchantAPI
import MerchantOrders
package import Primitives
package import SessionBroker
import Telemetry
package import Web

/// How a purchase ended, where it ended well.
package enum PurchaseOutcome: Sendable {
    /// Paid: the stored answer, the same bytes at every repeat.
    case done([UInt8])
    /// Profile strict: the halves have met, the tab is to be opened again with this ticket.
    case openAgain(LaunchTicket)
}

/// Completes a purchase exactly once, whatever crashes or races in between; one per loop.
///
/// It takes the lease; under the lease a purchase is an operation of the payment engine. What no question can bring to its end
/// is given up: it stays under way for people to look at, and nobody asks again.
package final class PurchaseService {
    private let operations: PurchaseOperations
    private let checkout: CheckoutService
    private let polls: PollCounters
    private let logger: Logger

    /// A service for one loop.
    ///
    /// - Parameters:
    ///   - wakePolls: Reads soon what is due to be read.
    ///   - logger: For recoveries, unknown outcomes and lost leases.
    init(
        broker: Broker,
        checkout: CheckoutService,
        polls: PollCounters,
        wakePolls: @escaping () -> Void,
        logger: Logger
    ) {
        operations = PurchaseOperations(
            broker: broker,
            checkout: checkout,
            polls: polls,
            wakePolls: wakePolls,
            logger: logger
        )
        self.checkout = checkout
        self.polls = polls
        self.logger = logger
    }

    /// Carries out `POST /purchase`.
    ///
    /// - Parameters:
    ///   - request: Both halves.
    ///   - facts: Of a checkout that an app started: it is finalized. Without them such a purchase is only looked at.
    /// - Returns: The answer, or the ticket of the second opening.
    /// - Throws: The contract's code for everything else.
    package func purchase(
        _ request: PurchaseRequest,
        _ facts: MobileFacts? = nil,
        by caller: Caller
    ) async throws(Failure) -> PurchaseOutcome {
        let outcome = try await Failure.mapErrors { try await operations.broker.purchase(request, by: caller) }
        switch outcome {
        case .begin(let attempt):
            let lease = PurchaseLease(attempt: attempt, facts: facts, caller: caller)
            do throws(Failure) {
                try checkout.count(.purchase, of: attempt.webviewSession, by: caller)
            } catch {
                guard try await operations.release(lease, because: error) else { throw operations.lost(lease) }
                throw error
            }
            return .done(try await operations.run(lease, .first))
        case .recover(let attempt):
            let lease = PurchaseLease(attempt: attempt, facts: facts, caller: caller)
            return .done(try await operations.run(lease, .recovery))
        case .replayed(let body): return .done(body)
        case .met(let ticket): return .openAgain(ticket)
        case .refused(let refusal): throw refusal.failure(request.ticket.webviewSession)
        }
    }

    /// Takes up a purchase whose lease ran out without a result: its holder is gone.
    ///
    /// The pauses between two recoveries grow, and they end: `PollSchedule` says when. The last one sends nothing: it reads the
    /// session, which has come to its own end by then.
    ///
    /// - Throws: What the store says; the provider's word is only logged.
    func recover(_ purchase: OverduePurchase, by caller: Caller) async throws(Failure) {
        let isOver = PollSchedule.next(.stuckPurchase, polls: purchase.recoveries, age: purchase.age) == nil
        let pause = PollSchedule.next(.stuckPurchase, polls: purchase.recoveries + 1, age: purchase.age)
        let attempt = try await Failure.mapErrors {
            try await operations.broker.takeOver(purchase.webviewSession, pause: pause ?? .zero, by: caller)
        }
        guard let attempt else { return }
        let lease = PurchaseLease(attempt: attempt, facts: nil, caller: caller, overdue: purchase)
        let failure = await operations.recover(lease, isOver ? .last : .recovery)
        polls.count(.session, failure == .purchaseInProgress ? .same : .changed)
        let order = LogField("order", OrderNumber(purchase.webviewSession).description)
        let outcome = LogField("outcome", failure?.name ?? "authorized")
        logger.info(
            "purchase.recovered",
            [LogField("webview_session", purchase.webviewSession.description), order, outcome]
        )
    }

    /// What came of reading the session of a purchase that was given up.
    enum Reread {
        /// The purchase was handed back to the recovery.
        case resumed
        /// The session has not come to its end, or the provider gives no answer, or the purchase is not given up any more.
        case same
        /// The question had no turn.
        case heldBack
    }

    /// Reads the session of a purchase that was given up, sends nothing, and hands the purchase back to the recovery where the
    /// session has come to its end.
    ///
    /// - Throws: What the store says.
    func reread(
        _ webviewSession: WebviewSessionID,
        _ payment: WebviewSessionPayment?,
        by caller: Caller
    ) async throws(Failure) -> Reread {
        guard let checkoutSession = payment?.orderReference, let total = payment?.total else { return .same }
        switch await checkout.outcome(ofSession: checkoutSession, total: total) {
        case .completed, .alreadyCompleted, .pending, .declined, .canceled: break
        case .unknown(let error) where error.isHeldBack: return .heldBack
        case nil, .notReady, .amountMismatch, .completedOtherwise, .notSent, .unknown, .rejected: return .same
        }
        let isDone = try await Failure.mapErrors {
            try await operations.broker.resume(webviewSession, reason: "reread", by: caller)
        }
        guard isDone else { return .same }
        logger.info("purchase.resumed", [LogField("webview_session", webviewSession.description)])
        return .resumed
    }

    /// What came of a webview session that was read because a charge bears its mark.
    enum Reclaim {
        /// Its session was paid with, and the webview session was handed to the recovery.
        case done
        /// Its session was paid with, and the charge holds nothing any more.
        case nothingHeld
        /// Its session was not paid with, or the provider gives no answer, or the webview session is not to be paid any more.
        case notPaid
        /// The question had no turn.
        case heldBack
    }

    /// Reads the session of a webview session that is unpaid, and hands the webview session to the recovery where the session
    /// was paid with.
    ///
    /// - Throws: What the store says.
    func reclaim(
        _ webviewSession: WebviewSessionID,
        _ payment: WebviewSessionPayment?,
        by caller: Caller
    ) async throws(Failure) -> Reclaim {
        guard let checkoutSession = payment?.orderReference, let total = payment?.total else { return .notPaid }
        switch await checkout.outcome(ofSession: checkoutSession, total: total) {
        case .completed(let paid), .alreadyCompleted(let paid), .pending(let paid):
            if case .refused = await checkout.status(of: paid) { return .nothingHeld }
        case .unknown(let error) where error.isHeldBack: return .heldBack
        default: return .notPaid
        }
        let isDone = try await Failure.mapErrors {
            try await operations.broker.reclaim(webviewSession, session: checkoutSession, reason: "charge", by: caller)
        }
        return isDone ? .done : .notPaid
    }
}
