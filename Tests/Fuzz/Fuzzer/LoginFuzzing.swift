import Cryptography
import JOSE
import Primitives
import StrictJSON

@testable import OpenID

/// What providers of logins send, some of it through the user's browser: answers of all endpoints, discovery documents, keys, ID tokens.
///
/// Whatever comes, it logs in nobody but the user of a token that was signed for this login.
let loginTarget = FuzzTarget(
    name: "login",
    examine: { unit in
        guard let selection = Selection(unit, of: 6) else { return }
        switch selection.number {
        case 0: examineAnswer(selection.rest)
        case 1: examineTokens(selection.rest)
        case 2: examineClaims(selection.rest)
        case 3: examineDiscovery(selection.rest)
        case 4: examineKeys(selection.rest)
        default: examineIDToken(selection.rest)
        }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 6) else { return }
        switch selection.number {
        case 0: _ = try? AuthorizationAnswer(received: text(selection.rest), LoginSample.context)
        case 1: _ = try? TokenAnswer(status: 200, contentType: nil, body: selection.rest, for: .code)
        case 2: _ = try? UserInfo(status: 200, challenge: nil, body: selection.rest, of: LoginSample.subject)
        case 3: _ = try? ProviderMetadata(reading: selection.rest, for: LoginSample.demand)
        case 4: _ = try? JSONWebKeySet(pemMap: selection.rest)
        default: _ = LoginSample.judge(selection.rest)
        }
    }
)

/// One login that all units are of.
private enum LoginSample {
    static let issuer = "https://op.example"
    static let subject = "S1"
    static let now = WallTime(seconds: 1_767_225_600)
    static let secret = Secret(Array("0123456789abcdef0123456789abcdef".utf8))
    static let redirect = "https://shop.example/login/callback/op"
    static let demand = ProviderDemand(issuer: issuer, type: .code, algorithms: [.rs256, .es256])
    static let context = AuthorizationContext(
        [.code, .idToken],
        redirect: redirect,
        state: .text("state"),
        issuer: issuer
    )

    /// The one token that is good.
    static let token: String = {
        let header = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8))
        let claims: JSONValue = [
            "iss": .string(issuer), "aud": "client", "sub": .string(subject), "nonce": "nonce",
            "exp": 1_767_229_200, "iat": 1_767_225_590,
        ]
        let signed = header + "." + Base64URL.encode(claims.bytes)
        guard let tag = try? HMACSHA256.tag(of: Array(signed.utf8), key: secret.reveal()) else { return signed }
        return signed + "." + Base64URL.encode(tag.bytes)
    }()

    static func judge(_ unit: [UInt8]) -> IDTokenClaims? {
        let judge = IDTokenJudge(IDTokenRules(issuer: issuer, clientID: "client"))
        let login = IDTokenContext(.back, nonce: .text("nonce"))
        return try? judge.judge(text(unit), of: login, with: .clientSecret(secret), at: now)
    }
}

private func examineAnswer(_ unit: [UInt8]) {
    // The same content where an app and where a server sees it.
    let received = text(unit)
    let answer = try? AuthorizationAnswer(received: received, LoginSample.context)
    if !received.utf8.contains(UInt8(ascii: "#")) {
        let seen = try? AuthorizationAnswer(url: LoginSample.redirect + "#" + received, LoginSample.context)
        let isLong = LoginSample.redirect.utf8.count + 1 + received.utf8.count > 32_768
        check(isLong || seen?.code?.reveal() == answer?.code?.reveal(), "an app reads what a server reads")
    }
    guard let answer else { return }
    check(answer.code.map { !$0.reveal().isEmpty && $0.reveal().utf8.count <= 2_048 } ?? false, "a code is there")
    check(answer.idToken != nil && answer.accessToken == nil, "an answer brings what was asked for")
    check(received.utf8.count <= 32_768, "an answer has a limit")
    let states = received.utf8.split(separator: UInt8(ascii: "&")).filter { $0.starts(with: "state=".utf8) }
    check(states.count <= 1, "a state comes once")
}

private func examineTokens(_ unit: [UInt8]) {
    for grant in [TokenGrant.code, .refresh] {
        guard let answer = try? TokenAnswer(status: 200, contentType: nil, body: unit, for: grant) else { continue }
        check(JSONGrammar.canonical(unit, depth: 64) != nil, "tokens stand in strict JSON")
        check(answer.accessToken.reveal().octets.isWord, "an access token is a word")
        check(grant == .refresh || answer.idToken != nil, "behind a code there is an ID token")
        check(answer.refreshToken?.reveal().octets.isWord ?? true, "a refresh token is a word")
        check(answer.life.map { $0 >= .zero && $0 <= .seconds(7_776_000) } ?? true, "a life has bounds")
    }
    let failed = try? TokenAnswer(status: 400, contentType: nil, body: unit, for: .refresh)
    check(failed == nil, "a refusal brings no tokens")
}

private func examineClaims(_ unit: [UInt8]) {
    if let info = try? UserInfo(status: 200, challenge: nil, body: unit, of: LoginSample.subject) {
        let claims = JSONValue.object(info.claims)
        check(claims["sub"]?.text == LoginSample.subject, "claims are the user's")
        check(claims["picture"]?.text?.octets.starts(with: "https://") ?? true, "a picture comes over TLS")
    }
    // A field of a refusal has the same alphabet.
    if let error = BearerChallenge.error(in: text(unit)) {
        check(error.utf8.count <= unit.count * 3, "an error is a part")
    }
}

private func examineDiscovery(_ unit: [UInt8]) {
    guard let found = try? ProviderMetadata(reading: unit, for: LoginSample.demand) else { return }
    check(JSONGrammar.canonical(unit, depth: 64) != nil, "a document is strict JSON")
    check(found.issuer.octets == LoginSample.issuer.octets, "the issuer is the one that was asked")
    for endpoint in [found.authorization, found.token, found.keys, found.userInfo, found.revocation].compactMap(\.self)
    {
        guard let url = HTTPURL(endpoint) else { return check(false, "an endpoint is a URL") }
        check(url.isSecure && url.host.special == nil, "an endpoint has TLS, and is not this machine")
        check(url.host.number?.isPrivate != true, "an endpoint is not in a network of ours")
    }
    check(found.algorithms.isSubset(of: [.rs256, .es256]), "an algorithm is one that may be used")
}

private func examineKeys(_ unit: [UInt8]) {
    guard let set = try? JSONWebKeySet(pemMap: unit) else { return }
    check(JSONGrammar.canonical(unit, depth: 8) != nil, "keys stand in strict JSON")
    let names = set.entries.compactMap { $0.keyID?.octets }
    check(names.count == set.entries.count && Set(names).count == names.count, "each key has a name of its own")
    check(set.entries.count <= JSONWebKeySet.maximumCount, "keys have a limit")
}

private func examineIDToken(_ unit: [UInt8]) {
    check(LoginSample.judge(Array(LoginSample.token.utf8)) != nil, "the token that was signed is good")
    guard LoginSample.judge(unit) != nil else { return }
    check(unit.elementsEqual(LoginSample.token.utf8), "a token that is good is the one that was signed")
}
