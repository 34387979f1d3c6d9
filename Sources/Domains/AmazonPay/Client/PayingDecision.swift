/// Decides what the service's answers mean for a call that moves money.
///
/// The rules behind the table: an agreement is believed when its body is what was asked for. A refusal is believed when no
/// earlier try can have got through. Where the charge can be read, as it can before a capture, its state has the last word;
/// where nothing can be read, as with a charge or refund that may have been made, the same octets under the same key are the
/// only way back.
enum PayingDecision {
    enum NextStep<Object: PayingObject> {
        case settled(PayingOutcome<Object>)
        /// The charge is to be read, and its state weighed together with the answer.
        case readObject
    }

    /// What the call decides, with the charge where it was read afterwards.
    static func decide<Object: PayingObject>(
        _ report: CallReport,
        expected: PayingExpectation,
        reread: Result<Object, AmazonPayError>? = nil
    ) -> NextStep<Object> {
        switch report.result {
        case .failure(let error):
            .settled(error.code == .notSent ? .notSent(error) : .unknown(error))
        case .success(let answer) where answer.isSuccess:
            agreed(answer, expected, reread)
        case .success(let answer) where expected.operation == .capture:
            refusedCapture(answer, report.mayHaveTakenEffect, expected, reread)
        case .success(let answer):
            .settled(refusedCreation(answer, report.mayHaveTakenEffect, expected.operation))
        }
    }

    /// What a charge that was read decides by itself; `nil` while the call may be sent (again).
    static func found<Object: PayingObject>(
        _ read: Result<Object, AmazonPayError>,
        _ expected: PayingExpectation
    ) -> PayingOutcome<Object>? {
        switch read {
        case .success(let object):
            switch object.status(expected) {
            case .untouched: return nil
            case .unclear(let why): return .unknown(AmazonPayError(.outcomeUnknown, detail: why))
            case let status: return outcome(status, object) { AmazonPayError(.refused, reason: $0, detail: $1) }
            }
        case .failure(let error):
            // Never there, or of the other environment: no call will change that.
            if error.reason == .resourceNotFound { return .refused(error, nil) }
            return .unknown(
                AmazonPayError(.outcomeUnknown, detail: "the charge could not be read: \(error.debugDescription)")
            )
        }
    }

    private static func agreed<Object: PayingObject>(
        _ answer: APIAnswer,
        _ expected: PayingExpectation,
        _ reread: Result<Object, AmazonPayError>?
    ) -> NextStep<Object> {
        var doubt = "agreed, with a body that cannot be read"
        if var object = try? Object(json: answer.body) {
            object.requestID = answer.requestID
            let status = object.status(expected)
            let error = { (reason: ReasonCode?, detail: String) in
                AmazonPayError(
                    .refused,
                    status: answer.status,
                    reason: reason,
                    requestID: answer.requestID,
                    detail: detail
                )
            }
            if let outcome = outcome(status, object, error) { return .settled(outcome) }
            doubt = "agreed, with \(status)"
        }
        guard expected.operation == .capture else { return .settled(.unknown(answer.error(.unreadable, doubt))) }
        guard let reread else { return .readObject }
        // What was agreed to is there, also where it cannot be found at once.
        if case .failure(let error) = reread {
            return .settled(.unknown(answer.error(.outcomeUnknown, "\(doubt); read: \(error.debugDescription)")))
        }
        return .settled(found(reread, expected) ?? .unknown(answer.error(.outcomeUnknown, doubt)))
    }

    private static func refusedCapture<Object: PayingObject>(
        _ answer: APIAnswer,
        _ mayHaveTakenEffect: Bool,
        _ expected: PayingExpectation,
        _ reread: Result<Object, AmazonPayError>?
    ) -> NextStep<Object> {
        let isDoubtful = answer.status == 422 || answer.reason.map(doubtful.contains) ?? false
        guard mayHaveTakenEffect || isDoubtful else { return .settled(.refused(answer.error(.refused), nil)) }
        guard let reread else { return .readObject }
        if let outcome = found(reread, expected) {
            // The charge is over, and not by this call: other octets had the key.
            if answer.reason == .duplicateIdempotencyKey, case .refused(_, let object) = outcome {
                return .settled(.refused(answer.error(.refused), object))
            }
            return .settled(outcome)
        }
        if answer.reason == .duplicateIdempotencyKey {
            return .settled(.unknown(answer.error(.outcomeUnknown, "the key was used for other octets")))
        }
        // Refused before it was looked into: that says nothing of an earlier try, which may be under way still.
        guard isDoubtful || answer.status == 409 else {
            return .settled(.unknown(answer.error(.outcomeUnknown, "refused after a try that may have got through")))
        }
        var object: Object?
        if case .success(let read) = reread { object = read }
        return .settled(.refused(answer.error(.refused), object))
    }

    private static func refusedCreation<Object: PayingObject>(
        _ answer: APIAnswer,
        _ mayHaveTakenEffect: Bool,
        _ operation: AmazonPayOperation
    ) -> PayingOutcome<Object> {
        if answer.reason == .duplicateIdempotencyKey {
            return .unknown(answer.error(.outcomeUnknown, "the key was used for other octets"))
        }
        // The bank's word on these octets under this key, given now or kept from the first try: a charge that had been made
        // would have been the answer. Any other refusal may be of the repeat alone, which the first try itself can have caused.
        let isDecline = operation == .createCharge && answer.reason.map(declines.contains) ?? false
        guard mayHaveTakenEffect, !isDecline else { return .refused(answer.error(.refused), nil) }
        return .unknown(answer.error(.outcomeUnknown, "refused after a try that may have got through"))
    }

    /// Reasons that a charge has which the bank has declined.
    private static let declines: Set<ReasonCode> = [
        .amazonRejected, .hardDeclined, .softDeclined, .transactionTimedOut,
    ]

    /// Reasons behind which the charge may be in any state.
    private static let doubtful: Set<ReasonCode> = declines.union([
        .invalidChargeStatus, .duplicateIdempotencyKey, .paymentMethodNotAllowed, .mfaNotCompleted, .processingFailure,
    ])

    /// `nil` for an object that decides nothing.
    private static func outcome<Object: PayingObject>(
        _ status: PaymentObjectStatus,
        _ object: Object,
        _ error: (ReasonCode?, String) -> AmazonPayError
    ) -> PayingOutcome<Object>? {
        switch status {
        case .done: .done(object)
        case .pending: .pending(object)
        case .refused(let reason, let detail): .refused(error(reason, detail), object)
        case .untouched, .unclear: nil
        }
    }
}
