import COpenSSL
package import Primitives

/// A private key on the curve P-256, for signatures of tokens: ECDSA with SHA-256, RFC 7518 section 3.4.
///
/// A signature takes about 50 µs. The key may be used from any thread; two signatures at once follow each other.
package final class ES256PrivateKey: Sendable {
    private let key: Lock<Key>

    /// Reads a key.
    ///
    /// - Parameter pem: PKCS#8 (`BEGIN PRIVATE KEY`), as a `.p8` file has it, without a passphrase.
    /// - Throws: `invalidKey` for anything else, or another curve.
    package init(pem: Secret<[UInt8]>) throws(CryptographyError) {
        let key = try Key(privatePEM: pem.reveal())
        guard key.curve == .p256 else { throw CryptographyError(.invalidKey, "not a key on the curve P-256") }
        self.key = Lock(key)
    }

    /// The public half as SubjectPublicKeyInfo in PEM.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package func publicPEM() throws(CryptographyError) -> [UInt8] {
        try key.withLock { (key) throws(CryptographyError) in try key.publicPEM() }
    }

    /// Makes a key, drawn from OpenSSL's own generator.
    ///
    /// - Returns: PKCS#8 in PEM, as a `.p8` file has it.
    /// - Throws: `failed` where OpenSSL refuses.
    package static func generatePEM() throws(CryptographyError) -> Secret<[UInt8]> {
        let key = try Key.make(on: .p256)
        return Secret(try key.privatePEM())
    }

    /// Signs a message.
    ///
    /// The signature is random: two of one message differ.
    ///
    /// - Parameter message: Any number of bytes.
    /// - Returns: 64 bytes, two numbers of 32, as tokens have it; not the sequence that certificates have.
    /// - Throws: `failed` where OpenSSL refuses.
    package func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let sequence = try key.withLock { (key) throws(CryptographyError) in try key.signSHA256(message) }
        guard let signature = ECDSASignature(der: sequence, on: .p256) else {
            throw CryptographyError(.failed, "not a signature in DER")
        }
        return signature.octets
    }
}

extension Key {
    /// A signature over SHA-256, in the form that the kind of the key has.
    fileprivate func signSHA256(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw CryptographyError.openSSL(.failed, "EVP_MD_CTX_new") }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 128)
        var count = signature.count
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw CryptographyError.openSSL(.failed, "EVP_DigestSign") }
        signature.removeLast(signature.count - count)
        return signature
    }
}
