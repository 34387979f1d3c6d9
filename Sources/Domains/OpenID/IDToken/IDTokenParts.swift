import Cryptography
import JOSE
import Primitives
import StrictJSON

/// An ID token taken apart; its payload is not looked at before its signature was found good.
struct IDTokenParts {
    /// The header's members.
    let header: [JSONMember]
    /// The algorithm that the header names.
    let algorithm: String
    private let payload: [UInt8]
    private let signature: [UInt8]
    /// What was signed.
    private let signed: [UInt8]

    private static let limit = 16_384
    private static let depth = 64

    init(_ token: String) throws(IDTokenRefusal) {
        guard token.utf8.count <= IDTokenParts.limit else { throw .tooLarge }
        let bytes = Array(token.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty else { throw .malformedParts }
        let decoded = parts.compactMap { Base64URL.decode($0.span) }
        guard decoded.count == 3 else { throw .malformedEncoding }
        guard let value = IDTokenParts.object(decoded[0]) else { throw .malformedHeader }
        header = value.members
        payload = decoded[1]
        signature = decoded[2]
        signed = Array(bytes[..<parts[1].endIndex])
        guard let algorithm = try IDTokenParts.text("alg", in: header) else { throw .malformedHeader }
        self.algorithm = algorithm
    }

    /// Finds the signature good, or refuses.
    func verify(with keys: IDTokenKeys, needsKeyID: Bool) throws(IDTokenRefusal) {
        switch keys {
        case .clientSecret(let secret):
            guard algorithm.octets == "HS256" else { throw .algorithmNotAllowed }
            try checkForm()
            guard isTag(of: secret) else { throw .badSignature }
        case .published(let set, let allowed):
            guard let named = JWSAlgorithm(word: algorithm.octets), allowed.contains(named) else {
                throw .algorithmNotAllowed
            }
            try checkForm()
            guard try key(in: set, for: named, needsKeyID).isGood(signature, of: signed) else { throw .badSignature }
        }
    }

    /// The claims; only of a token whose signature was found good.
    func claims() throws(IDTokenRefusal) -> JSONValue {
        guard let value = IDTokenParts.object(payload) else { throw .malformedPayload }
        return value
    }

    private func checkForm() throws(IDTokenRefusal) {
        guard !signature.isEmpty else { throw .malformedParts }
        if let type = try IDTokenParts.text("typ", in: header)?.octets.lowercase.octets {
            guard type == "jwt" || type == "application/jwt" else { throw .badType }
        }
        guard !header.contains(where: { $0.name.octets == "crit" }) else { throw .criticalExtension }
    }

    /// The key that the header names among those that are known; what else the header says of keys is not looked at.
    private func key(
        in set: JSONWebKeySet,
        for algorithm: JWSAlgorithm,
        _ needsKeyID: Bool
    ) throws(IDTokenRefusal) -> JWSVerificationKey {
        let keyID = try IDTokenParts.text("kid", in: header)
        guard keyID != nil || !needsKeyID else { throw .keyMissing }
        do throws(JSONWebKeyError) {
            return try set.key(named: keyID, for: algorithm)
        } catch {
            switch error {
            case .unusableKey: throw .keyUnusable
            case .ambiguousKey: throw .keyAmbiguous
            default: throw .keyUnknown
            }
        }
    }

    private func isTag(of secret: Secret<[UInt8]>) -> Bool {
        guard let tag = try? HMACSHA256.tag(of: signed, key: secret.reveal()) else { return false }
        return constantTimeEqual(tag.bytes.span, signature.span)
    }

    /// A text; `nil` where it is absent, but not where it is `null`.
    private static func text(_ name: String, in members: [JSONMember]) throws(IDTokenRefusal) -> String? {
        guard let member = members.first(where: { $0.name.octets == name.octets }) else { return nil }
        guard let text = member.value.text else { throw .malformedHeader }
        return text
    }

    private static func object(_ bytes: [UInt8]) -> JSONValue? {
        // A repeated member is refused, and the size of the whole token bounds the number of values.
        guard let value = try? JSONParser.parse(bytes, depth: depth), case .object = value else { return nil }
        return value
    }
}
