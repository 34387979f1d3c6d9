import Cryptography
package import Primitives

/// How a client proves at the token endpoint who it is.
package enum ClientProof: Sendable {
    /// It has no secret.
    case none
    /// Id and secret in the header.
    case basic(Secret<String>)
    /// Id and secret in the form.
    case form(Secret<String>)
}

/// A request of the token endpoint: a form, and perhaps a header.
package struct TokenRequest: Sendable {
    /// The value of the field `Authorization`; `nil` where the form has it.
    package let authorization: Secret<String>?
    /// `application/x-www-form-urlencoded`.
    package let form: Secret<String>

    /// Exchanges a code; never sent twice, because the code is spent by the first request.
    ///
    /// - Parameters:
    ///   - redirect: The same text as in the authorization request.
    ///   - verifier: That of the challenge in the authorization request.
    ///   - extra: What a provider needs besides.
    package static func exchange(
        _ code: Secret<String>,
        redirect: String,
        verifier: Secret<String>?,
        by client: (id: String, proof: ClientProof),
        extra: [(name: String, value: String)] = []
    ) -> TokenRequest {
        var fields = [
            (name: "grant_type", value: "authorization_code"), ("code", code.reveal()), ("redirect_uri", redirect),
        ]
        if let verifier { fields.append(("code_verifier", verifier.reveal())) }
        return TokenRequest(fields + extra, client)
    }

    /// Asks for a new access token.
    package static func refresh(
        _ token: Secret<String>,
        by client: (id: String, proof: ClientProof)
    ) -> TokenRequest {
        TokenRequest([("grant_type", "refresh_token"), ("refresh_token", token.reveal())], client)
    }

    private init(_ fields: [(name: String, value: String)], _ client: (id: String, proof: ClientProof)) {
        var fields = fields
        var header: Secret<String>?
        switch client.proof {
        case .none: fields.append(("client_id", client.id))
        case .form(let secret): fields += [("client_id", client.id), ("client_secret", secret.reveal())]
        case .basic(let secret):
            // Each half as a form has it, RFC 6749 section 2.3.1.
            let pair = PercentEncoding.encode(client.id) + ":" + PercentEncoding.encode(secret.reveal())
            header = Secret("Basic " + Base64.encode(Array(pair.utf8)))
        }
        authorization = header
        form = Secret(FormText.encode(fields))
    }
}
