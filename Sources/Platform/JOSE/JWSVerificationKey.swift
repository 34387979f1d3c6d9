package import Cryptography
import Primitives
package import StrictJSON

/// A public key that signed texts are verified with: on P-256, on P-384, or RSA of 2048 bits or more.
///
/// A key verifies signatures of one algorithm, that of its kind. It may be used from any thread.
package final class JWSVerificationKey: Sendable {
    /// The algorithm of the key's kind.
    package let algorithm: JWSAlgorithm
    let key: PublicKey

    /// A key.
    package init(_ key: PublicKey) {
        self.key = key
        algorithm =
            switch key {
            case .ecdsa(let key) where key.curve == .p256: .es256
            case .ecdsa: .es384
            case .rsa: .rs256
            }
    }

    /// The key of a certificate, whatever the certificate is worth: see `CertificatePathVerifier`.
    ///
    /// - Throws: `invalidKey` for a key of another kind or strength.
    package convenience init(certificate: X509Certificate) throws(CryptographyError) {
        self.init(try PublicKey(certificate: certificate))
    }

    /// Reads a key.
    ///
    /// - Parameter pem: SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    /// - Throws: `invalidKey` for anything else, or a key of another kind or strength.
    package convenience init(pem: [UInt8]) throws(CryptographyError) { self.init(try PublicKey(pem: pem)) }

    /// A key on the curve P-256.
    package convenience init(_ key: ES256PublicKey) { self.init(.ecdsa(key.key)) }

    /// The public half of a key that signs.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package convenience init(of key: ES256PrivateKey) throws(CryptographyError) { try self.init(pem: key.publicPEM()) }

    /// Reads a key in JSON, RFC 7517.
    ///
    /// - Parameter jwk: `EC` on P-256 or P-384, or `RSA`. `use`, `key_ops` and `alg`, where they are there, have to allow that it verifies.
    /// - Throws: `invalidKey` for anything else, and for a key with a private half.
    package convenience init(jwk: JSONValue) throws(CryptographyError) { self.init(try JSONWebKey.publicKey(jwk)) }

    /// Whether a signature of the key's algorithm is good; what the text says of itself is the caller's to look at.
    package func isGood(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch key {
        case .ecdsa(let key): key.verify(signature, of: message)
        case .rsa(let key): key.verifyPKCS1(signature, of: message, digest: .sha256)
        }
    }
}
