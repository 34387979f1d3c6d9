import Foundation
import JOSE
import OpenID
import StrictJSON

/// Discovery documents.
enum DiscoveryVectors: VectorKind {
    static let fileName = "discovery.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try LoginCase.judge(document["cases"]?.elements ?? []) { item in
            guard let type = ResponseType(try LoginCase.text(item, "wanted_response_type")) else {
                throw VectorError(description: "a case with an unknown response type")
            }
            let algorithms = (item["allowed_algs"]?.elements ?? []).compactMap { value in
                value.text.flatMap { JWSAlgorithm(rawValue: $0) }
            }
            let demand = ProviderDemand(
                issuer: try LoginCase.text(item, "configured_issuer"),
                type: type,
                algorithms: Set(algorithms)
            )
            let text = Array(try LoginCase.text(item, "document").utf8)
            do throws(DiscoveryRefusal) {
                _ = try ProviderMetadata(reading: text, for: demand)
                return nil
            } catch {
                return error.rawValue
            }
        }
    }
}

/// Sets of keys in JSON, with the names of those that may be used.
enum KeySetVectors: VectorKind {
    static let fileName = "jwks_documents.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try LoginCase.judge(document["cases"]?.elements ?? []) { item in
            let names = (item["usable"]?.elements ?? []).map { $0["kid"]?.text }
            return try refusal(item, names) { document throws(JSONWebKeyError) in try JSONWebKeySet(document) }
        }
    }

    /// The reason of a refusal, or a word where other keys may be used than the case says.
    static func refusal(
        _ item: JSONValue,
        _ names: [String?],
        _ read: ([UInt8]) throws(JSONWebKeyError) -> JSONWebKeySet
    ) throws -> String? {
        let text = Array(try LoginCase.text(item, "document").utf8)
        do throws(JSONWebKeyError) {
            let usable = try read(text).entries.filter { $0.key != nil }.map(\.keyID)
            return usable == names ? nil : "other keys"
        } catch {
            return error.rawValue
        }
    }
}

/// Maps of names to keys in PEM.
enum KeyMapVectors: VectorKind {
    static let fileName = "public_keys_documents.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try LoginCase.judge(document["cases"]?.elements ?? []) { item in
            let names = (item["usable"]?.elements ?? []).map(\.text)
            return try KeySetVectors.refusal(item, names) { document throws(JSONWebKeyError) in
                try JSONWebKeySet(pemMap: document)
            }
        }
    }
}

/// Proof keys.
enum ProofKeyVectors: VectorKind {
    static let fileName = "pkce.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try LoginCase.judge(document["cases"]?.elements ?? []) { item in
            let (verifier, challenge) = try (LoginCase.text(item, "verifier"), LoginCase.text(item, "challenge"))
            let method = try LoginCase.text(item, "method")
            do throws(ProofKey.Refusal) {
                try ProofKey.check(verifier, against: challenge, method: method)
                return nil
            } catch {
                return error.rawValue
            }
        }
    }
}

/// Hashes by which an ID token names what comes beside it.
enum TokenHashVectors: VectorKind {
    static let fileName = "hashes.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try (document["cases"]?.elements ?? []).map { item in
            let algorithm = try LoginCase.text(item, "alg")
            let value = try LoginCase.text(item, "value")
            return VectorOutcome(
                "\(algorithm) of \(value.utf8.count) characters",
                found: TokenHash.make(of: value, algorithm: algorithm) ?? "none",
                expected: try LoginCase.text(item, "hash")
            )
        }
    }
}
