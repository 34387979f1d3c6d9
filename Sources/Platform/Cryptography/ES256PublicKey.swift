import COpenSSL
package import Primitives

/// A public key on the curve P-256, for signatures of tokens: ECDSA with SHA-256, RFC 7518 section 3.4.
///
/// The key may be used from any thread.
package final class ES256PublicKey: Sendable {
    private let key: Lock<Key>

    /// Length of a signature: two numbers of 32 bytes.
    package static let signatureBytes = 64

    /// Reads a key.
    ///
    /// - Parameter pem: SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    /// - Throws: `invalidKey` for anything else, or another curve.
    package init(pem: [UInt8]) throws(CryptographyError) {
        let key = try Key(publicPEM: pem)
        guard unsafe EVP_PKEY_get_base_id(key.handle) == EVP_PKEY_EC, unsafe shim_is_p256(key.handle) == 1 else {
            throw CryptographyError(.invalidKey, "not a key on the curve P-256")
        }
        self.key = Lock(key)
    }

    /// The public half of a key.
    ///
    /// - Parameter privatePEM: PKCS#8 (`BEGIN PRIVATE KEY`), as a `.p8` file has it.
    /// - Throws: `invalidKey` for anything else, or another curve.
    package convenience init(privatePEM: Secret<[UInt8]>) throws(CryptographyError) {
        let key = try Key(privatePEM: privatePEM.reveal())
        try self.init(pem: key.publicPEM())
    }

    /// Whether a signature is good.
    ///
    /// - Parameter signature: Bytes from anywhere; anything but 64 is refused.
    package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureBytes else { return false }
        let form = Self.sequence(signature)
        return key.withLock { key in
            guard let context = unsafe EVP_MD_CTX_new() else { return false }
            defer { unsafe EVP_MD_CTX_free(context) }
            // A refusal leaves its reason in the thread's queue.
            defer { ERR_clear_error() }
            return unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.handle) == 1
                && EVP_DigestVerify(context, form, form.count, message, message.count) == 1
        }
    }

    /// The form that OpenSSL takes: a sequence of two integers, DER.
    private static func sequence(_ signature: [UInt8]) -> [UInt8] {
        let parts = [signature.prefix(32), signature.suffix(32)].map { half -> [UInt8] in
            var digits = Array(half.drop { $0 == 0 })
            // The highest bit is the sign.
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [0x02, UInt8(truncatingIfNeeded: digits.count)] + digits
        }
        let content = parts.flatMap(\.self)
        return [0x30, UInt8(truncatingIfNeeded: content.count)] + content
    }
}
