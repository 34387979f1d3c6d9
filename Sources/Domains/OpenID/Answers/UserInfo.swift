import Primitives
package import StrictJSON

/// Why a userinfo endpoint gives no claims, and what is done about it.
///
/// The login itself stays valid.
package struct UserInfoRefusal: Error, Sendable, Equatable {
    /// A word for audit and counters.
    package enum Reason: String, Sendable {
        /// No answer of a userinfo endpoint.
        case malformed = "malformed_response"
        /// Longer than allowed.
        case tooLarge = "too_large"
        /// The provider answers with an error.
        case providerError = "provider_error"
        /// The answer does not say whose claims they are.
        case memberMissing = "missing_member"
        /// Claims of another user.
        case subjectMismatch = "sub_mismatch"
    }

    /// What is done.
    package enum Action: String, Sendable {
        /// The access token is refreshed and the request repeated, once; then the user logs in again.
        case refreshOnce = "refresh_once"
        /// An alarm.
        case configurationError = "config_error"
        /// The user may try again in a moment.
        case retryLater = "retry_later"
        /// None of the claims is used.
        case drop
    }

    /// The reason.
    package let reason: Reason
    /// The action.
    package let action: Action
    /// The error's word, for `providerError`, where there is one.
    package var error: String?
}

/// What a userinfo endpoint says of a user; whose identity is the ID token's alone.
package struct UserInfo: Sendable {
    /// The known claims of the right type; an address is an object of texts.
    package let claims: [JSONMember]
    /// Whether the provider vouches for the e-mail address.
    package let isEmailVerified: Bool

    /// How long an answer may be, in bytes.
    package static let limit = 262_144
    private static let depth = 64

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - status: Of HTTP.
    ///   - challenge: The field `WWW-Authenticate`, or what a provider sends in its place.
    ///   - subject: The user of the ID token.
    /// - Throws: What is wrong first.
    package init(
        status: Int,
        challenge: String?,
        body: [UInt8],
        of subject: String
    ) throws(UserInfoRefusal) {
        guard status == 200 else { throw UserInfo.refusal(status, challenge) }
        guard body.count <= UserInfo.limit else { throw UserInfoRefusal(reason: .tooLarge, action: .drop) }
        guard let value = try? JSONParser.parse(body, depth: UserInfo.depth), case .object(let members) = value else {
            throw UserInfoRefusal(reason: .malformed, action: .drop)
        }
        guard let named = value["sub"]?.text else { throw UserInfoRefusal(reason: .memberMissing, action: .drop) }
        guard named.octets == subject.octets else { throw UserInfoRefusal(reason: .subjectMismatch, action: .drop) }
        let verified = value["email_verified"]
        isEmailVerified = verified?.flag ?? (verified?.text?.octets == "true")
        claims = members.compactMap(UserInfo.claim)
    }

    private static func claim(_ member: JSONMember) -> JSONMember? {
        let name = member.name.octets
        if name == "address" {
            let parts = member.value.members.filter { part in
                part.value.text != nil && addressParts.contains { $0.octets == part.name.octets }
            }
            return parts.isEmpty ? nil : JSONMember("address", .object(parts))
        }
        guard texts.contains(where: { $0.octets == name }), let text = member.value.text else { return nil }
        if name == "picture", !text.octets.starts(with: "https://") { return nil }
        return member
    }

    private static let texts = [
        "sub", "ppid_sub", "name", "given_name", "given_name#ja-Kana-JP", "given_name#ja-Hani-JP", "family_name",
        "family_name#ja-Kana-JP", "family_name#ja-Hani-JP", "gender", "zoneinfo", "locale", "birthdate", "nickname",
        "picture", "email",
    ]
    private static let addressParts = [
        "country", "postal_code", "region", "locality", "street_address", "formatted",
    ]

    private static func refusal(_ status: Int, _ challenge: String?) -> UserInfoRefusal {
        if status >= 500 || status == 429 { return UserInfoRefusal(reason: .malformed, action: .retryLater) }
        guard status == 401 || status == 403 else {
            return UserInfoRefusal(reason: .malformed, action: .configurationError)
        }
        let error = challenge.flatMap(BearerChallenge.error)
        let isStale = error.map { $0.octets == "invalid_token" } ?? (status == 401)
        return UserInfoRefusal(
            reason: .providerError,
            action: isStale ? .refreshOnce : .configurationError,
            error: error.map { $0.octets.isWord && $0.utf8.count <= 64 ? $0 : "unknown" }
        )
    }
}
