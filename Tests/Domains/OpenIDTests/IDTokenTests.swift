import Foundation
import JOSE
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import OpenID

@Suite("An ID token")
struct IDTokenTests {
    /// The cases of the main file with what each is judged by.
    private static func cases() throws -> [(item: JSONValue, setting: IDTokenCase, token: String)] {
        let document = try OpenIDVectors.document("id_token.json")
        let keys = try #require(try OpenIDVectors.document("keys.json")["documents"])
        return try (document["cases"]?.elements ?? []).map { item in
            let profile = try #require(document["profiles"]?[try OpenIDVectors.text(item, "profile")])
            let setting = try IDTokenCase(profile, item["context"] ?? [:], documents: keys)
            return (item, setting, item["token"]?.text ?? "")
        }
    }

    @Test func `is judged as the vectors say, with their reasons`() throws {
        let cases = try IDTokenTests.cases()
        #expect(cases.count == 189)
        for (item, setting, token) in cases { OpenIDVectors.expect(setting.refusal(token)?.rawValue, item) }
    }

    @Test func `of the published examples is judged as the vectors say`() throws {
        let document = try OpenIDVectors.document("jose/oidc_core_appendix_a.json")
        let keys: JSONValue = .object([JSONMember("core", try #require(document["keys"]))])
        let profile = try #require(document["profile"])
        let cases = document["cases"]?.elements ?? []
        #expect(cases.count == 7)
        for item in cases {
            let setting = try IDTokenCase(profile, item["context"] ?? [:], documents: keys)
            OpenIDVectors.expect(setting.refusal(try OpenIDVectors.text(item, "token"))?.rawValue, item)
        }
    }

    @Test func `of a key that was published meanwhile is good once the keys are read anew`() throws {
        let (item, setting, token) = try #require(try IDTokenTests.cases().first { $0.item["id"] == "k05" })
        #expect(setting.refusal(token) == .keyUnknown)
        let document = try OpenIDVectors.document("id_token.json")
        let profile = try #require(document["profiles"]?[try OpenIDVectors.text(item, "profile")])
        var context = item["context"]?.members ?? []
        context.removeAll { $0.name == "keys" }
        context.append(JSONMember("keys", "yahoo-after"))
        let keys = try #require(try OpenIDVectors.document("keys.json")["documents"])
        #expect(try IDTokenCase(profile, .object(context), documents: keys).refusal(token) == nil)
    }

    @Test func `that is changed anywhere is refused`() throws {
        // Another seed each run; it is in the message of a failure.
        let seed = UInt64.random(in: 0 ... .max)
        let random = SeededRandom(seed: seed)
        let good = try IDTokenTests.cases().filter { $0.item["verdict"] == "accept" }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=".utf8)
        for _ in 0..<100 {
            let (item, setting, token) = good[random.below(good.count)]
            var bytes = Array(token.utf8)
            let place = random.below(bytes.count)
            let letter = alphabet[random.below(alphabet.count)]
            switch random.below(3) {
            case 0: bytes[place] = letter
            case 1: bytes.remove(at: place)
            default: bytes.insert(letter, at: place)
            }
            let changed = String(decoding: bytes, as: UTF8.self)
            guard changed != token else { continue }
            #expect(setting.refusal(changed) != nil, "\(item["id"]?.text ?? ""), seed \(seed): \(changed)")
        }
    }

    @Test func `that a shared secret or public keys are expected for chooses neither`() throws {
        let cases = try IDTokenTests.cases()
        let published = try #require(cases.first { $0.item["id"] == "v01" })
        let shared = try #require(
            cases.first { $0.item["profile"] == "shared-secret" && $0.item["verdict"] == "accept" }
        )
        let judge = { (one: IDTokenCase, keys: IDTokenKeys, token: String) -> IDTokenRefusal? in
            do throws(IDTokenRefusal) {
                _ = try IDTokenJudge(one.rules).judge(token, of: one.login, with: keys, at: one.now)
                return nil
            } catch {
                return error
            }
        }
        #expect(judge(published.setting, shared.setting.keys, published.token) == .algorithmNotAllowed)
        #expect(judge(shared.setting, published.setting.keys, shared.token) == .algorithmNotAllowed)
    }

    @Test func `has reasons that tell what is old from what may be an attack`() {
        let stale = IDTokenRefusal.allCases.filter(\.isStale).map(\.rawValue)
        #expect(
            stale == [
                "expired", "not_yet_valid", "iat_future", "iat_too_old", "auth_time_future", "auth_time_too_old",
            ]
        )
    }

    @Test func `names what comes beside it by the hashes of the vectors`() throws {
        let cases = try OpenIDVectors.cases("hashes.json", count: 28)
        for item in cases {
            let algorithm = try OpenIDVectors.text(item, "alg")
            let made = TokenHash.make(of: try OpenIDVectors.text(item, "value"), algorithm: algorithm)
            #expect(made == item["hash"]?.text, "\(algorithm)")
        }
        #expect(TokenHash.make(of: "a", algorithm: "none") == nil)
    }
}

@Suite("The signature of an ID token")
struct IDTokenSignatureTests {
    /// Whether a text's form and signature are good; what it says is not looked at.
    private static func isGood(_ text: String, _ keys: IDTokenKeys) -> Bool {
        do throws(IDTokenRefusal) {
            try IDTokenParts(text).verify(with: keys, needsKeyID: false)
            return true
        } catch {
            return false
        }
    }

    /// What a case is verified with: the client secret, or its key as a set of one; `nil` for an algorithm that is never used.
    private static func keys(_ key: JSONValue, _ algorithms: [String]) throws -> IDTokenKeys? {
        if algorithms == ["HS256"] {
            guard let secret = key["k"]?.text else { return nil }
            return .clientSecret(Secret(try #require(Base64URL.decode(secret))))
        }
        let known = Set(algorithms.compactMap { JWSAlgorithm(rawValue: $0) })
        guard !known.isEmpty else { return nil }
        let set: JSONValue = .object([JSONMember("keys", key["keys"] ?? .array([key]))])
        return .published(try JSONWebKeySet(set.bytes), allowing: known)
    }

    @Test(arguments: [("jose/rfc7520.json", 5), ("jose/wycheproof_jws.json", 393)])
    func `is judged as the vectors of others say`(_ file: String, _ count: Int) throws {
        let document = try OpenIDVectors.document(file)
        let cases = try OpenIDVectors.cases(file, count: count)
        var judged = 0
        for item in cases {
            let algorithms = (item["algs"]?.elements ?? []).compactMap(\.text)
            let named = try #require(item["key"])
            let key = try named.text.map { try #require(document["keys"]?[$0]) } ?? named
            guard let keys = try IDTokenSignatureTests.keys(key, algorithms) else { continue }
            judged += 1
            // An empty payload is a good text, and no ID token.
            if item["id"] == "wp-259" { continue }
            let isGood = IDTokenSignatureTests.isGood(try OpenIDVectors.text(item, "jws"), keys)
            #expect(isGood == (item["verdict"] == "accept"), "\(item["id"]?.text ?? "")")
        }
        // Those of PS256, RS384 and the like have no key here.
        #expect(judged > count / 3)
    }
}
