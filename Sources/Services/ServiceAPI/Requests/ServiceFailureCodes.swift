import HTTPCore
package import Web

// The codes that routes of every feature below `/v1` refuse with, beside those of every router.
extension FailureCode {
    /// All that a route below `/v1` may refuse with by itself, in the order of its description.
    package static let ofServiceAPI: [FailureCode] = [
        .invalidRequest, .invalidCursor, .idempotencyKeyMissing, .idempotencyKeyInvalid, .unauthenticated,
        .scopeMissing,
        .browserNotAllowed, .notFound, .methodNotAllowed, .requestInProgress, .replayUnavailable, .requestTimeout,
        .contentTooLarge, .unsupportedMediaType, .idempotencyKeyReused, .rateLimited, .internalError, .unavailable,
        .outcomeUnknown,
    ]

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
    /// Of a payment or of a commit whose end nobody saw.
    package static let outcomeUnknown = FailureCode(
        "outcome_unknown",
        .serviceUnavailable,
        "The outcome is not known yet. Try again with the same Idempotency-Key.",
        retryAfter: 5
    )
}
