import Cryptography
import Primitives
import StrictJSON

/// Why a set of keys cannot be read, or has no key for a text.
package enum JSONWebKeyError: String, Error, Sendable {
    /// The document is too large, no JSON object with a list of keys, or says something twice.
    case malformedKeys = "malformed_keys"
    /// More entries than allowed.
    case tooManyKeys = "too_many_keys"
    /// No entry has the name.
    case unknownKey = "kid_unknown"
    /// Entries of the name are there, none of them for the algorithm.
    case unusableKey = "key_unusable"
    /// Two entries would do, and which one is meant cannot be told.
    case ambiguousKey = "key_ambiguous"
}

/// A set of public keys in JSON, RFC 7517 section 5, as a provider of logins publishes it.
///
/// An entry that cannot be used does no harm to the others.
package struct JSONWebKeySet: Sendable {
    /// One entry of the list.
    package struct Entry: Sendable {
        /// `kid`; `nil` where it is absent.
        package let keyID: String?
        /// `nil` where the entry is no key that verifies signatures here: of another kind, too weak, for another use, not public.
        package let key: JWSVerificationKey?
    }

    /// The entries in order, without those whose `kid` is no text.
    package let entries: [Entry]
    /// How many entries brought a private or secret half: somebody has published it.
    package let leakedKeys: Int

    /// How long a document may be, in bytes.
    package static let limit = 262_144
    /// How many entries it may have.
    package static let maximumCount = 200
    static let maximumName = 256
    private static let depth = 8
    private static let values = 16_384

    /// Reads a set.
    ///
    /// - Parameter document: UTF-8.
    /// - Throws: `malformedKeys`, `tooManyKeys`.
    package init(_ document: [UInt8]) throws(JSONWebKeyError) {
        guard case .array(let keys)? = JSONWebKeySet.object(document)?["keys"] else { throw .malformedKeys }
        guard keys.count <= JSONWebKeySet.maximumCount else { throw .tooManyKeys }
        self.init(
            entries: keys.compactMap(JSONWebKeySet.entry),
            leakedKeys: keys.count(where: JSONWebKey.isPrivate)
        )
    }

    init(entries: [Entry], leakedKeys: Int = 0) {
        self.entries = entries
        self.leakedKeys = leakedKeys
    }

    /// The object that a document is, or `nil`.
    static func object(_ document: [UInt8]) -> JSONValue? {
        guard document.count <= limit, let value = try? JSONParser.parse(document, depth: depth, values: values),
            case .object = value
        else { return nil }
        return value
    }

    /// The one key that a text may be verified with.
    ///
    /// - Parameters:
    ///   - keyID: That of the text's header, compared by octets; `nil` looks at all entries.
    ///   - algorithm: That of the text's header, if it is allowed.
    /// - Throws: `unknownKey`, `unusableKey`, `ambiguousKey`. Keys are never tried one after the other.
    package func key(named keyID: String?, for algorithm: JWSAlgorithm) throws(JSONWebKeyError) -> JWSVerificationKey {
        let named = keyID.map { id in entries.filter { $0.keyID?.octets == id.octets } } ?? entries
        guard !named.isEmpty else { throw .unknownKey }
        let fitting = named.compactMap(\.key).filter { $0.algorithm == algorithm }
        guard let key = fitting.first else { throw keyID == nil ? .unknownKey : .unusableKey }
        guard fitting.count == 1 else { throw .ambiguousKey }
        return key
    }

    private static func entry(_ jwk: JSONValue) -> Entry? {
        guard case .object(let members) = jwk else { return nil }
        var keyID: String?
        if let member = members.first(where: { $0.name.octets == "kid" }) {
            guard let text = member.value.text, text.utf8.count <= maximumName else { return nil }
            keyID = text
        }
        return Entry(keyID: keyID, key: try? JWSVerificationKey(jwk: jwk))
    }
}
