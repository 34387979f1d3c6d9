import Primitives

/// What a user has granted a client: a code, then tokens.
struct LoginGrant: Sendable {
    let face: String
    let client: String
    let redirect: String
    let user: String
    let scopes: [String]
    let nonce: String?
    let challenge: String?
    let loggedInAt: Int64?
    let wantsRefresh: Bool
}

/// Codes and tokens of all providers.
struct ProviderGrants: Sendable {
    private struct Code: Sendable {
        let grant: LoginGrant
        let until: Int64
        var isUsed = false
        var tokens: [String] = []
    }

    private struct Token: Sendable {
        let grant: LoginGrant
        let until: Int64
    }

    private var codes: [OctetText: Code] = [:]
    private var accessTokens: [OctetText: Token] = [:]
    private var refreshTokens: [OctetText: Token] = [:]
    /// Who has consented to what, as user and client.
    private var consents: Set<OctetText> = []

    /// Why a code or a token is worth nothing.
    enum Refusal: Error {
        case unknown, over, used
    }

    mutating func add(code: String, _ grant: LoginGrant, until: Int64) {
        codes[code.octets] = Code(grant: grant, until: until)
        consents.insert(key(grant.user, grant.client))
    }

    /// Uses a code up.
    ///
    /// - Parameter endsFirst: Whether a second use ends the tokens of the first.
    mutating func use(code: String, at now: Int64, endsFirst: Bool) throws(Refusal) -> LoginGrant {
        guard let found = codes[code.octets] else { throw .unknown }
        guard !found.isUsed else {
            if endsFirst {
                for token in found.tokens {
                    accessTokens[token.octets] = nil
                    refreshTokens[token.octets] = nil
                }
            }
            throw .used
        }
        codes[code.octets]?.isUsed = true
        guard found.until > now else { throw .over }
        return found.grant
    }

    mutating func add(access: String, refresh: String?, of code: String?, _ grant: LoginGrant, at now: Int64) {
        accessTokens[access.octets] = Token(grant: grant, until: now + 3_600)
        // The same text lives longer.
        if let refresh { refreshTokens[refresh.octets] = Token(grant: grant, until: now + 2_419_200) }
        if let code { codes[code.octets]?.tokens += [access] + [refresh].compactMap(\.self) }
    }

    func grant(access: String, at now: Int64) throws(Refusal) -> LoginGrant {
        try ProviderGrants.grant(accessTokens[access.octets], at: now)
    }

    func grant(refresh: String, at now: Int64) throws(Refusal) -> LoginGrant {
        try ProviderGrants.grant(refreshTokens[refresh.octets], at: now)
    }

    /// The refresh token that a user's grant has already.
    func refreshToken(_ user: String, _ client: String, _ face: String, at now: Int64) -> String? {
        refreshTokens.first { entry in
            let grant = entry.value.grant
            return entry.value.until > now && grant.user.octets == user.octets && grant.client.octets == client.octets
                && grant.face.octets == face.octets
        }?.key.string
    }

    func hasConsent(_ user: String, _ client: String) -> Bool { consents.contains(key(user, client)) }

    /// Takes back what a user has granted a client.
    mutating func withdraw(_ user: String, _ client: String) {
        consents.remove(key(user, client))
        let isOf = { (grant: LoginGrant) in grant.user.octets == user.octets && grant.client.octets == client.octets }
        accessTokens = accessTokens.filter { !isOf($0.value.grant) }
        refreshTokens = refreshTokens.filter { !isOf($0.value.grant) }
    }

    private static func grant(_ token: Token?, at now: Int64) throws(Refusal) -> LoginGrant {
        guard let token else { throw .unknown }
        guard token.until > now else { throw .over }
        return token.grant
    }

    private func key(_ user: String, _ client: String) -> OctetText { "\(user) \(client)".octets }
}
