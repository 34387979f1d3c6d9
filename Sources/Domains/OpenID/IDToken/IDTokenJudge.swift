package import Primitives
import StrictJSON

/// Judges ID tokens (OpenID Connect Core 3.1.3.7 and 3.3.2.11), stricter where readers differ.
///
/// A pure function of token, login, keys and time. The order of the checks is fixed: the algorithm before any key is looked for, the
/// signature before any claim is read, what may be an attack before what is only old.
package struct IDTokenJudge: Sendable {
    private let rules: IDTokenRules

    /// A judge of one provider's tokens.
    package init(_ rules: IDTokenRules) {
        self.rules = rules
    }

    /// Judges a token.
    ///
    /// - Parameters:
    ///   - token: As it came.
    ///   - login: What it has to fit.
    ///   - now: By the server's clock, not the phone's.
    /// - Throws: The first check that fails. Behind `keyUnknown` the keys may be read anew once.
    package func judge(
        _ token: String,
        of login: IDTokenContext,
        with keys: IDTokenKeys,
        at now: WallTime
    ) throws(IDTokenRefusal) -> IDTokenClaims {
        let parts = try IDTokenParts(token)
        try parts.verify(with: keys, needsKeyID: rules.needsKeyID)
        let claims = IDTokenReader(members: try parts.claims().members)
        let issuer = try claims.text("iss")
        guard issuer.octets == rules.issuer.octets || isListed(issuer, rules.issuerAliases) else {
            throw .issuerMismatch
        }
        try checkAudience(claims)
        let subject = try claims.text("sub")
        guard (1...255).contains(subject.utf8.count), subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .subjectInvalid
        }
        guard login.nonce.isSame(as: try claims.text("nonce")) else { throw .nonceMismatch }
        try checkHashes(claims, login, parts.algorithm)
        let times = try checkTimes(claims, login, now.seconds)
        return IDTokenClaims(
            issuer: issuer,
            subject: subject,
            issuedAt: WallTime(seconds: times.issuedAt),
            loggedInAt: times.loggedInAt.map { WallTime(seconds: $0) },
            methods: claims.methods,
            members: .object(claims.members)
        )
    }

    private func checkAudience(_ claims: IDTokenReader) throws(IDTokenRefusal) {
        let audiences = try claims.texts("aud")
        guard isListed(rules.clientID, audiences) else { throw .audienceMismatch }
        for audience in audiences
        where audience.octets != rules.clientID.octets && !isListed(audience, rules.trustedAudiences) {
            throw .audienceUntrusted
        }
        guard let party = try claims.optionalText("azp") else {
            guard audiences.count == 1 else { throw .partyMismatch }
            return
        }
        guard party.octets == rules.clientID.octets || isListed(party, rules.authorizedParties) else {
            throw .partyMismatch
        }
    }

    private func checkHashes(
        _ claims: IDTokenReader,
        _ login: IDTokenContext,
        _ algorithm: String
    ) throws(IDTokenRefusal) {
        let brought: ResponseType = if case .front(let type) = login.channel { type } else { [] }
        let accessTokenHash = try claims.optionalText("at_hash")
        guard accessTokenHash != nil || !brought.contains(.token) else { throw .claimMissing }
        if let accessTokenHash, let token = login.accessToken {
            guard isHash(accessTokenHash, of: token, algorithm) else { throw .accessTokenHashMismatch }
        }
        let codeHash = try claims.optionalText("c_hash")
        guard codeHash != nil || !brought.contains(.code) else { throw .claimMissing }
        if let codeHash, let code = login.code {
            guard isHash(codeHash, of: code, algorithm) else { throw .codeHashMismatch }
        }
    }

    private func checkTimes(
        _ claims: IDTokenReader,
        _ login: IDTokenContext,
        _ now: Int64
    ) throws(IDTokenRefusal) -> (issuedAt: Int64, loggedInAt: Int64?) {
        let skew = rules.skew.components.seconds
        guard try claims.time("exp") > now - skew else { throw .expired }
        if let start = try claims.optionalTime("nbf") {
            guard start <= now + skew else { throw .notYetValid }
        }
        let issuedAt = try claims.time("iat")
        guard issuedAt <= now + skew else { throw .issuedInFuture }
        guard now - issuedAt <= rules.issueWindow.components.seconds else { throw .issuedTooLongAgo }
        guard let loggedInAt = try claims.optionalTime("auth_time") else {
            guard login.maximumAge == nil else { throw .claimMissing }
            return (issuedAt, nil)
        }
        guard loggedInAt <= now + skew else { throw .loginInFuture }
        if let age = login.maximumAge {
            guard now - loggedInAt <= age.components.seconds + skew else { throw .loginTooLongAgo }
        }
        return (issuedAt, loggedInAt)
    }

    private func isHash(_ hash: String, of text: String, _ algorithm: String) -> Bool {
        guard let own = TokenHash.make(of: text, algorithm: algorithm) else { return false }
        return constantTimeEqual(own.utf8Span.span, hash.utf8Span.span)
    }

    private func isListed(_ text: String, _ list: [String]) -> Bool {
        list.contains { $0.octets == text.octets }
    }
}

/// Reads claims, each with its type.
struct IDTokenReader {
    let members: [JSONMember]

    func text(_ name: String) throws(IDTokenRefusal) -> String {
        guard let text = try optionalText(name) else { throw .claimMissing }
        return text
    }

    func optionalText(_ name: String) throws(IDTokenRefusal) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw .claimType }
        return text
    }

    /// A text, or a list of texts.
    func texts(_ name: String) throws(IDTokenRefusal) -> [String] {
        guard let value = value(name) else { throw .claimMissing }
        if let text = value.text { return [text] }
        guard case .array(let elements) = value else { throw .claimType }
        let texts = elements.compactMap(\.text)
        guard texts.count == elements.count else { throw .claimType }
        return texts
    }

    func time(_ name: String) throws(IDTokenRefusal) -> Int64 {
        guard let time = try optionalTime(name) else { throw .claimMissing }
        return time
    }

    /// Seconds since 1970; a fraction is cut off.
    func optionalTime(_ name: String) throws(IDTokenRefusal) -> Int64? {
        guard let value = value(name) else { return nil }
        guard case .number(let digits) = value, let seconds = Double(digits), seconds >= 0, seconds < 0x1p53 else {
            throw .claimType
        }
        return Int64(seconds.rounded(.down))
    }

    /// How the user logged in; empty where it is no list of texts.
    var methods: [String] {
        guard let value = value("amr"), case .array(let elements) = value else { return [] }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : []
    }

    /// A member, `null` among them.
    private func value(_ name: String) -> JSONValue? {
        members.first { $0.name.octets == name.octets }?.value
    }
}
