import Cryptography
import JOSE
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("A set of keys")
struct JSONWebKeySetTests {
    private static let cases: [JSONValue] = {
        let document = try? JSONParser.parse(JOSEVectors.bytes("jwks_documents.json"))
        return document?["cases"]?.elements ?? []
    }()

    private static func fault(_ document: String) -> JSONWebKeyError? {
        do throws(JSONWebKeyError) {
            _ = try JSONWebKeySet(Array(document.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `is read as the vectors say`() throws {
        #expect(JSONWebKeySetTests.cases.count == 27)
        for one in JSONWebKeySetTests.cases {
            let id = one["id"]?.text ?? ""
            let document = try #require(one["document"]?.text)
            if one["verdict"]?.text == "reject" {
                #expect(JSONWebKeySetTests.fault(document)?.rawValue == one["reason"]?.text, "\(id)")
                continue
            }
            let usable = try JSONWebKeySet(Array(document.utf8)).entries.filter { $0.key != nil }
            let names = usable.map { JSONValue($0.keyID) }
            #expect(names == one["usable"]?.elements.map { $0["kid"] ?? .null }, "\(id)")
            let kinds = usable.map { $0.key?.algorithm == .rs256 ? "RSA" : "EC" }
            #expect(kinds == one["usable"]?.elements.map { $0["kty"]?.text }, "\(id)")
        }
    }

    @Test func `is bounded`() {
        let blanks = String(repeating: " ", count: JSONWebKeySet.limit - 11)
        #expect(JSONWebKeySetTests.fault(#"{"keys":[]}"# + blanks) == nil)
        #expect(JSONWebKeySetTests.fault(#"{"keys":[]}"# + blanks + " ") == .malformedKeys)
        let entries = [String](repeating: "{}", count: 200).joined(separator: ",")
        #expect(JSONWebKeySetTests.fault(#"{"keys":[\#(entries)]}"#) == nil)
        #expect(JSONWebKeySetTests.fault(#"{"keys":[\#(entries),1]}"#) == .tooManyKeys)
        #expect(JSONWebKeySetTests.fault(#"{"keys":[{"a":[[[[[[1]]]]]]}]}"#) == .malformedKeys)
    }

    @Test func `counts keys that somebody has published`() throws {
        let document = #"{"keys":[{"kty":"EC","d":"AA"},{"kty":"oct","k":"AA"},{"kty":"EC"},"d"]}"#
        #expect(try JSONWebKeySet(Array(document.utf8)).leakedKeys == 2)
    }

    /// A set of keys under names; each key is drawn anew.
    private static func set(_ names: [(String?, KeyKind, extra: [JSONMember])]) throws -> JSONWebKeySet {
        let keys = try names.map { name, kind, extra -> JSONValue in
            var leaf = TestPath.leaf
            leaf.key = kind
            let certificate = try X509Certificate(leaf.issued(by: nil).certificatePEM)
            let jwk = try JSONWebKey.value(of: JWSVerificationKey(certificate: certificate), keyID: name)
            let kept = jwk.members.filter { member in !extra.contains { $0.name == member.name } }
            return .object(kept + extra)
        }
        return try JSONWebKeySet(JSONValue.object([JSONMember("keys", .array(keys))]).bytes)
    }

    private static func fault(_ set: JSONWebKeySet, _ name: String?, _ algorithm: JWSAlgorithm) -> JSONWebKeyError? {
        do throws(JSONWebKeyError) {
            _ = try set.key(named: name, for: algorithm)
            return nil
        } catch {
            return error
        }
    }

    @Test func `has one key for a text, by name and kind`() throws {
        let set = try JSONWebKeySetTests.set([
            ("a", .p256, []), ("b", .p384, []), ("c", .p256, []), ("c", .p384, []), ("d", .p256, []), ("d", .p256, []),
            ("e", .p256, [JSONMember("use", "enc")]), ("f", .p256, [JSONMember("alg", "ES384")]),
            ("g", .p256, [JSONMember("key_ops", ["sign"])]), (nil, .rsa2048, []),
        ])
        #expect(try set.key(named: "a", for: .es256).algorithm == .es256)
        #expect(JSONWebKeySetTests.fault(set, "a", .es384) == .unusableKey)
        #expect(JSONWebKeySetTests.fault(set, "A", .es256) == .unknownKey)
        #expect(JSONWebKeySetTests.fault(set, "b", .es384) == nil)
        // Of one name, and one of them for each algorithm.
        #expect(try set.key(named: "c", for: .es256).algorithm == .es256)
        #expect(try set.key(named: "c", for: .es384).algorithm == .es384)
        #expect(JSONWebKeySetTests.fault(set, "d", .es256) == .ambiguousKey)
        for name in ["e", "f", "g"] { #expect(JSONWebKeySetTests.fault(set, name, .es256) == .unusableKey) }
        // Without a name all are looked at.
        #expect(JSONWebKeySetTests.fault(set, nil, .rs256) == nil)
        #expect(JSONWebKeySetTests.fault(set, nil, .es256) == .ambiguousKey)
        let empty = try JSONWebKeySet(Array(#"{"keys":[]}"#.utf8))
        #expect(JSONWebKeySetTests.fault(empty, nil, .rs256) == .unknownKey)
        #expect(JSONWebKeySetTests.fault(try JSONWebKeySetTests.set([("a", .p256, [])]), nil, .rs256) == .unknownKey)
    }
}

@Suite("A key in JSON")
struct JSONWebKeyTests {
    @Test(arguments: [KeyKind.p256, .p384, .rsa2048])
    func `is read as the key that was written`(kind: KeyKind) throws {
        var leaf = TestPath.leaf
        leaf.key = kind
        let certificate = try X509Certificate(leaf.issued(by: nil).certificatePEM)
        let key = try JWSVerificationKey(certificate: certificate)
        let jwk = try JSONWebKey.value(of: key, keyID: "a")
        #expect(try JSONWebKey.value(of: JWSVerificationKey(jwk: jwk), keyID: "a") == jwk)
        #expect(jwk["kid"] == "a" && jwk["use"] == "sig" && jwk["alg"]?.text == key.algorithm.rawValue)
        #expect(try JSONWebKey.value(of: key, keyID: nil)["kid"] == nil)
    }

    @Test func `has coordinates of full length`() throws {
        // One coordinate in 256 begins with a zero.
        var beginnings: Set<Bool> = []
        for _ in 0..<2_000 where beginnings.count < 2 {
            let certificate = try X509Certificate(TestPath.leaf.issued(by: nil).certificatePEM)
            let jwk = try JSONWebKey.value(of: JWSVerificationKey(certificate: certificate), keyID: nil)
            for name in ["x", "y"] {
                let bytes = try #require(Base64URL.decode(jwk[name]?.text ?? ""))
                #expect(bytes.count == 32)
                beginnings.insert(bytes.first == 0)
            }
        }
        #expect(beginnings == [true, false])
    }

    @Test func `verifies what its private half signs`() throws {
        let key = try SignedText.key()
        let jwk = try JSONWebKey.value(of: JWSVerificationKey(of: key), keyID: nil)
        let text = try JWTSigner(key: key, keyID: nil).sign(claims: [:])
        try CompactJWS(text).verify(with: JWSVerificationKey(jwk: jwk), allowing: [.es256])
    }

    @Test(arguments: [
        JSONMember("kty", "OKP"), JSONMember("kty", "ec"), JSONMember("kty", .null), JSONMember("crv", "P-384"),
        JSONMember("crv", "secp256k1"), JSONMember("crv", "P-521"), JSONMember("x", ""), JSONMember("y", .null),
        JSONMember("use", "enc"), JSONMember("use", 1), JSONMember("use", ["sig"]), JSONMember("key_ops", "verify"),
        JSONMember("key_ops", []), JSONMember("alg", "ES384"), JSONMember("alg", "es256"), JSONMember("alg", 1),
        JSONMember("d", "AA"), JSONMember("k", .null),
    ])
    func `is refused where it is no public key for signatures`(member: JSONMember) throws {
        let jwk = try JSONWebKey.value(of: JWSVerificationKey(of: SignedText.key()), keyID: nil)
        let changed = JSONValue.object(jwk.members.filter { $0.name != member.name } + [member])
        #expect(throws: CryptographyError.self) { _ = try JWSVerificationKey(jwk: changed) }
    }
}

@Suite("A map of names to keys in PEM")
struct PEMKeyMapTests {
    @Test func `is read as the vectors say`() throws {
        let document = try JSONParser.parse(JOSEVectors.bytes("public_keys_documents.json"))
        let cases = document["cases"]?.elements ?? []
        #expect(cases.count == 15)
        for one in cases {
            let id = one["id"]?.text ?? ""
            let text = Array((one["document"]?.text ?? "").utf8)
            do throws(JSONWebKeyError) {
                let usable = try JSONWebKeySet(pemMap: text).entries.filter { $0.key != nil }
                #expect(one["verdict"] == "accept", "\(id)")
                #expect(usable.map { JSONValue($0.keyID) } == one["usable"]?.elements, "\(id)")
            } catch {
                #expect(one["verdict"] == "reject" && error.rawValue == one["reason"]?.text, "\(id)")
            }
        }
    }
}
