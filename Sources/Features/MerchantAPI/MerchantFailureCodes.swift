import CheckoutCodes
import HTTPCore
package import Web

/// The codes of `/v1`: in the answer as `code`. Those of the checkout that merchants' programs meet as well are declared
/// there.
extension FailureCode {
    /// Every code of `/v1`, in the order of its description.
    package static let ofMerchantAPI: [FailureCode] = [
        .invalidRequest, .invalidAmount, .invalidCursor, .idempotencyKeyMissing, .idempotencyKeyInvalid,
        .unauthenticated, .scopeMissing, .browserNotAllowed, .notFound, .methodNotAllowed, .requestInProgress,
        .replayUnavailable, .requestTimeout,
        .contentTooLarge, .unsupportedMediaType, .idempotencyKeyReused, .rateLimited, .internalError, .unavailable,
        .currencyNotSupported, .sumMismatch, .returnURLNotAllowed, .postageCallbackNotAllowed, .tooManyWebviewSessions,
        .referenceHeld, .notReady, .purchaseInProgress, .paymentDeclined, .proofMismatch, .orderMismatch,
        .sessionOver, .alreadyPaid, .buyerUnavailable, .wrongState, .openCharges, .chargeBlocked, .amountExceeds,
        .tooManyCharges,
        .providerRefused, .providerFailed, .outcomeUnknown,
    ]

    // MARK: Of every route

    /// Of an amount in the content.
    package static let invalidAmount = FailureCode(
        "invalid_amount",
        .badRequest,
        "An amount has to be a decimal text that is valid for the order."
    )
    /// Of `after` of a list.
    package static let invalidCursor = FailureCode(
        "invalid_cursor",
        .badRequest,
        "`after` has to be a `nextCursor` of this list."
    )
    /// Of a POST.
    package static let idempotencyKeyMissing = FailureCode(
        "idempotency_key_missing",
        .badRequest,
        "A POST needs the field Idempotency-Key, with a word of its own."
    )
    /// Of a POST whose key is none.
    package static let idempotencyKeyInvalid = FailureCode(
        "idempotency_key_invalid",
        .badRequest,
        "The field Idempotency-Key has to come once, with 1 to 255 visible ASCII characters, bare or as a quoted string (RFC 8941)."
    )
    /// Of the key: missing, malformed, unknown and revoked look the same.
    package static let unauthenticated = FailureCode(
        "unauthenticated",
        .unauthorized,
        "The API key is unknown or no longer valid. Send it as Authorization: Bearer KEY."
    )
    /// Of a key that works, for another route.
    package static let scopeMissing = FailureCode(
        "scope_missing",
        .forbidden,
        "The API key does not have the scope for this request."
    )
    /// Of a request with `Origin`.
    package static let browserNotAllowed = FailureCode(
        "browser_not_allowed",
        .forbidden,
        "API keys must not be used in browsers: call from your server."
    )
    /// Of a POST whose like has not ended yet.
    package static let requestInProgress = FailureCode(
        "request_in_progress",
        .conflict,
        "A request with this Idempotency-Key is being carried out. Repeat the request.",
        retryAfter: 2
    )
    /// Of a POST that was answered before, with secrets that cannot be opened any more.
    package static let replayUnavailable = FailureCode(
        "replay_unavailable",
        .conflict,
        "The answer was sealed under another API key or secret and cannot be returned again."
    )
    /// Of content that was begun.
    package static let requestTimeout = FailureCode(
        "request_timeout",
        .requestTimeout,
        "The content did not come in time. Send it again with the same Idempotency-Key."
    )
    /// Of content above the limit of its route.
    package static let contentTooLarge = FailureCode("content_too_large", .payloadTooLarge, "The content is too large.")
    /// Of a POST.
    package static let unsupportedMediaType = FailureCode(
        "unsupported_media_type",
        .unsupportedMediaType,
        "The content has to be application/json."
    )
    /// Of a POST with other content than before.
    package static let idempotencyKeyReused = FailureCode(
        "idempotency_key_reused",
        .unprocessable,
        "This Idempotency-Key was used for another request."
    )

    // MARK: Of sessions

    /// Of an amount or an order.
    package static let currencyNotSupported = FailureCode(
        "currency_not_supported",
        .unprocessable,
        "This account does not charge in this currency."
    )
    /// Of an order line.
    package static let sumMismatch = FailureCode(
        "sum_mismatch",
        .unprocessable,
        "The sum of a line is not unit price times quantity."
    )
    /// Of an address or link that leads the buyer back.
    package static let returnURLNotAllowed = FailureCode(
        "return_url_not_allowed",
        .unprocessable,
        "The origin of the address is not in the settings of this service."
    )
    /// Of an address that is asked for the postage.
    package static let postageCallbackNotAllowed = FailureCode(
        "postage_callback_not_allowed",
        .unprocessable,
        "The shipping cost is not requested at this address: its origin is not in the settings."
    )
    /// Of an app or browser that opens too many.
    package static let tooManyWebviewSessions = FailureCode(
        "too_many_sessions",
        .tooManyRequests,
        "Too many sessions are open. Try again later.",
        retryAfter: 60
    )
    /// Of a new session; `sessionId` names the other.
    package static let referenceHeld = FailureCode(
        "reference_held",
        .conflict,
        "Another session of this reference is open or paid."
    )
    /// Of a session that was declined, cancelled, expired or closed.
    package static let sessionOver = FailureCode("session_over", .gone, "The session has ended without a payment.")
    /// Of a session that is to be cancelled.
    package static let alreadyPaid = FailureCode(
        "already_paid",
        .conflict,
        "The session is paid: refund it, or cancel its charge."
    )
    /// Of a question for buyer and address.
    package static let buyerUnavailable = FailureCode(
        "buyer_unavailable",
        .gone,
        "The payment provider no longer has the buyer and the address: it keeps them for 30 days."
    )

    // MARK: Of payments

    /// Of a session, charge or permission.
    package static let wrongState = FailureCode(
        "wrong_state",
        .conflict,
        "The state of the object does not allow the operation."
    )
    /// Of a permission that is to be closed or charged again.
    package static let openCharges = FailureCode(
        "open_charges",
        .conflict,
        "Charges are not final: capture or cancel them, or close with cancelPendingCharges."
    )
    /// Of a charge or permission; `operation` names what holds it.
    package static let chargeBlocked = FailureCode(
        "charge_blocked",
        .conflict,
        "The outcome of another operation on this payment is unknown, and an operator of Sallyport has to decide about it first."
    )
    /// Of a charge, capture or refund.
    package static let amountExceeds = FailureCode(
        "amount_exceeds",
        .unprocessable,
        "The amount is more than the remaining sum."
    )
    /// Of a permission.
    package static let tooManyCharges = FailureCode(
        "too_many_charges",
        .unprocessable,
        "A permission can be charged 25 times."
    )
    /// Of a payment; `provider` says why.
    package static let providerRefused = FailureCode(
        "provider_refused",
        .unprocessable,
        "The payment provider refused the operation."
    )
    /// Of a payment or of a commit whose end nobody saw.
    package static let outcomeUnknown = FailureCode(
        "outcome_unknown",
        .serviceUnavailable,
        "The outcome is not known yet. Try again with the same Idempotency-Key.",
        retryAfter: 5
    )
}
