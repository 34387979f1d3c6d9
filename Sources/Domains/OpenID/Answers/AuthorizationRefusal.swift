import Primitives

/// Why an answer of the authorization endpoint is refused.
package struct AuthorizationRefusal: Error, Sendable, Equatable {
    /// The first check that fails; each raw value is a word for audit and counters.
    package enum Reason: String, Sendable, CaseIterable {
        /// Longer than allowed, or its code or state is.
        case tooLarge = "too_large"
        /// To another address than the one that was sent.
        case redirectMismatch = "redirect_mismatch"
        /// A broken escape, or what is no text.
        case malformedEncoding = "malformed_encoding"
        /// A member comes twice.
        case duplicateParameter = "duplicate_parameter"
        /// A member where none of this response type belongs.
        case wrongChannel = "wrong_channel"
        /// No state.
        case stateMissing = "state_missing"
        /// The state of another login.
        case stateMismatch = "state_mismatch"
        /// Of another provider than was asked.
        case issuerMismatch = "iss_mismatch"
        /// The provider does not say who it is, although it always does.
        case issuerMissing = "iss_missing"
        /// The provider answers with an error.
        case providerError = "provider_error"
        /// The user has closed or declined.
        case userCancelled = "user_cancelled"
        /// More than was asked for.
        case unexpectedParameter = "unexpected_parameter"
        /// Less than was asked for.
        case missingParameter = "missing_parameter"
        /// An access token of another kind.
        case tokenTypeUnsupported = "token_type_unsupported"
    }

    /// The check.
    package let reason: Reason
    /// What the provider says, for `providerError`.
    package let error: ProviderError?

    init(_ reason: Reason, _ error: ProviderError? = nil) {
        self.reason = reason
        self.error = error
    }

    /// Whether the answer was found to belong to its login, which it may end; behind any other refusal the login stays as it is.
    package var isOfLogin: Bool {
        switch reason {
        case .tooLarge, .redirectMismatch, .malformedEncoding, .duplicateParameter, .wrongChannel, .stateMissing,
            .stateMismatch, .issuerMismatch, .issuerMissing:
            false
        case .providerError, .userCancelled, .unexpectedParameter, .missingParameter, .tokenTypeUnsupported: true
        }
    }
}

/// An error that a provider answers with.
package struct ProviderError: Sendable, Equatable {
    /// The word, if it is printable and not too long; `unknown` otherwise.
    package let code: String
    /// A number that some providers add.
    package let number: Int?
    /// What it says for logs: at most 64 printable characters of ASCII.
    ///
    /// Never shown to a user.
    package let detail: String

    init(code: String, number: Int?, detail: String?) {
        self.code = code.octets.isWord && code.utf8.count <= 64 ? code : "unknown"
        self.number = number
        let printable = (detail ?? "").utf8.lazy.filter { (0x20...0x7E).contains($0) }.prefix(64)
        self.detail = String(decoding: Array(printable), as: UTF8.self)
    }

    /// What is done about an error of the authorization endpoint.
    package enum Step: Sendable {
        /// The user declined: the choice is offered again.
        case cancelled
        /// The provider wants to show a page: a login that forbade it starts once more without that.
        case interact
        /// The provider has trouble: later.
        case retryLater
        /// The set-up is wrong: an alarm, and a general page.
        case configuration
    }

    /// What is done about it.
    package var step: Step {
        let word = code.octets.lowercase
        return ProviderError.steps.first { $0.word.octets == word.octets }?.step ?? .configuration
    }

    private static let steps: [(word: String, step: Step)] = [
        ("access_denied", .cancelled), ("user_cancelled_authorize", .cancelled), ("login_required", .interact),
        ("consent_required", .interact), ("interaction_required", .interact),
        ("account_selection_required", .interact), ("server_error", .retryLater),
        ("temporarily_unavailable", .retryLater),
    ]
}
