package import Primitives

/// What an answer of the authorization endpoint has to fit.
package struct AuthorizationContext: Sendable {
    /// Where the answer's members are.
    package enum Mode: String, Sendable {
        /// Behind the question mark.
        case query
        /// Behind the hash sign, where no server sees them.
        case fragment
        /// In a form that the browser posts.
        case form = "form_post"
    }

    /// What was asked for.
    package let type: ResponseType
    /// Where it comes.
    package let mode: Mode
    /// The address that was sent, as it is registered.
    package let redirect: String
    /// The state that was sent.
    package let state: OneTimeValue
    /// The provider that was asked.
    package let issuer: String
    /// Whether the provider names itself in every answer (RFC 9207).
    package var needsIssuer = false

    /// A context in which the provider need not name itself.
    ///
    /// - Parameter mode: `nil` for the usual one of the response type.
    package init(_ type: ResponseType, mode: Mode? = nil, redirect: String, state: OneTimeValue, issuer: String) {
        self.type = type
        self.mode = mode ?? (type.isHybrid ? .fragment : .query)
        self.redirect = redirect
        self.state = state
        self.issuer = issuer
    }
}

/// A good answer of the authorization endpoint.
///
/// What its ID token says is not judged yet.
package struct AuthorizationAnswer: Sendable {
    /// To be exchanged, once.
    package let code: Secret<String>?
    /// A token as it came.
    package let idToken: Secret<String>?
    /// A token that is only compared with the ID token's hash of it.
    package let accessToken: Secret<String>?
    /// How many seconds the access token lives, where the answer says so in digits.
    package let expiresIn: Int?
    /// What Apple sends at the first login, unsigned: for display alone.
    package let user: Secret<String>?

    private static let limit = 32_768
    private static let codeLimit = 2_048
    private static let stateLimit = 512
    private static let known = [
        "code", "id_token", "access_token", "token_type", "expires_in", "state", "iss", "error", "error_description",
        "error_code", "user",
    ]
    /// What says where an answer is.
    private static let telling = ["code", "id_token", "access_token", "error", "state"]

    /// Reads the address at which an app or a browser has arrived.
    ///
    /// - Throws: The first check that fails.
    package init(url: String, _ context: AuthorizationContext) throws(AuthorizationRefusal) {
        guard url.utf8.count <= AuthorizationAnswer.limit else { throw AuthorizationRefusal(.tooLarge) }
        let outer = url.octets.parts(between: UInt8(ascii: "#"), limit: 1)
        let inner = outer[0].octets.parts(between: UInt8(ascii: "?"), limit: 1)
        guard AuthorizationAnswer.isSame(inner[0], context.redirect) else {
            throw AuthorizationRefusal(.redirectMismatch)
        }
        try self.init(query: inner.count > 1 ? inner[1] : "", fragment: outer.count > 1 ? outer[1] : "", context)
    }

    /// Reads what a server sees: the query of its own address, or the content of a form.
    ///
    /// - Throws: The first check that fails.
    package init(received text: String, _ context: AuthorizationContext) throws(AuthorizationRefusal) {
        guard text.utf8.count <= AuthorizationAnswer.limit else { throw AuthorizationRefusal(.tooLarge) }
        try self.init(FormFields(text, known: AuthorizationAnswer.known), context)
    }

    private init(
        query: String,
        fragment: String,
        _ context: AuthorizationContext
    ) throws(AuthorizationRefusal) {
        let first = try FormFields(query, known: AuthorizationAnswer.known)
        let second = try FormFields(fragment, known: AuthorizationAnswer.known)
        let (own, other) = context.mode == .fragment ? (second, first) : (first, second)
        guard AuthorizationAnswer.telling.allSatisfy({ other[$0] == nil }) else {
            throw AuthorizationRefusal(.wrongChannel)
        }
        try self.init(own, context)
    }

    private init(_ fields: FormFields, _ context: AuthorizationContext) throws(AuthorizationRefusal) {
        guard let state = fields["state"] else { throw AuthorizationRefusal(.stateMissing) }
        guard state.utf8.count <= AuthorizationAnswer.stateLimit else { throw AuthorizationRefusal(.tooLarge) }
        guard context.state.isSame(as: state) else { throw AuthorizationRefusal(.stateMismatch) }
        if let issuer = fields["iss"] {
            guard issuer.octets == context.issuer.octets else { throw AuthorizationRefusal(.issuerMismatch) }
        } else if context.needsIssuer {
            throw AuthorizationRefusal(.issuerMissing)
        }
        if let word = fields["error"] {
            let number = fields["error_code"].flatMap { DecimalDigits.parse($0.utf8Span.span, limit: .max) }
            let error = ProviderError(code: word, number: number, detail: fields["error_description"])
            throw AuthorizationRefusal(.providerError, error)
        }
        let (code, idToken, accessToken) = (
            fields.filled("code"), fields.filled("id_token"), fields.filled("access_token")
        )
        let brought = [(code, ResponseType.code), (idToken, .idToken), (accessToken, .token)]
            .reduce(into: ResponseType()) { if $1.0 != nil { $0.insert($1.1) } }
        try AuthorizationAnswer.check(brought, fields["token_type"], context.type)
        guard code?.utf8.count ?? 0 <= AuthorizationAnswer.codeLimit else { throw AuthorizationRefusal(.tooLarge) }
        self.code = code.map { Secret($0) }
        self.idToken = idToken.map { Secret($0) }
        self.accessToken = accessToken.map { Secret($0) }
        expiresIn = fields["expires_in"].flatMap { DecimalDigits.parse($0.utf8Span.span, limit: .max) }
        user = fields.filled("user").map { Secret($0) }
    }

    /// Whether an answer brings what was asked for, no less and no more.
    private static func check(
        _ brought: ResponseType,
        _ tokenType: String?,
        _ wanted: ResponseType
    ) throws(AuthorizationRefusal) {
        guard !brought.isEmpty else { throw AuthorizationRefusal(.userCancelled) }
        guard brought.isSubset(of: wanted) else { throw AuthorizationRefusal(.unexpectedParameter) }
        guard brought == wanted else { throw AuthorizationRefusal(.missingParameter) }
        guard brought.contains(.token) else { return }
        guard let tokenType else { throw AuthorizationRefusal(.missingParameter) }
        guard tokenType.octets.lowercase.octets == "bearer" else { throw AuthorizationRefusal(.tokenTypeUnsupported) }
    }

    /// Whether two addresses are the same but for the letter case of scheme and host.
    private static func isSame(_ one: String, _ other: String) -> Bool { normal(one).octets == normal(other).octets }

    private static func normal(_ url: String) -> String {
        let parts = url.octets.parts(between: UInt8(ascii: ":"), limit: 1)
        guard parts.count == 2 else { return url }
        let scheme = parts[0].octets.lowercase
        guard parts[1].octets.starts(with: "//") else { return "\(scheme):\(parts[1])" }
        let behind = parts[1].utf8.dropFirst(2)
        let host = behind.prefix { $0 != UInt8(ascii: "/") }
        let name = String(decoding: host, as: UTF8.self).octets.lowercase
        return "\(scheme)://\(name)\(String(decoding: behind[host.endIndex...], as: UTF8.self))"
    }
}
