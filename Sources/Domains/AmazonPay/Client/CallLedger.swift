import HTTPCore
package import Primitives

/// When a failed call is tried again.
package struct RetryPolicy: Sendable {
    /// How many tries there are in all, not counting those that were answered 429 or 425.
    package var tries = 3
    /// From nothing to the bound ("full jitter").
    package var backoff = Backoff(base: .milliseconds(200), cap: .seconds(5))

    /// The policy in production.
    package init() {}
}

/// What happened to one call over all of its tries, and what to do next.
///
/// A value: no I/O, no clock.
struct CallLedger {
    enum Step {
        /// The service has spoken.
        case finish(APIAnswer)
        /// Sign again with the service's clock, at once.
        case signAgain(at: WallTime)
        /// Try again after a pause.
        case tryAgain
        /// The service has no room now: try again after a pause, not shorter than what it says, if there is time for that.
        case tryLater(AmazonPayError, notBefore: Duration)
        /// Enough.
        case giveUp(AmazonPayError)
    }

    private let policy: RetryPolicy
    private(set) var failures = 0
    /// How often the service had no room.
    private(set) var throttlings = 0
    private var hasSignedAgain = false
    private let operation: AmazonPayOperation
    /// How many answers said that processing had failed.
    private var processingFailures = 0
    /// The last refusal, for operators.
    private var refusal: APIAnswer?
    /// Whether a call before this one may have had its effect.
    private let beganInDoubt: Bool
    /// Whether any try may have had its effect without our knowing.
    private(set) var mayHaveTakenEffect: Bool
    /// Whether a try was made, whatever became of it.
    private var hasTried = false

    init(_ operation: AmazonPayOperation, _ policy: RetryPolicy, mayHaveTakenEffect: Bool) {
        self.operation = operation
        self.policy = policy
        beganInDoubt = mayHaveTakenEffect
        self.mayHaveTakenEffect = mayHaveTakenEffect
    }

    /// How far clocks may differ before a refused date is blamed on it.
    private static let tolerableSkew = Duration.seconds(5)

    /// How many such answers, and no other, are a decline: a charge that is made anew can be found by no question.
    ///
    /// Behind a lost answer they say nothing: the charge that the first try made is not what they are about.
    private static let declineAfter = 3

    /// Takes down an answer.
    mutating func answered(_ answer: APIAnswer, ourTime: WallTime) -> Step {
        hasTried = true
        if let time = skewedTime(answer, ourTime) {
            hasSignedAgain = true
            return .signAgain(at: time)
        }
        // By status alone: a reason cannot turn an answer that is final into one that is not.
        guard AmazonPayError.retry(status: answer.status, reason: nil) == .sameKey else { return .finish(answer) }
        guard !answer.isThrottled else {
            throttlings += 1
            refusal = answer
            return .tryLater(answer.error(code), notBefore: answer.retryAfter(at: ourTime) ?? .zero)
        }
        mayHaveTakenEffect = true
        if answer.reason == .processingFailure { processingFailures += 1 }
        if isDecline {
            mayHaveTakenEffect = false
            return .finish(answer)
        }
        return failed(answer.error(code))
    }

    private var isDecline: Bool {
        guard operation == .createCharge, !beganInDoubt else { return false }
        return processingFailures == CallLedger.declineAfter && failures < processingFailures
    }

    /// Takes down a failure of the network.
    mutating func broke(_ error: HTTPExchangeError) -> Step {
        hasTried = true
        if error.code != .connectFailed { mayHaveTakenEffect = true }
        return failed(AmazonPayError(code, detail: "\(error)"))
    }

    /// The code of a call that ends here without an answer.
    var code: AmazonPayError.Code { mayHaveTakenEffect ? .outcomeUnknown : .notSent }

    /// A call ends because there is no time for another try.
    func noTime(_ operation: AmazonPayOperation) -> AmazonPayError {
        let detail = "no time left for \(operation.label)"
        return refusal?.error(code, detail) ?? AmazonPayError(code, detail: detail)
    }

    /// A call ends because the account's limits leave it no turn in its time.
    func noTurn(_ operation: AmazonPayOperation, isCrowded: Bool) -> AmazonPayError {
        guard isCrowded || !hasTried else { return noTime(operation) }
        let detail = isCrowded ? "too many of one asker wait" : "no turn for \(operation.label)"
        return AmazonPayError(code, isCrowded: isCrowded, isHeldBack: !hasTried, detail: detail)
    }

    /// The end of a call without an answer.
    func report(_ error: AmazonPayError) -> CallReport {
        CallReport(result: .failure(error), mayHaveTakenEffect: mayHaveTakenEffect)
    }

    private mutating func failed(_ error: AmazonPayError) -> Step {
        failures += 1
        return failures < policy.tries ? .tryAgain : .giveUp(error)
    }

    /// The service's time, where it refuses our date and the clocks do differ.
    private func skewedTime(_ answer: APIAnswer, _ ourTime: WallTime) -> WallTime? {
        guard !hasSignedAgain, answer.status == 400, answer.reason == .invalidHeaderValue, let theirs = answer.date,
            theirs + CallLedger.tolerableSkew < ourTime || ourTime + CallLedger.tolerableSkew < theirs
        else { return nil }
        return theirs
    }
}
