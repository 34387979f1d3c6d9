import Foundation
import JOSE
import OpenID
import Primitives
import StrictJSON

/// ID tokens, each with the login that it has to fit; the keys are in `keys.json`.
enum IDTokenVectors: VectorKind {
    static let fileName = "id_token.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        guard let keys = try LoginCase.document("keys.json", in: folder)["documents"] else {
            throw VectorError(description: "keys.json has no documents")
        }
        return try LoginCase.judge(document["cases"]?.elements ?? []) { item in
            guard let profile = document["profiles"]?[try LoginCase.text(item, "profile")] else {
                throw VectorError(description: "a case without its profile")
            }
            let settings = try IDTokenSettings(profile, item["context"] ?? [:], keys)
            return settings.judge(item["token"]?.text ?? "").refusal
        }
    }
}

/// Two ID tokens of a login, one of which came through the browser.
enum HybridPairVectors: VectorKind {
    static let fileName = "hybrid_pairs.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        guard let profile = document["profile"], let clock = document["clock"], let keys = document["keys"] else {
            throw VectorError(description: "a file without profile, clock and keys")
        }
        let known: JSONValue = .object([JSONMember("one", keys)])
        return try LoginCase.judge(document["cases"]?.elements ?? []) { item in
            let type = try LoginCase.text(item, "response_type")
            let judge = {
                (name: String, channel: String, code: String?) throws -> (claims: IDTokenClaims?, refusal: String?) in
                guard let token = item[name]?["id_token"]?.text else { return (nil, "missing_member") }
                let context: JSONValue = [
                    "channel": .string(channel), "now": clock, "keys": "one", "response_type": .string(type),
                    "code": JSONValue(code), "access_token": JSONValue(item[name]?["access_token"]?.text),
                ]
                return try IDTokenSettings(profile, context, known).judge(token)
            }
            let code = item["front"]?["code"]?.text
            let isTwice = ResponseType(type)?.contains(.idToken) ?? false
            let front: (claims: IDTokenClaims?, refusal: String?) =
                isTwice ? try judge("front", "authorization", code) : (nil, nil)
            if let refusal = front.refusal { return refusal }
            let back = try judge("back", "token", item["code_sent_to_token_endpoint"]?.text ?? code)
            guard let first = front.claims, let second = back.claims else { return back.refusal }
            do throws(HybridMismatch) {
                try second.check(against: first)
                return nil
            } catch {
                return error.rawValue
            }
        }
    }
}

/// What an ID token is judged by: a profile, overlaid with the context of a case.
private struct IDTokenSettings {
    private let rules: IDTokenRules
    private let login: IDTokenContext
    private let keys: IDTokenKeys
    private let now: WallTime

    init(_ profile: JSONValue, _ context: JSONValue, _ documents: JSONValue) throws {
        let value = { (name: String) in context[name] ?? profile[name] }
        let texts = { (name: String) in (value(name)?.elements ?? []).compactMap(\.text) }
        guard let issuer = value("issuer")?.text, let client = value("client_id")?.text,
            let nonce = value("nonce")?.text, let seconds = value("now")?.integer,
            let type = ResponseType(value("response_type")?.text ?? "code")
        else { throw VectorError(description: "settings without issuer, client, nonce and time") }
        var rules = IDTokenRules(issuer: issuer, clientID: client)
        rules.issuerAliases = texts("issuer_aliases")
        rules.trustedAudiences = texts("trusted_audiences")
        rules.authorizedParties = texts("authorized_parties")
        rules.needsKeyID = value("require_kid")?.flag ?? false
        if let window = value("iat_window")?.integer { rules.issueWindow = .seconds(window) }
        if let skew = value("skew")?.integer { rules.skew = .seconds(skew) }
        self.rules = rules
        var login = IDTokenContext(
            value("channel")?.text == "authorization" ? .front(type) : .back,
            nonce: .text(nonce)
        )
        login.code = value("code")?.text
        login.accessToken = value("access_token")?.text
        login.maximumAge = value("max_age")?.integer.map { .seconds($0) }
        self.login = login
        now = WallTime(seconds: Int64(seconds))
        if let secret = value("client_secret")?.text {
            keys = .clientSecret(Secret(Array(secret.utf8)))
        } else {
            guard let document = value("keys")?.text.flatMap({ documents[$0] })?.bytes else {
                throw VectorError(description: "settings without keys")
            }
            let isMap = value("key_format")?.text == "pem-map"
            let set = try isMap ? JSONWebKeySet(pemMap: document) : JSONWebKeySet(document)
            keys = .published(set, allowing: Set(texts("algs").compactMap { JWSAlgorithm(rawValue: $0) }))
        }
    }

    func judge(_ token: String) -> (claims: IDTokenClaims?, refusal: String?) {
        do throws(IDTokenRefusal) {
            return (try IDTokenJudge(rules).judge(token, of: login, with: keys, at: now), nil)
        } catch {
            return (nil, error.rawValue)
        }
    }
}
