import Foundation
import JOSE
import OpenID
import Primitives
import StrictJSON
import Testing

/// Reads the files under `Vectors`; each case has an id, a verdict, and a reason where it is refused.
enum OpenIDVectors {
    static func document(_ name: String) throws -> JSONValue {
        let file = Bundle.module.bundleURL.appendingPathComponent("Vectors/" + name)
        return try JSONParser.parse(Array(try Data(contentsOf: file)), depth: 32)
    }

    /// The cases of a file, as many as its README says.
    static func cases(_ name: String, count: Int) throws -> [JSONValue] {
        let cases = try document(name)["cases"]?.elements ?? []
        try #require(cases.count == count, "\(name)")
        return cases
    }

    /// Expects a verdict: `nil` where the case is accepted, a reason where it is not.
    static func expect(_ found: String?, _ item: JSONValue) {
        let id = item["id"]?.text ?? ""
        guard item["verdict"]?.text == "reject" else {
            #expect(found == nil, "\(id)")
            return
        }
        let reasons =
            [item["reason"]].compactMap { $0?.text }
            + (item["also_accepted_reasons"]?.elements ?? []).compactMap(\.text)
        #expect(found.map(reasons.contains) == true, "\(id): \(found ?? "accepted"), not \(reasons)")
    }

    /// A text that a case cannot be without.
    static func text(_ item: JSONValue?, _ name: String) throws -> String {
        try #require(item?[name]?.text, "\(name)")
    }
}

/// Effective settings of a case of ID tokens: its profile, overlaid with its context.
struct IDTokenCase {
    let rules: IDTokenRules
    let login: IDTokenContext
    let keys: IDTokenKeys
    let now: WallTime

    init(_ profile: JSONValue, _ context: JSONValue, documents: JSONValue) throws {
        let value = { (name: String) in context[name] ?? profile[name] }
        let texts = { (name: String) in (value(name)?.elements ?? []).compactMap(\.text) }
        var rules = IDTokenRules(
            issuer: try #require(value("issuer")?.text),
            clientID: try #require(value("client_id")?.text)
        )
        rules.issuerAliases = texts("issuer_aliases")
        rules.trustedAudiences = texts("trusted_audiences")
        rules.authorizedParties = texts("authorized_parties")
        rules.needsKeyID = value("require_kid")?.flag ?? false
        rules.issueWindow = .seconds(value("iat_window")?.integer ?? 600)
        rules.skew = .seconds(value("skew")?.integer ?? 60)
        self.rules = rules
        let type = try #require(ResponseType(value("response_type")?.text ?? "code"))
        let isFront = value("channel")?.text == "authorization"
        var login = IDTokenContext(
            isFront ? .front(type) : .back,
            nonce: .text(try #require(value("nonce")?.text))
        )
        login.code = value("code")?.text
        login.accessToken = value("access_token")?.text
        login.maximumAge = value("max_age")?.integer.map { .seconds($0) }
        self.login = login
        now = WallTime(seconds: Int64(try #require(value("now")?.integer)))
        let algorithms = texts("algs")
        if algorithms == ["HS256"] {
            keys = .clientSecret(Secret(Array(try #require(value("client_secret")?.text).utf8)))
            return
        }
        let name = try #require(value("keys")?.text)
        let document = try #require(documents[name])
        let set =
            try value("key_format") == "pem-map"
            ? JSONWebKeySet(pemMap: document.bytes) : JSONWebKeySet(document.bytes)
        keys = .published(set, allowing: Set(algorithms.compactMap { JWSAlgorithm(rawValue: $0) }))
    }

    /// The reason of a refusal; `nil` where the token is good.
    func refusal(_ token: String) -> IDTokenRefusal? {
        do throws(IDTokenRefusal) {
            _ = try IDTokenJudge(rules).judge(token, of: login, with: keys, at: now)
            return nil
        } catch {
            return error
        }
    }
}
