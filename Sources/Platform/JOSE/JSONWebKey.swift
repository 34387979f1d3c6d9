package import Cryptography
import Primitives
package import StrictJSON

/// Public keys in JSON, RFC 7517 and RFC 7518 section 6.
package enum JSONWebKey {
    /// Members that only a private or secret key has.
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Reads a key that verifies signatures.
    ///
    /// - Throws: `invalidKey`.
    static func publicKey(_ jwk: JSONValue) throws(CryptographyError) -> PublicKey {
        guard !isPrivate(jwk) else { throw refusal("a key that is not public") }
        let key = try key(of: jwk)
        guard mayVerify(jwk) else { throw refusal("a key for another use") }
        if let member = jwk["alg"] {
            guard member.text?.octets == JWSVerificationKey(key).algorithm.rawValue.octets else {
                throw refusal("a key for another algorithm")
            }
        }
        return key
    }

    /// Whether a member stands there that belongs to a private or secret key.
    static func isPrivate(_ jwk: JSONValue) -> Bool {
        let members = jwk.members
        return privateMembers.contains { name in members.contains { $0.name.octets == name.octets } }
    }

    /// Writes a key for others to verify with.
    ///
    /// - Parameters:
    ///   - keyID: `kid`; without it the key has none.
    /// - Returns: An object with the public half, `use` and `alg`.
    /// - Throws: `failed` where OpenSSL refuses.
    package static func value(
        of key: JWSVerificationKey,
        keyID: String?
    ) throws(CryptographyError) -> JSONValue {
        var members = keyID.map { [JSONMember("kid", .string($0))] } ?? []
        let text = { (bytes: [UInt8]) in JSONValue.string(Base64URL.encode(bytes)) }
        switch try key.key.numbers() {
        case .rsa(let modulus, let exponent):
            members += [JSONMember("kty", "RSA"), JSONMember("n", text(modulus)), JSONMember("e", text(exponent))]
        case .ecdsa(let x, let y, let curve):
            members += [
                JSONMember("kty", "EC"), JSONMember("crv", curve == .p256 ? "P-256" : "P-384"),
                JSONMember("x", text(x)), JSONMember("y", text(y)),
            ]
        }
        members += [JSONMember("use", "sig"), JSONMember("alg", .string(key.algorithm.rawValue))]
        return .object(members)
    }

    private static func key(of jwk: JSONValue) throws(CryptographyError) -> PublicKey {
        guard let kind = jwk["kty"]?.text?.octets else { throw refusal("no kind of key") }
        if kind == "RSA" {
            return try .rsa(modulus: number("n", in: jwk), exponent: number("e", in: jwk))
        }
        guard kind == "EC", let curve = curve(jwk["crv"]?.text) else { throw refusal("an unknown kind of key") }
        return try .ecdsa(x: number("x", in: jwk), y: number("y", in: jwk), on: curve)
    }

    private static func curve(_ name: String?) -> EllipticCurve? {
        guard let name = name?.octets else { return nil }
        return name == "P-256" ? .p256 : name == "P-384" ? .p384 : nil
    }

    private static func number(_ name: String, in jwk: JSONValue) throws(CryptographyError) -> [UInt8] {
        guard let text = jwk[name]?.text, !text.isEmpty, let bytes = Base64URL.decode(text) else {
            throw refusal("a number that is not in Base64URL")
        }
        return bytes
    }

    private static func mayVerify(_ jwk: JSONValue) -> Bool {
        if let use = jwk["use"], use.text?.octets != "sig" { return false }
        guard let operations = jwk["key_ops"] else { return true }
        return operations.elements.contains { $0.text?.octets == "verify" }
    }

    private static func refusal(_ detail: String) -> CryptographyError { CryptographyError(.invalidKey, detail) }
}
