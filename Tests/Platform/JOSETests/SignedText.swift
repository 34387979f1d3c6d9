import Cryptography
import JOSE
import Primitives
import TestKit

/// Texts in compact form, with a fault where a test wants one.
enum SignedText {
    static func text(header: [UInt8], payload: [UInt8], signature: [UInt8] = []) -> String {
        [header, payload, signature].map { Base64URL.encode($0) }.joined(separator: ".")
    }

    static func text(header: String, payload: String = "{}", signature: [UInt8] = []) -> String {
        text(header: Array(header.utf8), payload: Array(payload.utf8), signature: signature)
    }

    /// Signed by a key, whatever the header says.
    static func signed(header: String, payload: String = "{}", by key: ES256PrivateKey) throws -> String {
        let parts = [header, payload].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        return parts + "." + Base64URL.encode(try key.sign(Array(parts.utf8)))
    }

    static func key() throws -> ES256PrivateKey { try ES256PrivateKey(pem: Secret(TestCertificates.firstKey)) }

    static func fault(_ text: String, limit: Int = 1 << 20) -> JWSError? {
        do throws(JWSError) {
            _ = try CompactJWS(text, limit: limit)
            return nil
        } catch {
            return error
        }
    }
}
