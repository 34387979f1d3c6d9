import AmazonPay
import CheckoutCodes
import MerchantAPI
import MerchantOrders
import Primitives
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
/// The order is fixed: the store gives the lease, the provider is called outside any transaction, the store takes the result
/// under the lease's attempt id. Every repeat of a call carries the same idempotency key; a new key is used only for a new
/// numbered attempt, and that only after the provider has said that the last one had no effect. What no question can bring to
/// its end is given up: it stays under way for people to look at, and nobody asks again.
package final class PurchaseService {
    private let broker: Broker
    private let checkout: CheckoutService
    private let polls: PollCounters
    private let wakePolls: () -> Void
    private let logger: Logger

    /// A service for one loop.
    ///
    /// - Parameters:
    ///   - broker: The state machine.
    ///   - checkout: The provider.
    ///   - polls: Count what became of recoveries.
    ///   - wakePolls: Reads soon what is due to be read.
    ///   - logger: For recoveries, unknown outcomes and lost leases.
    init(
        broker: Broker,
        checkout: CheckoutService,
        polls: PollCounters,
        wakePolls: @escaping () -> Void,
        logger: Logger
    ) {
        self.broker = broker
        self.checkout = checkout
        self.polls = polls
        self.wakePolls = wakePolls
        self.logger = logger
    }

    /// Carries out `POST /purchase`.
    ///
    /// - Parameters:
    ///   - request: Both halves.
    ///   - facts: Of a checkout that an app started: it is finalized. Without them such a purchase is only looked at.
    ///   - caller: For the audit trail.
    /// - Returns: The answer, or the ticket of the second opening.
    /// - Throws: The contract's code for everything else.
    package func purchase(
        _ request: PurchaseRequest,
        _ facts: MobileFacts? = nil,
        by caller: Caller
    ) async throws(Failure) -> PurchaseOutcome {
        let verdict = try await mapErrors { (broker) async throws(StoreError) in
            try await broker.purchase(request, by: caller)
        }
        switch verdict {
        case .begin(let attempt):
            do throws(Failure) {
                try checkout.count(.purchase, of: attempt.webviewSession)
            } catch {
                try await release(attempt, by: caller)
                throw error
            }
            return .done(try await complete(attempt, facts, .first, by: caller))
        case .recover(let attempt): return .done(try await complete(attempt, facts, .recovery, by: caller))
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
    /// - Parameters:
    ///   - purchase: Found among the overdue ones.
    ///   - caller: For the audit trail.
    /// - Throws: What the store says; the provider's word is only logged.
    func recover(_ purchase: OverduePurchase, by caller: Caller) async throws(Failure) {
        let isOver = PollSchedule.next(.stuckPurchase, polls: purchase.recoveries, age: purchase.age) == nil
        let pause = PollSchedule.next(.stuckPurchase, polls: purchase.recoveries + 1, age: purchase.age)
        let attempt = try await mapErrors { (broker) async throws(StoreError) in
            try await broker.takeOver(purchase.webviewSession, pause: pause ?? .zero, by: caller)
        }
        guard let attempt else { return }
        var outcome = "authorized"
        do throws(Failure) {
            _ = try await complete(attempt, nil, isOver ? .last : .recovery, by: caller)
        } catch {
            outcome = error.code.name
        }
        polls.count(.session, outcome == FailureCode.purchaseInProgress.name ? .same : .changed)
        let order = LogField("order", OrderNumber(purchase.webviewSession).description)
        logger.info(
            "purchase.recovered",
            [LogField("flow", purchase.webviewSession.description), order, LogField("outcome", outcome)]
        )
    }

    /// Reads the session of a purchase that was given up, sends nothing, and hands the purchase back to the recovery where the
    /// session has come to its end.
    ///
    /// - Parameters:
    ///   - webviewSession: The webview session.
    ///   - payment: The stored state of its payment.
    ///   - caller: For the audit trail.
    /// - Returns: Whether it was handed back.
    /// - Throws: What the store says.
    func reread(
        _ webviewSession: WebviewSessionID,
        _ payment: WebviewSessionPayment?,
        by caller: Caller
    ) async throws(Failure) -> Bool {
        guard let checkoutSession = payment?.orderReference, let total = payment?.total else { return false }
        switch await checkout.outcome(ofSession: checkoutSession, total: total) {
        case .completed, .alreadyCompleted, .pending, .declined, .cancelled: break
        case nil, .notReady, .amountMismatch, .completedOtherwise, .notSent, .unknown, .rejected: return false
        }
        let isDone = try await mapErrors { (broker) async throws(StoreError) in
            try await broker.resume(webviewSession, reason: "reread", by: caller)
        }
        if isDone { logger.info("purchase.resumed", [LogField("flow", webviewSession.description)]) }
        return isDone
    }

    /// What came of a webview session that was read because a charge bears its mark.
    enum Reclaim {
        /// Its session was paid with, and the webview session was handed to the recovery.
        case done
        /// Its session was paid with, and the charge holds nothing any more.
        case nothingHeld
        /// Its session was not paid with, or the provider gives no answer, or the webview session is not to be paid any more.
        case notPaid
    }

    /// Reads the session of a webview session that is unpaid, and hands the webview session to the recovery where the session
    /// was paid with.
    ///
    /// - Parameters:
    ///   - webviewSession: The webview session.
    ///   - payment: The stored state of its payment.
    ///   - caller: For the audit trail.
    /// - Returns: What came of it.
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
        default: return .notPaid
        }
        let isDone = try await mapErrors { (broker) async throws(StoreError) in
            try await broker.reclaim(webviewSession, session: checkoutSession, reason: "charge", by: caller)
        }
        return isDone ? .done : .notPaid
    }

    // MARK: Under the lease

    /// Which call of an attempt it is.
    private enum Turn {
        /// Nothing was sent before.
        case first
        /// An earlier call may have got through.
        case recovery
        /// The same, and no other follows: what stays unknown is given up.
        case last
    }

    private func complete(
        _ attempt: PurchaseAttempt,
        _ facts: MobileFacts?,
        _ turn: Turn,
        by caller: Caller
    ) async throws(Failure) -> [UInt8] {
        guard let outcome = await ask(attempt, facts, turn) else {
            if turn == .last { throw try await giveUp(attempt, .time, by: caller) }
            throw try await leavePending(attempt, by: caller)
        }
        switch outcome {
        case .completed(let checkoutSession), .alreadyCompleted(let checkoutSession):
            return try await authorize(attempt, checkoutSession, by: caller)
        case .pending(let checkoutSession):
            return try await concludePending(attempt, checkoutSession, turn, by: caller)
        case .declined(let reason):
            throw try await decline(attempt, reason.rawValue, by: caller)
        case .cancelled(let reason):
            throw try await decline(attempt, reason?.rawValue ?? "Canceled", by: caller)
        case .notReady:
            try await release(attempt, by: caller)
            throw Failure(.notReady, session: attempt.webviewSession)
        case .notSent(let error):
            throw try await giveBack(attempt, turn, error.debugDescription, by: caller)
        case .rejected(let error):
            logger.error("purchase.rejected", fields(attempt, error.debugDescription))
            // An earlier call of the attempt may have got through, and the provider will never say so.
            if turn != .first, error.isAboutNothing, try await isMissing(attempt) {
                throw try await giveUp(attempt, .gone, by: caller)
            }
            throw try await giveBack(attempt, turn, error.debugDescription, by: caller)
        case .amountMismatch:
            logger.error("purchase.amount_mismatch", fields(attempt, "the session holds another amount than the order"))
            if turn != .first { throw try await giveUp(attempt, .amount, by: caller) }
            throw try await giveBack(attempt, turn, "amount mismatch", by: caller)
        case .completedOtherwise:
            // Money was taken: the webview session is never placed again, where it could end as unpaid.
            logger.error("purchase.amount_mismatch", fields(attempt, "completed with another amount than the order's"))
            throw try await giveUp(attempt, .amount, by: caller)
        case .unknown(let error):
            // The lease stays: the next caller after its end asks the provider first.
            logger.warning("purchase.unknown", fields(attempt, error.debugDescription))
            if turn == .last { throw try await giveUp(attempt, .time, by: caller) }
            throw Failure(.purchaseInProgress, error.debugDescription, session: attempt.webviewSession, retryAfter: 10)
        }
    }

    /// Asks the provider: `nil` where the session is open still, and nobody is here who knows what to send, or may send it.
    private func ask(_ attempt: PurchaseAttempt, _ facts: MobileFacts?, _ turn: Turn) async -> CompleteOutcome? {
        guard turn != .last else { return await checkout.outcome(of: attempt) }
        let isRecovery = turn == .recovery
        guard attempt.client == .mobileApp else { return await checkout.complete(attempt, isRecovery: isRecovery) }
        guard let facts else { return await checkout.outcome(of: attempt) }
        return await checkout.finalize(attempt, facts, isRecovery: isRecovery)
    }

    /// Leaves a purchase under way to the merchant's next request, which sends the same octets under the same key.
    ///
    /// It is not placed again, although nothing has happened so far: what was sent before may still arrive, and until the
    /// provider has ended the session nothing else may become of the webview session.
    ///
    /// - Returns: The failure to throw.
    private func leavePending(_ attempt: PurchaseAttempt, by caller: Caller) async throws(Failure) -> Failure {
        let held = try await mapErrors { (broker) async throws(StoreError) in
            try await broker.expireLease(attempt, by: caller)
        }
        guard held else { throw lost(attempt) }
        return Failure(
            .purchaseInProgress,
            "open, and left to the merchant",
            session: attempt.webviewSession,
            retryAfter: 2
        )
    }

    private func authorize(
        _ attempt: PurchaseAttempt,
        _ checkoutSession: CheckoutSession,
        by caller: Caller
    ) async throws(Failure) -> [UInt8] {
        let body = PurchaseAnswer.body(attempt.orderNumber)
        let isCapturing = checkoutSession.paymentIntent == "AuthorizeWithCapture"
        let end = AttemptOutcome.authorized(
            Authorization(
                answer: body,
                chargePermission: checkoutSession.chargePermissionID,
                charge: checkoutSession.chargeID,
                isCapturing: isCapturing,
                request: checkoutSession.requestID
            )
        )
        try await settle(attempt, end, by: caller)
        // What was taken is known once the charge is read; nobody has to wait for the provider's message to refund it.
        if isCapturing { wakePolls() }
        logger.info("purchase.authorized", fields(attempt, checkoutSession.chargePermissionID ?? ""))
        return body
    }

    /// Settles a payment that the provider agreed to before the bank had spoken: it is paid only once the charge says so.
    private func concludePending(
        _ attempt: PurchaseAttempt,
        _ checkoutSession: CheckoutSession,
        _ turn: Turn,
        by caller: Caller
    ) async throws(Failure) -> [UInt8] {
        switch await checkout.status(of: checkoutSession) {
        case .held:
            return try await authorize(attempt, checkoutSession, by: caller)
        case .refused(let reason):
            throw try await decline(attempt, reason, by: caller)
        case .undecided(let detail):
            // The lease stays: the next caller after its end asks the provider again.
            logger.warning("purchase.pending", fields(attempt, detail))
            if turn == .last { throw try await giveUp(attempt, .time, by: caller) }
            await notePending(attempt)
            throw Failure(.purchaseInProgress, detail, session: attempt.webviewSession, retryAfter: 10)
        }
    }

    /// Lets merchants know; where that fails, the next look notes it.
    private func notePending(_ attempt: PurchaseAttempt) async {
        do throws(StoreError) {
            try await broker.notePending(attempt)
        } catch {
            logger.warning("purchase.not_noted", fields(attempt, error.debugDescription))
        }
    }

    /// Settles a refused payment.
    ///
    /// - Returns: The failure to throw.
    private func decline(
        _ attempt: PurchaseAttempt,
        _ reason: String,
        by caller: Caller
    ) async throws(Failure) -> Failure {
        try await settle(attempt, .declined(reason: reason), by: caller)
        logger.info("purchase.declined", fields(attempt, reason))
        return Failure(.paymentDeclined, reason, session: attempt.webviewSession)
    }

    private func settle(_ attempt: PurchaseAttempt, _ end: AttemptOutcome, by caller: Caller) async throws(Failure) {
        let held = try await mapErrors { (broker) async throws(StoreError) in
            try await broker.settle(attempt, as: end, by: caller)
        }
        guard held else { throw lost(attempt) }
    }

    /// Gives the lease back after a call that had no effect.
    ///
    /// On a recovery an earlier call of the attempt may have had one: then the lease runs out, and nothing is claimed.
    ///
    /// - Returns: The failure to throw.
    private func giveBack(
        _ attempt: PurchaseAttempt,
        _ turn: Turn,
        _ detail: String,
        by caller: Caller
    ) async throws(Failure) -> Failure {
        if turn == .last { return try await giveUp(attempt, .time, by: caller) }
        guard turn == .first else {
            return Failure(.purchaseInProgress, detail, session: attempt.webviewSession, retryAfter: 10)
        }
        try await release(attempt, by: caller)
        return Failure(.providerFailed, detail, session: attempt.webviewSession)
    }

    /// Whether the provider has denied the session for an hour: one 404 may be of a key or an account that was wrong for a
    /// minute.
    private func isMissing(_ attempt: PurchaseAttempt) async throws(Failure) -> Bool {
        try await mapErrors { (broker) async throws(StoreError) in try await broker.noteMissing(attempt) }
    }

    /// Why a purchase is left to people.
    private enum GiveUpReason: String {
        /// The provider does not know the session.
        case gone
        /// The session was completed with another amount.
        case amount
        /// The provider was asked for as long as it makes sense.
        case time
    }

    /// Leaves a purchase to people: no further question will bring it to its end.
    ///
    /// - Returns: The failure to throw.
    private func giveUp(
        _ attempt: PurchaseAttempt,
        _ reason: GiveUpReason,
        by caller: Caller
    ) async throws(Failure) -> Failure {
        let held = try await mapErrors { (broker) async throws(StoreError) in
            try await broker.giveUp(attempt, reason: reason.rawValue, by: caller)
        }
        guard held else { throw lost(attempt) }
        polls.count(.session, reason == .gone ? .gone : .ended)
        logger.error("purchase.stuck", fields(attempt, reason.rawValue))
        return Failure(
            .purchaseInProgress,
            "given up: \(reason.rawValue)",
            session: attempt.webviewSession,
            retryAfter: 60
        )
    }

    private func release(_ attempt: PurchaseAttempt, by caller: Caller) async throws(Failure) {
        let held = try await mapErrors { (broker) async throws(StoreError) in
            try await broker.release(attempt, by: caller)
        }
        guard held else { throw lost(attempt) }
    }

    /// Somebody else took the lease over; what they find at the provider counts, not what this call saw.
    private func lost(_ attempt: PurchaseAttempt) -> Failure {
        logger.warning("purchase.lease_lost", fields(attempt, ""))
        return Failure(.purchaseInProgress, "the lease was lost", session: attempt.webviewSession)
    }

    private func fields(_ attempt: PurchaseAttempt, _ detail: String) -> [LogField] {
        [
            LogField("flow", attempt.webviewSession.description),
            LogField("order", OrderNumber(attempt.webviewSession).description),
            LogField("attempt", attempt.number), LogField("detail", detail),
        ]
    }

    /// The codes are those of `/v1`, where an unknown outcome has one of its own; pages show it as `unavailable`.
    private func mapErrors<Value>(
        _ body: (Broker) async throws(StoreError) -> Value
    ) async throws(Failure) -> Value {
        do throws(StoreError) {
            return try await body(broker)
        } catch {
            throw Failure(forMerchantAPI: error)
        }
    }
}

extension AmazonPayError {
    /// Whether the provider does not know what it was asked about: it never did, or has deleted it.
    package var isAboutNothing: Bool { code == .refused && (status == 404 || reason == .resourceNotFound) }
}
