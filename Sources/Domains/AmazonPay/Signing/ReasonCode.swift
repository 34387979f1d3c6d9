import Primitives

/// A reason in the vendor's words: of a refused call, or of an object's state.
///
/// Codes that the vendor adds survive as text.
package struct ReasonCode: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The vendor's spelling, for example `InvalidHeaderValue`.
    package let rawValue: String

    /// A reason from an answer, or `nil` for a text that is no code and should not end up in a log.
    init?(wire text: String) {
        guard !text.isEmpty, text.utf8.count <= 64, text.utf8.allSatisfy(Characters.isAlphanumeric) else { return nil }
        rawValue = text
    }

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package init(stringLiteral value: String) {
        self.rawValue = value
    }

    package static func == (one: ReasonCode, other: ReasonCode) -> Bool { one.rawValue.octets == other.rawValue.octets }

    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue.octets) }

    package var description: String { rawValue }
}

// The codes that this program acts upon or answers with. The vendor's pages on error handling and on checkout sessions.
extension ReasonCode {
    /// 400: a mandatory header did not come.
    package static let missingHeader: ReasonCode = "MissingHeader"
    /// 400: a mandatory header is empty.
    package static let missingHeaderValue: ReasonCode = "MissingHeaderValue"
    /// 400: a header is malformed, or its date too far off.
    package static let invalidHeaderValue: ReasonCode = "InvalidHeaderValue"
    /// 400: the idempotency key was used for another request.
    package static let duplicateIdempotencyKey: ReasonCode = "DuplicateIdempotencyKey"
    /// 400: the amount's currency is not the session's.
    package static let currencyMismatch: ReasonCode = "CurrencyMismatch"
    /// 403: the key id is not known.
    package static let invalidAuthentication: ReasonCode = "InvalidAuthentication"
    /// 403: the account may not do this.
    package static let invalidAccountStatus: ReasonCode = "InvalidAccountStatus"
    /// 403: the signature is not good.
    package static let invalidRequestSignature: ReasonCode = "InvalidRequestSignature"
    /// 404: no such object, or one of the other environment.
    package static let resourceNotFound: ReasonCode = "ResourceNotFound"
    /// 408.
    package static let requestTimeout: ReasonCode = "RequestTimeout"
    /// 409: the amount is not the session's.
    package static let amountMismatch: ReasonCode = "AmountMismatch"
    /// 422: the session is not in a state for this call.
    package static let invalidCheckoutSessionStatus: ReasonCode = "InvalidCheckoutSessionStatus"
    /// 422: the session was cancelled.
    package static let checkoutSessionCanceled: ReasonCode = "CheckoutSessionCanceled"
    /// 422: the card cannot be used for this payment.
    package static let paymentMethodNotAllowed: ReasonCode = "PaymentMethodNotAllowed"
    /// 422: the buyer has not finished an identity check.
    package static let mfaNotCompleted: ReasonCode = "MFANotCompleted"
    /// 422: Amazon refused the payment.
    package static let amazonRejected: ReasonCode = "AmazonRejected"
    /// 422: the bank refused the payment for good.
    package static let hardDeclined: ReasonCode = "HardDeclined"
    /// 422: the bank refused the payment for now.
    package static let softDeclined: ReasonCode = "SoftDeclined"
    /// 422: the bank did not answer in time.
    package static let transactionTimedOut: ReasonCode = "TransactionTimedOut"
    /// 429.
    package static let tooManyRequests: ReasonCode = "TooManyRequests"
    /// 500.
    package static let internalServerError: ReasonCode = "InternalServerError"
    /// 500.
    package static let processingFailure: ReasonCode = "ProcessingFailure"
    /// 503.
    package static let serviceUnavailable: ReasonCode = "ServiceUnavailable"

    /// Of a cancelled session: the payment was refused.
    package static let declined: ReasonCode = "Declined"
    /// Of a cancelled session: the buyer gave up.
    package static let buyerCanceled: ReasonCode = "BuyerCanceled"
    /// Of a cancelled session: Amazon gave up.
    package static let amazonCanceled: ReasonCode = "AmazonCanceled"
    /// Of a cancelled session: 24 hours have passed.
    package static let expired: ReasonCode = "Expired"
}
