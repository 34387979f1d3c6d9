/// Why an ID token is refused: the first check that it fails; nothing of the token is in it.
package enum IDTokenRefusal: String, Error, Sendable, CaseIterable {
    /// Longer than allowed.
    case tooLarge = "too_large"
    /// Not three parts between dots, or one of them is empty.
    case malformedParts = "malformed_jws"
    /// A part that is not Base64URL in its canonical spelling.
    case malformedEncoding = "malformed_base64url"
    /// A header that is no JSON object, says something twice, or has a member of the wrong type.
    case malformedHeader = "malformed_header"
    /// An algorithm that the provider does not use.
    case algorithmNotAllowed = "alg_not_allowed"
    /// Another kind of token.
    case badType = "bad_typ"
    /// The header names extensions that a reader has to understand.
    case criticalExtension = "crit_not_supported"
    /// No name of a key, where the provider always gives one.
    case keyMissing = "kid_missing"
    /// No key of the name is known; after the keys were read anew, the token may be judged again.
    case keyUnknown = "kid_unknown"
    /// The key of the name is not for the algorithm.
    case keyUnusable = "key_unusable"
    /// Two keys would do.
    case keyAmbiguous = "key_ambiguous"
    /// The signature is not the key's.
    case badSignature = "bad_signature"
    /// A payload that is no JSON object, or says something twice.
    case malformedPayload = "malformed_payload"
    /// A required claim is absent.
    case claimMissing = "missing_claim"
    /// A claim of the wrong JSON type.
    case claimType = "claim_type"
    /// Of another provider.
    case issuerMismatch = "iss_mismatch"
    /// For another client.
    case audienceMismatch = "aud_mismatch"
    /// Also for a client that is not trusted.
    case audienceUntrusted = "aud_untrusted"
    /// Issued to another client.
    case partyMismatch = "azp_mismatch"
    /// A user id that is none.
    case subjectInvalid = "sub_invalid"
    /// Of another login.
    case nonceMismatch = "nonce_mismatch"
    /// Not of the access token that came with it.
    case accessTokenHashMismatch = "at_hash_mismatch"
    /// Not of the code that came with it.
    case codeHashMismatch = "c_hash_mismatch"
    /// Its time is over.
    case expired
    /// Its time has not begun.
    case notYetValid = "not_yet_valid"
    /// Issued in the future.
    case issuedInFuture = "iat_future"
    /// Issued too long ago.
    case issuedTooLongAgo = "iat_too_old"
    /// The user logged in at the provider in the future.
    case loginInFuture = "auth_time_future"
    /// The user logged in at the provider longer ago than was asked for.
    case loginTooLongAgo = "auth_time_too_old"

    /// Whether the token may be genuine and is only not of now: the user logs in again.
    ///
    /// All others are security events.
    package var isStale: Bool {
        switch self {
        case .expired, .notYetValid, .issuedInFuture, .issuedTooLongAgo, .loginInFuture, .loginTooLongAgo: true
        default: false
        }
    }
}
