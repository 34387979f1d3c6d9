package import Primitives

/// What a user is sent to the provider with.
package struct AuthorizationRequest: Sendable {
    /// What is asked for.
    package let type: ResponseType
    /// The client.
    package let clientID: String
    /// Where the answer goes, as it is registered.
    package let redirect: String
    /// Words between blanks; `openid` is one of them.
    package let scope: String
    /// Comes back with the answer.
    package let state: String
    /// Comes back in the ID token.
    package let nonce: String
    /// The verifier whose challenge is sent; `nil` where the provider knows none.
    package var verifier: Secret<String>?
    /// Where the answer's members are to be, where it is not the usual place.
    package var mode: AuthorizationContext.Mode?
    /// `prompt`, `display`, `max_age`, `bail` and what else a provider takes, in order.
    package var extra: [(name: String, value: String)] = []

    /// A request with what every login sends.
    package init(
        _ type: ResponseType,
        clientID: String,
        redirect: String,
        scope: String,
        state: String,
        nonce: String
    ) {
        (self.type, self.clientID, self.redirect) = (type, clientID, redirect)
        (self.scope, self.state, self.nonce) = (scope, state, nonce)
    }

    /// The address that the user's browser opens.
    ///
    /// - Parameter endpoint: The provider's; a query of its own stays.
    package func url(at endpoint: String) -> String {
        var fields: [(name: String, value: String)] = [
            ("response_type", type.text), ("client_id", clientID), ("redirect_uri", redirect), ("scope", scope),
            ("state", state), ("nonce", nonce),
        ]
        if let verifier {
            fields += [
                ("code_challenge", ProofKey.challenge(of: verifier.reveal())), ("code_challenge_method", "S256"),
            ]
        }
        if let mode { fields.append(("response_mode", mode.rawValue)) }
        fields += extra
        let mark = endpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return endpoint + mark + FormText.encode(fields)
    }
}
