package import HTTPCore

/// What is wrong with a request of a merchant's program, for programs; the raw value is what the answer says.
///
/// Each code has one status and one sentence. Codes are never renamed: merchants compare them.
package enum ProblemCode: String, Sendable, Hashable, CaseIterable {
    // Of every route.
    /// A member or parameter is missing, malformed or not known.
    case invalidRequest = "invalid_request"
    /// An amount is a decimal text, and fits the order.
    case invalidAmount = "invalid_amount"
    /// The cursor is not one that a list gave out.
    case invalidCursor = "invalid_cursor"
    /// A POST needs the field Idempotency-Key: 1 to 64 characters of A-Z a-z 0-9 _ -.
    case idempotencyKeyMissing = "idempotency_key_missing"
    /// There is no such key, or it does not work any more.
    case unauthenticated
    /// The key does not open this.
    case scopeMissing = "scope_missing"
    /// Keys do not belong in browsers: call from your server.
    case browserNotAllowed = "browser_not_allowed"
    /// There is nothing here.
    case notFound = "not_found"
    /// This method does not work here.
    case methodNotAllowed = "method_not_allowed"
    /// A request with this Idempotency-Key is being carried out. Ask again.
    case requestInProgress = "request_in_progress"
    /// The answer was kept under another API key or secret and cannot be shown again.
    case replayUnavailable = "replay_unavailable"
    /// The content did not come in time.
    case requestTimeout = "request_timeout"
    /// The content is too large.
    case contentTooLarge = "content_too_large"
    /// The content has to be application/json.
    case unsupportedMediaType = "unsupported_media_type"
    /// This Idempotency-Key was used for another request.
    case idempotencyKeyReused = "idempotency_key_reused"
    /// Too many requests. Try again later.
    case rateLimited = "rate_limited"
    /// The request failed on our side.
    case internalError = "internal_error"
    /// The service cannot answer right now. Try again with the same Idempotency-Key.
    case unavailable
    // Of sessions.
    /// This account does not charge in this currency.
    case currencyNotSupported = "currency_not_supported"
    /// Unit price times quantity is another sum.
    case sumMismatch = "sum_mismatch"
    /// The address is not at one of the origins that were agreed on.
    case returnURLNotAllowed = "return_url_not_allowed"
    /// Postage is not asked for at this address: its origin was not agreed on.
    case postageCallbackNotAllowed = "postage_callback_not_allowed"
    /// Too many sessions are open. Try again later.
    case tooManyFlows = "too_many_flows"
    /// Another session of this reference is open or paid.
    case referenceHeld = "reference_held"
    /// The buyer has not come that far.
    case notReady = "not_ready"
    /// The payment is being completed. Ask again.
    case purchaseInProgress = "purchase_in_progress"
    /// The payment was declined.
    case paymentDeclined = "payment_declined"
    /// The proof belongs to another session, or is missing.
    case proofMismatch = "proof_mismatch"
    /// The checkout session is not the one of this session.
    case orderMismatch = "order_mismatch"
    /// The session has ended without a payment.
    case sessionOver = "session_over"
    /// The session is paid: refund it, or cancel its charge.
    case alreadyPaid = "already_paid"
    /// The payment provider no longer has the buyer and the address: it keeps them for 30 days.
    case buyerUnavailable = "buyer_unavailable"
    // Of payments.
    /// The state does not allow it.
    case wrongState = "wrong_state"
    /// Charges are not final: capture or cancel them, or close with cancelPendingCharges.
    case openCharges = "open_charges"
    /// More than is left.
    case amountExceeds = "amount_exceeds"
    /// A permission can be charged 25 times.
    case tooManyCharges = "too_many_charges"
    /// The payment provider refused.
    case providerRefused = "provider_refused"
    /// The payment provider did not do it. Nothing was charged; try again.
    case providerFailed = "provider_failed"
    /// Nobody knows yet what became of it. Try again with the same Idempotency-Key.
    case outcomeUnknown = "outcome_unknown"
}

extension ProblemCode {
    /// The status that goes with the code.
    package var status: HTTPStatus {
        switch self {
        case .invalidRequest, .invalidAmount, .invalidCursor, .idempotencyKeyMissing: .badRequest
        case .unauthenticated: .unauthorized
        case .paymentDeclined: .paymentRequired
        case .scopeMissing, .browserNotAllowed, .proofMismatch: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .requestInProgress, .replayUnavailable, .referenceHeld, .notReady, .purchaseInProgress, .alreadyPaid,
            .wrongState,
            .openCharges:
            .conflict
        case .requestTimeout: .requestTimeout
        case .contentTooLarge: .payloadTooLarge
        case .sessionOver, .buyerUnavailable: .gone
        case .unsupportedMediaType: .unsupportedMediaType
        case .idempotencyKeyReused, .currencyNotSupported, .sumMismatch, .returnURLNotAllowed,
            .postageCallbackNotAllowed, .orderMismatch, .amountExceeds, .tooManyCharges, .providerRefused:
            .unprocessable
        case .rateLimited, .tooManyFlows: .tooManyRequests
        case .internalError: .internalError
        case .unavailable, .providerFailed, .outcomeUnknown: .serviceUnavailable
        }
    }

    /// One sentence for the developer who reads the answer.
    package var message: String {
        switch self {
        case .invalidRequest: "A member or parameter is missing, malformed or not known."
        case .invalidAmount: "An amount is a decimal text, and fits the order."
        case .invalidCursor: "The cursor is not one that a list gave out."
        case .idempotencyKeyMissing: "A POST needs the field Idempotency-Key: 1 to 64 characters of A-Z a-z 0-9 _ -."
        case .unauthenticated:
            "There is no such key, or it does not work any more. A key is sent as Authorization: Bearer KEY."
        case .scopeMissing: "The key does not open this."
        case .browserNotAllowed: "Keys do not belong in browsers: call from your server."
        case .notFound: "There is nothing here."
        case .methodNotAllowed: "This method does not work here."
        case .requestInProgress: "A request with this Idempotency-Key is being carried out. Ask again."
        case .replayUnavailable: "The answer was kept under another API key or secret and cannot be shown again."
        case .requestTimeout: "The content did not come in time. Send it again with the same Idempotency-Key."
        case .contentTooLarge: "The content is too large."
        case .unsupportedMediaType: "The content has to be application/json."
        case .idempotencyKeyReused: "This Idempotency-Key was used for another request."
        case .rateLimited: "Too many requests. Try again later."
        case .internalError: "The request failed on our side."
        case .unavailable: "The service cannot answer right now. Try again with the same Idempotency-Key."
        case .currencyNotSupported: "This account does not charge in this currency."
        case .sumMismatch: "Unit price times quantity is another sum."
        case .returnURLNotAllowed: "The address is not at one of the origins that were agreed on."
        case .postageCallbackNotAllowed: "Postage is not asked for at this address: its origin was not agreed on."
        case .tooManyFlows: "Too many sessions are open. Try again later."
        case .referenceHeld: "Another session of this reference is open or paid."
        case .notReady: "The buyer has not come that far."
        case .purchaseInProgress: "The payment is being completed. Ask again."
        case .paymentDeclined: "The payment was declined."
        case .proofMismatch: "The proof belongs to another session, or is missing."
        case .orderMismatch: "The checkout session is not the one of this session."
        case .sessionOver: "The session has ended without a payment."
        case .alreadyPaid: "The session is paid: refund it, or cancel its charge."
        case .buyerUnavailable:
            "The payment provider no longer has the buyer and the address: it keeps them for 30 days."
        case .wrongState: "The state does not allow it."
        case .openCharges: "Charges are not final: capture or cancel them, or close with cancelPendingCharges."
        case .amountExceeds: "More than is left."
        case .tooManyCharges: "A permission can be charged 25 times."
        case .providerRefused: "The payment provider refused."
        case .providerFailed: "The payment provider did not do it. Nothing was charged; try again."
        case .outcomeUnknown: "Nobody knows yet what became of it. Try again with the same Idempotency-Key."
        }
    }

    /// Seconds after which a client may ask again, where that makes sense.
    package var retryAfter: Int? {
        switch self {
        case .requestInProgress, .purchaseInProgress, .notReady: 2
        case .unavailable, .providerFailed, .outcomeUnknown: 5
        case .rateLimited, .tooManyFlows: 60
        default: nil
        }
    }
}
