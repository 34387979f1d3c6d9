package import Cryptography
import JOSE
import Primitives
package import StrictJSON

/// A text that the store signs: a JWS in compact form, RFC 7515, with the certificates in its header.
package enum SignedText {
    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - keyID: In the header of Xcode's texts alone.
    /// - Throws: `failed` where OpenSSL refuses.
    package static func make(
        _ payload: JSONValue,
        by signer: AppStoreAuthority.Signer,
        keyID: String? = nil
    ) throws(CryptographyError) -> String {
        let members = keyID.map { [JSONMember("kid", .string($0)), JSONMember("typ", "JWT")] } ?? []
        return try signer.texts.sign(header: members, claims: payload)
    }

    /// Takes the last bit of the signature for another.
    static func spoil(_ text: String) -> String {
        let parts = text.octets.parts(between: UInt8(ascii: "."))
        guard parts.count == 3, var signature = Base64URL.decode(parts[2]), !signature.isEmpty else { return text }
        signature[signature.count - 1] ^= 1
        return parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
    }
}
