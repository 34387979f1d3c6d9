package import Primitives
package import StrictJSON

/// What a judged ID token says.
package struct IDTokenClaims: Sendable {
    /// The issuer as the token names it.
    package let issuer: String
    /// The user's id at the provider; one person only together with the issuer.
    package let subject: String
    /// When the token was issued.
    package let issuedAt: WallTime
    /// When the user logged in at the provider, where the token says so.
    package let loggedInAt: WallTime?
    /// How the user logged in; empty where the token does not say, or not as a list of texts.
    package let methods: [String]
    /// All claims.
    package let members: JSONValue
}

/// Why two ID tokens are not of one login.
package enum HybridMismatch: String, Error, Sendable {
    /// They name different providers.
    case issuerChanged = "iss_mismatch"
    /// They name different users.
    case subjectChanged = "sub_changed"
    /// They name different times of the login.
    case loginTimeChanged = "auth_time_changed"
}

extension IDTokenClaims {
    /// Whether a token of the token endpoint belongs to the login of the one that came through the browser.
    ///
    /// The one of the token endpoint is the one that logs the user in.
    ///
    /// - Throws: The first difference.
    package func check(against front: IDTokenClaims) throws(HybridMismatch) {
        guard issuer.octets == front.issuer.octets else { throw .issuerChanged }
        guard subject.octets == front.subject.octets else { throw .subjectChanged }
        if let own = loggedInAt, let other = front.loggedInAt, own != other { throw .loginTimeChanged }
    }
}
