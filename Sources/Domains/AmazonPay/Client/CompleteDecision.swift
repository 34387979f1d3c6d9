import Commerce
import Primitives

/// Decides what the service's answers mean for a purchase.
///
/// The rule behind the table: an answer that does not say by itself that the charge is real, or that it cannot be, is not
/// believed; the session is read. Shops lost orders that were paid by cancelling on the 422 of a second complete.
enum CompleteDecision {
    enum NextStep {
        case done(CompleteOutcome)
        /// The session is to be read, and its state weighed together with this answer.
        case readSession(APIAnswer)
    }

    /// What the call alone decides.
    ///
    /// Where an earlier try may have got through, a refusal of the last one proves nothing.
    ///
    /// - Returns: The outcome where it is certain, or else that the session is to be read.
    static func decide(_ report: CallReport, of id: CheckoutSessionID, for amount: Money) -> NextStep {
        switch report.result {
        case .failure(let error):
            return .done(error.code == .notSent ? .notSent(error) : .unknown(error))
        case .success(let answer) where answer.isSuccess:
            return agreed(answer, id, amount)
        case .success(let answer):
            return report.mayHaveTakenEffect ? .readSession(answer) : refused(answer)
        }
    }

    /// What call and session together decide.
    static func decide(
        _ answer: APIAnswer,
        session: Result<CheckoutSession, AmazonPayError>,
        amount: Money,
        mayHaveTakenEffect: Bool
    ) -> CompleteOutcome {
        switch session {
        case .success(let session):
            if let outcome = closed(session, amount, refusal: answer.reason) {
                guard answer.isSuccess, case .alreadyCompleted(let session) = outcome else { return outcome }
                return completed(session, answer)
            }
            return stillOpen(answer, session, amount, mayHaveTakenEffect)
        case .failure(let error):
            return unread(answer, error, mayHaveTakenEffect)
        }
    }

    /// What a session decides by itself; `nil` while it is open: complete may be called (again).
    static func closed(_ session: CheckoutSession, _ amount: Money, refusal: ReasonCode? = nil) -> CompleteOutcome? {
        switch session.state {
        case .open:
            return nil
        case .completed:
            guard session.chargeAmount?.isReadable == true else {
                return .unknown(AmazonPayError(.unreadable, detail: "a completed session without an amount"))
            }
            guard session.isFor(amount) else { return .completedOtherwise }
            guard session.namesCharge else {
                return .unknown(AmazonPayError(.unreadable, detail: "a completed session without its ids"))
            }
            // Such a session is completed before the bank has decided: only the charge has the decision.
            return session.canHandlePendingAuthorization ? .pending(session) : .alreadyCompleted(session)
        case .canceled:
            guard session.reason == .declined else { return .canceled(session.reason) }
            // The refusal of the call is more precise than the state it left.
            return .declined(refusal.flatMap { declines.contains($0) ? $0 : nil } ?? .declined)
        case .unknown(let state):
            return .unknown(
                AmazonPayError(.unreadable, detail: "a session in an unknown state of \(state.utf8.count) bytes")
            )
        }
    }

    /// Reasons that mean: the buyer's payment was refused.
    private static let declines: Set<ReasonCode> = [
        .paymentMethodNotAllowed, .amazonRejected, .hardDeclined, .softDeclined, .transactionTimedOut,
    ]

    /// Reasons behind which the session may be in any state.
    private static let doubtful: Set<ReasonCode> = declines.union(amounts).union([
        .invalidCheckoutSessionStatus, .checkoutSessionCanceled, .mfaNotCompleted, .duplicateIdempotencyKey,
    ])

    /// Reasons that mean: the session holds another amount, which only the session itself confirms.
    private static let amounts: Set<ReasonCode> = [.amountMismatch, .currencyMismatch]

    /// A success speaks for itself only when its body is that of the session; the body need not repeat the amount.
    private static func agreed(_ answer: APIAnswer, _ id: CheckoutSessionID, _ amount: Money) -> NextStep {
        guard let session = try? CheckoutSession(json: answer.body), session.id == id, session.state == .completed
        else {
            return .readSession(answer)
        }
        if let told = session.chargeAmount, told.isReadable, told.money != amount { return .done(.completedOtherwise) }
        guard session.namesCharge else { return .readSession(answer) }
        return .done(completed(session, answer))
    }

    private static func completed(_ session: CheckoutSession, _ answer: APIAnswer) -> CompleteOutcome {
        let session = session.with(requestID: answer.requestID)
        return answer.status == 202 ? .pending(session) : .completed(session)
    }

    private static func refused(_ answer: APIAnswer) -> NextStep {
        // By reason first: known ones were seen under other statuses than documented.
        switch (answer.reason, answer.status) {
        case (let reason?, _) where doubtful.contains(reason): .readSession(answer)
        case (_, 422), (nil, 409): .readSession(answer)
        default: .done(.rejected(answer.error(.refused)))
        }
    }

    /// The session is open although the call was answered.
    private static func stillOpen(
        _ answer: APIAnswer,
        _ session: CheckoutSession,
        _ amount: Money,
        _ mayHaveTakenEffect: Bool
    ) -> CompleteOutcome {
        if answer.isSuccess {
            return .unknown(answer.error(.outcomeUnknown, "agreed, but the session is open"))
        }
        switch answer.reason {
        // Refused for the state of the moment: an earlier try that is under way still may find another one.
        case .invalidCheckoutSessionStatus, .mfaNotCompleted: return notReady(answer, mayHaveTakenEffect)
        case nil where answer.status == 422: return notReady(answer, mayHaveTakenEffect)
        // Only a session that says so itself can never be completed for this order.
        case .amountMismatch, .currencyMismatch,
            nil where answer.status == 409:
            guard session.chargeAmount?.isReadable != true || session.isFor(amount) else { return .amountMismatch }
            return refused(answer, mayHaveTakenEffect)
        case let reason? where declines.contains(reason): return .declined(reason)
        case .duplicateIdempotencyKey:
            return .unknown(answer.error(.outcomeUnknown, "the key was used for other octets"))
        // Refused before it was looked into: that says nothing of an earlier try, which may be under way still.
        case _ where answer.status != 409 && answer.status != 422: return refused(answer, mayHaveTakenEffect)
        default: return .rejected(answer.error(.refused))
        }
    }

    /// Refused for what the session does not explain.
    private static func refused(_ answer: APIAnswer, _ mayHaveTakenEffect: Bool) -> CompleteOutcome {
        guard mayHaveTakenEffect else { return .rejected(answer.error(.refused)) }
        return .unknown(answer.error(.outcomeUnknown, "refused after a try that may have got through"))
    }

    private static func notReady(_ answer: APIAnswer, _ mayHaveTakenEffect: Bool) -> CompleteOutcome {
        guard mayHaveTakenEffect else { return .notReady }
        return .unknown(answer.error(.outcomeUnknown, "not ready, after a try that may have got through"))
    }

    /// The session could not be read.
    private static func unread(
        _ answer: APIAnswer,
        _ error: AmazonPayError,
        _ mayHaveTakenEffect: Bool
    ) -> CompleteOutcome {
        // Never there, of the other environment, or deleted a month ago: no call will change that.
        if error.reason == .resourceNotFound, !answer.isSuccess { return .rejected(error) }
        if answer.reason == .checkoutSessionCanceled, !mayHaveTakenEffect { return .canceled(nil) }
        if let reason = answer.reason, amounts.contains(reason), !mayHaveTakenEffect {
            return .rejected(answer.error(.refused))
        }
        return .unknown(
            answer.error(.outcomeUnknown, "and the session could not be read: \(error.debugDescription)")
        )
    }
}
