package import Primitives
import StrictJSON

/// Which request of the token endpoint an answer is for.
package enum TokenGrant: Sendable {
    /// A code, which is spent whatever was answered.
    case code
    /// A refresh token.
    case refresh
}

/// Why an answer of the token endpoint gives no tokens, and what is done about it.
package struct TokenRefusal: Error, Sendable, Equatable {
    /// A word for audit and counters.
    package enum Reason: String, Sendable {
        /// No answer of a token endpoint.
        case malformed = "malformed_response"
        /// Longer than allowed.
        case tooLarge = "too_large"
        /// The provider answers with an error.
        case providerError = "provider_error"
        /// A token that belongs there is absent.
        case memberMissing = "missing_member"
        /// An access token of another kind.
        case tokenTypeUnsupported = "token_type_unsupported"
    }

    /// What is done.
    package enum Action: String, Sendable {
        /// This login is over; a new one is offered.
        case restartLogin = "restart_login"
        /// The refresh token is forgotten, and a new login offered.
        case forgetAndLogin = "forget_and_login"
        /// Nothing is forgotten; an alarm, and a general page.
        case configurationError = "config_error"
        /// Nothing is forgotten; the user may try again in a moment.
        case retryLater = "retry_later"
    }

    /// The reason.
    package let reason: Reason
    /// The action.
    package let action: Action
    /// What the provider says, for `providerError`.
    package var error: ProviderError?
}

/// The tokens that a token endpoint gives.
package struct TokenAnswer: Sendable {
    /// For the provider's own services.
    package let accessToken: Secret<String>
    /// As it came; always there behind a code.
    package let idToken: Secret<String>?
    /// Absent also where what stands in its place is none, so that it never replaces a good one.
    package let refreshToken: Secret<String>?
    /// How long the access token lives; `nil` where the answer does not say.
    package let life: Duration?

    /// How long an answer may be, in bytes.
    package static let limit = 262_144
    private static let depth = 64
    private static let longestLife = 90 * 86_400

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - status: Of HTTP.
    ///   - contentType: Only to tell a page from an answer that is broken.
    ///   - body: At most one byte more than `limit` is needed.
    /// - Throws: What is wrong first.
    package init(
        status: Int,
        contentType: String?,
        body: [UInt8],
        for grant: TokenGrant
    ) throws(TokenRefusal) {
        guard !(300...399).contains(status) else { throw TokenRefusal(reason: .malformed, action: .configurationError) }
        let broken: TokenRefusal.Action =
            grant == .code && (200...299).contains(status) && !TokenAnswer.isPage(contentType)
            ? .restartLogin : .retryLater
        guard body.count <= TokenAnswer.limit else { throw TokenRefusal(reason: .tooLarge, action: broken) }
        guard let value = try? JSONParser.parse(body, depth: TokenAnswer.depth), case .object = value else {
            throw TokenRefusal(reason: .malformed, action: broken)
        }
        if let word = value["error"]?.text, !word.isEmpty { throw TokenAnswer.refusal(word, value, status, grant) }
        guard status == 200 else {
            let isBusy = status >= 500 || status == 429
            throw TokenRefusal(reason: .malformed, action: isBusy ? .retryLater : .configurationError)
        }
        let missing: TokenRefusal.Action = grant == .code ? .restartLogin : .retryLater
        accessToken = try TokenAnswer.token("access_token", in: value, missing)
        let type = try TokenAnswer.token("token_type", in: value, missing)
        idToken =
            grant == .code || value["id_token"] != nil ? try TokenAnswer.token("id_token", in: value, missing) : nil
        guard type.reveal().octets.lowercase.octets == "bearer" else {
            throw TokenRefusal(reason: .tokenTypeUnsupported, action: .configurationError)
        }
        let refresh = value["refresh_token"]?.text
        refreshToken = refresh.flatMap { $0.octets.isWord ? Secret($0) : nil }
        life = TokenAnswer.seconds(value["expires_in"]).map { .seconds(min(max($0, 0), TokenAnswer.longestLife)) }
    }

    private static func token(
        _ name: String,
        in value: JSONValue,
        _ action: TokenRefusal.Action
    ) throws(TokenRefusal) -> Secret<String> {
        guard let member = value[name] else { throw TokenRefusal(reason: .memberMissing, action: action) }
        guard let text = member.text, text.octets.isWord else { throw TokenRefusal(reason: .malformed, action: action) }
        return Secret(text)
    }

    private static func isPage(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let type = contentType.octets.parts(between: UInt8(ascii: ";"), limit: 1)[0]
        return type.octets.lowercase.octets.starts(with: "text/html")
    }

    /// A whole number, also one in a text.
    private static func seconds(_ value: JSONValue?) -> Int? {
        guard let value else { return nil }
        return value.integer ?? value.text.flatMap { DecimalDigits.parse($0.utf8Span.span, limit: .max) }
    }

    private static func refusal(
        _ word: String,
        _ value: JSONValue,
        _ status: Int,
        _ grant: TokenGrant
    ) -> TokenRefusal {
        let error = ProviderError(
            code: word,
            number: seconds(value["error_code"]),
            detail: value["error_description"]?.text
        )
        let lower = word.octets.lowercase.octets
        let action: TokenRefusal.Action =
            if over.contains(where: { $0.octets == lower }) {
                grant == .code ? .restartLogin : .forgetAndLogin
            } else if misconfigured.contains(where: { $0.octets == lower }) {
                .configurationError
            } else if busy.contains(where: { $0.octets == lower }) || status >= 500 || status == 429 {
                .retryLater
            } else {
                // A refresh token is never forgotten for an unknown reason.
                grant == .code ? .restartLogin : .configurationError
            }
        return TokenRefusal(reason: .providerError, action: action, error: error)
    }

    private static let over = ["invalid_grant", "invalid_token", "access_denied"]
    private static let misconfigured = [
        "invalid_client", "invalid_redirect_uri", "unauthorized_client", "unsupported_grant_type",
        "unsupported_response_type", "invalid_scope", "invalid_request",
    ]
    private static let busy = ["server_error", "temporarily_unavailable", "temporarily_available", "slow_down"]
}
