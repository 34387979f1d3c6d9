import AmazonPay
import CheckoutCodes
import MerchantAPI
import MerchantOrders
import Primitives
import SessionBroker
import Telemetry
import Web

/// The right to ask the provider about a purchase, and what is known here of what to send.
struct PurchaseLease {
    let attempt: PurchaseAttempt
    /// What finalizes a checkout that an app started; without it such a purchase is only looked at.
    let facts: MobileFacts?
    /// For the audit trail.
    let caller: Caller
    /// What it was before the recovery took it over; `nil` where a request has it, which the recovery does not count.
    var overdue: OverduePurchase?
}

/// Purchases as operations of the engine: complete, and finalize for apps that started the checkout by themselves.
///
/// Every repeat of a call carries the same idempotency key; a new key is used only for a new numbered attempt, and that only
/// after the provider has said that the last one had no effect.
final class PurchaseOperations: PaymentOperations {
    let broker: Broker
    private let checkout: CheckoutService
    private let polls: PollCounters
    private let wakePolls: () -> Void
    private let logger: Logger

    typealias Reply = PaymentReply<AttemptOutcome, [UInt8]>

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

    // MARK: The provider

    func ask(_ lease: PurchaseLease, _ turn: PaymentTry) async throws(Failure) -> Reply {
        let attempt = lease.attempt
        guard let outcome = await outcome(lease, turn) else {
            // It is not placed again, although nothing has happened so far: what was sent before may still arrive. The
            // merchant's next request sends the same octets under the same key.
            let failure = Failure(waitingFor: attempt, "open, and left to the merchant", retryAfter: 2)
            return .unknown(UnknownOutcome(failure, endsLease: true))
        }
        switch outcome {
        case .completed(let session), .alreadyCompleted(let session): return authorized(attempt, session)
        case .pending(let session): return await pending(attempt, session, turn)
        case .declined(let reason): return declined(attempt, reason.rawValue)
        case .canceled(let reason): return declined(attempt, reason?.rawValue ?? "Canceled")
        case .notReady: return .notReady(Failure(.notReady, session: attempt.webviewSession))
        case .notSent(let error): return noEffect(attempt, error.debugDescription, isHeldBack: error.isHeldBack)
        case .rejected(let error):
            logger.error("purchase.rejected", attempt.fields(error.debugDescription))
            // An earlier call of the attempt may have got through, and the provider will never say so.
            if turn != .first, error.isAboutNothing, try await isMissing(attempt) {
                return .stuck(.gone, unknown(attempt, error.debugDescription).failure)
            }
            return noEffect(attempt, error.debugDescription)
        case .amountMismatch:
            logger.error("purchase.amount_mismatch", attempt.fields("the session holds another amount than the order"))
            guard turn == .first else { return .stuck(.amount, unknown(attempt, "amount mismatch").failure) }
            // Another checkout can succeed, which the buyer may start once this one is declined.
            return declined(attempt, ReasonCode.amountMismatch.rawValue)
        case .completedOtherwise:
            // Money was taken: the webview session is never placed again, where it could end as unpaid.
            let detail = "completed with another amount than the order's"
            logger.error("purchase.amount_mismatch", attempt.fields(detail))
            return .stuck(.amount, unknown(attempt, detail).failure)
        case .unknown(let error):
            logger.warning("purchase.unknown", attempt.fields(error.debugDescription))
            return .unknown(unknown(attempt, error.debugDescription, isHeldBack: error.isHeldBack))
        }
    }

    /// `nil` where the session is open still, and nobody is here who knows what to send, or may send it.
    private func outcome(_ lease: PurchaseLease, _ turn: PaymentTry) async -> CompleteOutcome? {
        let attempt = lease.attempt
        // The last try sends nothing: it reads the session, which has come to its own end by then.
        guard turn != .last else { return await checkout.outcome(of: attempt) }
        let isRecovery = turn == .recovery
        guard attempt.client == .mobileApp else {
            return await checkout.complete(attempt, isRecovery: isRecovery, by: lease.caller)
        }
        guard let facts = lease.facts else { return await checkout.outcome(of: attempt) }
        return await checkout.finalize(attempt, facts, isRecovery: isRecovery, by: lease.caller)
    }

    private func authorized(_ attempt: PurchaseAttempt, _ session: CheckoutSession) -> Reply {
        let answer = PurchaseAnswer.body(attempt.orderNumber)
        let authorization = Authorization(
            answer: answer,
            chargePermission: session.chargePermissionID,
            charge: session.chargeID,
            isCapturing: session.paymentIntent?.octets == "AuthorizeWithCapture",
            isNamed: session.isNamed(for: attempt.webviewSession),
            request: session.requestID
        )
        return .settled(.authorized(authorization), .success(answer))
    }

    private func declined(_ attempt: PurchaseAttempt, _ reason: String) -> Reply {
        let failure = Failure(.paymentDeclined, reason, session: attempt.webviewSession)
        return .settled(.declined(reason: reason), .failure(failure))
    }

    /// A payment that the provider agreed to before the bank had spoken is paid only once the charge says so.
    private func pending(
        _ attempt: PurchaseAttempt,
        _ session: CheckoutSession,
        _ turn: PaymentTry
    ) async -> Reply {
        switch await checkout.status(of: session) {
        case .held: return authorized(attempt, session)
        case .refused(let reason): return declined(attempt, reason)
        case .undecided(let detail, let isHeldBack):
            logger.warning("purchase.pending", attempt.fields(detail))
            if turn != .last { await notePending(attempt) }
            return .unknown(unknown(attempt, detail, isHeldBack: isHeldBack))
        }
    }

    private func noEffect(_ attempt: PurchaseAttempt, _ detail: String, isHeldBack: Bool = false) -> Reply {
        .noEffect(
            Failure(.providerFailed, detail, session: attempt.webviewSession),
            or: unknown(attempt, detail, isHeldBack: isHeldBack)
        )
    }

    private func unknown(_ attempt: PurchaseAttempt, _ detail: String, isHeldBack: Bool = false) -> UnknownOutcome {
        let failure = Failure(waitingFor: attempt, detail, retryAfter: 10)
        return UnknownOutcome(failure, endsLease: false, isHeldBack: isHeldBack)
    }

    // MARK: The store

    func settle(_ lease: PurchaseLease, as end: AttemptOutcome) async throws(Failure) -> Bool {
        try await Failure.mapErrors { try await broker.settle(lease.attempt, as: end, by: lease.caller) }
    }

    func release(_ lease: PurchaseLease, because failure: Failure) async throws(Failure) -> Bool {
        try await Failure.mapErrors { try await broker.release(lease.attempt, by: lease.caller) }
    }

    func expireLease(_ lease: PurchaseLease, because failure: Failure) async throws(Failure) -> Bool {
        try await Failure.mapErrors { try await broker.expireLease(lease.attempt, by: lease.caller) }
    }

    /// The lease of a request ends by itself, as after any other try of it: whoever repeats it at once would be held back again.
    func putBack(_ lease: PurchaseLease, because failure: Failure) async throws(Failure) -> Bool {
        logger.info("purchase.held_back", lease.attempt.fields(failure.detail))
        guard let overdue = lease.overdue else { return true }
        return try await Failure.mapErrors { try await broker.putBack(lease.attempt, overdue, by: lease.caller) }
    }

    func giveUp(
        _ lease: PurchaseLease,
        _ reason: GiveUpReason,
        because failure: Failure
    ) async throws(Failure) -> Failure? {
        let held = try await Failure.mapErrors {
            try await broker.giveUp(lease.attempt, reason: reason.rawValue, by: lease.caller)
        }
        guard held else { return nil }
        polls.count(.session, reason == .gone ? .gone : .ended)
        logger.error("purchase.stuck", lease.attempt.fields(reason.rawValue))
        return Failure(waitingFor: lease.attempt, "given up: \(reason.rawValue)", retryAfter: 60)
    }

    func noteSettled(_ lease: PurchaseLease, as end: AttemptOutcome) async {
        switch end {
        case .authorized(let authorization):
            // What was taken is known once the charge is read; nobody has to wait for the provider's message to refund it. A
            // permission that closes by itself once everything is taken has to be named before.
            if authorization.isCapturing || !authorization.isNamed { wakePolls() }
            logger.info("purchase.authorized", lease.attempt.fields(authorization.chargePermission ?? ""))
        case .declined(let reason): logger.info("purchase.declined", lease.attempt.fields(reason))
        }
    }

    func lost(_ lease: PurchaseLease) -> Failure {
        logger.warning("purchase.lease_lost", lease.attempt.fields(""))
        return Failure(waitingFor: lease.attempt, "the lease was lost")
    }

    /// Lets merchants know; where that fails, the next look notes it.
    private func notePending(_ attempt: PurchaseAttempt) async {
        do throws(StoreError) {
            try await broker.store.notePending(attempt)
        } catch {
            logger.warning("purchase.not_noted", attempt.fields(error.debugDescription))
        }
    }

    /// Whether the provider has denied the session for an hour: one 404 may be of a key or an account that was wrong for a
    /// minute.
    private func isMissing(_ attempt: PurchaseAttempt) async throws(Failure) -> Bool {
        try await Failure.mapErrors { try await broker.store.noteMissing(attempt) }
    }
}

extension PurchaseAttempt {
    fileprivate func fields(_ detail: String) -> [LogField] {
        [
            LogField("webview_session", webviewSession.description), LogField("order", orderNumber.description),
            LogField("attempt", number), LogField("detail", detail),
        ]
    }
}

extension AmazonPayError {
    /// Whether the provider does not know what it was asked about: it never did, or has deleted it.
    package var isAboutNothing: Bool { code == .refused && (status == 404 || reason == .resourceNotFound) }
}
