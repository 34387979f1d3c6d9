package import Cryptography
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
        var header = [
            JSONMember("alg", "ES256"), JSONMember("x5c", .array(signer.chain.map { .string(Base64.encode($0)) })),
        ]
        if let keyID { header += [JSONMember("kid", .string(keyID)), JSONMember("typ", "JWT")] }
        let head = Base64URL.encode(JSONValue.object(header).bytes)
        let text = head + "." + Base64URL.encode(payload.bytes)
        return text + "." + Base64URL.encode(try signer.key.sign(Array(text.utf8)))
    }

    /// Takes the last bit of the signature for another.
    static func spoil(_ text: String) -> String {
        let parts = text.octets.parts(between: UInt8(ascii: "."))
        guard parts.count == 3, var signature = Base64URL.decode(parts[2]), !signature.isEmpty else { return text }
        signature[signature.count - 1] ^= 1
        return parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)
    }
}
