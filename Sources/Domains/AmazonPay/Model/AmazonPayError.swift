/// A call to Amazon Pay that did not do what it was to do.
package struct AmazonPayError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// What went wrong, for programs.
    package enum Code: Sendable, Hashable {
        /// The service refused; see reason and status.
        case refused
        /// Nothing took effect: no connection, no signature, too many calls. A new call is safe, with any key.
        case notSent
        /// The service was asked and gave no usable answer: what happened there is not known.
        case outcomeUnknown
        /// The service agreed, with a body that cannot be read.
        case unreadable
    }

    /// What may be done about a failed call.
    package enum Retry: Sendable, Hashable {
        /// Nothing: the same call fails again.
        case never
        /// The same call again with the same idempotency key.
        case sameKey
        /// Ask the buyer, then a new attempt with a new key.
        case newAttempt
    }

    /// What went wrong, for programs.
    package let code: Code
    /// The HTTP status; `nil` where there was no answer.
    package let status: Int?
    /// The vendor's reason; `nil` where the answer named none.
    package let reason: ReasonCode?
    /// `x-amz-pay-request-id` of the answer, for the vendor's support.
    package let requestID: String?
    /// Whether the call did not go out because as many of its asker waited as may: others are not concerned.
    package let isCrowded: Bool
    /// Whether the call had no turn under the account's limits: no try of it has left this machine.
    ///
    /// Never true of a call of which anything may have left. What calls before this one brought is another matter.
    package let isHeldBack: Bool
    /// For operators; never sent to a client, holds no personal data.
    package let detail: String

    /// A failure.
    ///
    /// - Parameters:
    ///   - requestID: `x-amz-pay-request-id`.
    ///   - isCrowded: Whether as many of the asker waited as may.
    ///   - isHeldBack: Whether the call had no turn.
    package init(
        _ code: Code,
        status: Int? = nil,
        reason: ReasonCode? = nil,
        requestID: String? = nil,
        isCrowded: Bool = false,
        isHeldBack: Bool = false,
        detail: String = ""
    ) {
        self.code = code
        self.status = status
        self.reason = reason
        self.requestID = requestID
        self.isCrowded = isCrowded
        self.isHeldBack = isHeldBack
        self.detail = detail
    }

    /// What may be done about it: by reason first, by status second, for older plugins saw known reasons under other statuses.
    package var retry: Retry {
        switch code {
        case .notSent, .outcomeUnknown, .unreadable: .sameKey
        case .refused: AmazonPayError.retry(status: status ?? 0, reason: reason)
        }
    }

    /// What may be done about an answer of the service.
    ///
    /// - Parameters:
    ///   - reason: The vendor's reason, if the answer could be read.
    /// - Returns: The class of the vendor's table.
    package static func retry(status: Int, reason: ReasonCode?) -> Retry {
        switch reason {
        case .softDeclined, .transactionTimedOut: return .newAttempt
        case .requestTimeout, .tooManyRequests, .internalServerError, .processingFailure, .serviceUnavailable:
            return .sameKey
        default: break
        }
        switch status {
        case 408, 425, 429, 500...599: return .sameKey
        default: return .never
        }
    }

    /// Whether a session was refused for its state, by reason first: it may be too early for the call or too late, and only the
    /// session says which.
    package var isAboutState: Bool {
        guard code == .refused else { return false }
        return reason == .invalidCheckoutSessionStatus || reason == .checkoutSessionCanceled || status == 422
    }

    /// The code and the vendor's words for it; safe in a log.
    package var description: String {
        let parts = ["\(code)", status.map { "\($0)" }, reason?.rawValue].compactMap(\.self)
        return parts.joined(separator: " ")
    }

    package var debugDescription: String {
        description + (requestID.map { " request \($0)" } ?? "") + (detail.isEmpty ? "" : ": " + detail)
    }
}
