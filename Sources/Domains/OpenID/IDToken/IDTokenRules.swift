package import JOSE
package import Primitives

/// What a provider's ID tokens are verified with.
///
/// A shared secret stands alone: a token cannot choose it where public keys are expected, nor the other way round.
package enum IDTokenKeys: Sendable {
    /// Published keys, and the algorithms that the provider uses.
    case published(JSONWebKeySet, allowing: Set<JWSAlgorithm>)
    /// The client secret, with HS256.
    case clientSecret(Secret<[UInt8]>)
}

/// What ID tokens of one provider for one client have to say, whatever the login.
package struct IDTokenRules: Sendable {
    /// The issuer, character by character; a slash at the end makes another one.
    package var issuer: String
    /// Other texts that the provider's tokens carry in its place.
    package var issuerAliases: [String] = []
    /// The client whose logins they are.
    package var clientID: String
    /// Clients that tokens may be for beside it.
    package var trustedAudiences: [String] = []
    /// Clients that tokens may be issued to in its place: an app whose server it is.
    package var authorizedParties: [String] = []
    /// Whether a token without the name of its key is refused.
    package var needsKeyID = false
    /// How long ago a token may have been issued.
    package var issueWindow = Duration.seconds(600)
    /// How far the clocks may be apart.
    package var skew = Duration.seconds(60)

    /// The usual rules.
    package init(issuer: String, clientID: String) {
        self.issuer = issuer
        self.clientID = clientID
    }
}

/// What one login has sent and received, and its ID token has to fit.
package struct IDTokenContext: Sendable {
    /// Where an ID token came from.
    package enum Channel: Sendable {
        /// Through the user's browser, together with what the response type names.
        case front(ResponseType)
        /// From the token endpoint.
        case back
    }

    /// Where the token came from.
    package let channel: Channel
    /// The nonce that was sent.
    package let nonce: OneTimeValue
    /// The code that came with the token; `nil` where none did.
    package var code: String?
    /// The access token that came with the token; `nil` where none did.
    package var accessToken: String?
    /// How long ago the user may have logged in at the provider, where that was asked for.
    package var maximumAge: Duration?

    /// A context without code, access token and age.
    package init(_ channel: Channel, nonce: OneTimeValue) {
        self.channel = channel
        self.nonce = nonce
    }
}
