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
        try key.demandP256()
        self.key = Lock(key)
    }

    /// Signs a message.
    ///
    /// The signature is random: two of one message differ.
    ///
    /// - Parameter message: Any number of bytes.
    /// - Returns: 64 bytes, two numbers of 32, as tokens have it; not the sequence that certificates have.
    /// - Throws: `failed` where OpenSSL refuses.
    package func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try ES256PrivateKey.numbers(in: key.withLock { (key) throws(CryptographyError) in try key.signSHA256(message) })
    }

    /// The two numbers of a signature, each in 32 bytes.
    private static func numbers(in sequence: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let signature = unsafe sequence.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        defer { unsafe ECDSA_SIG_free(signature) }
        var output = [UInt8](repeating: 0, count: 64)
        let isWritten = unsafe output.withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress, let signature = unsafe signature else { return false }
            return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
        }
        guard isWritten else { throw CryptographyError.openSSL(.failed, "d2i_ECDSA_SIG") }
        return output
    }
}

extension Key {
    /// Refuses what is not a key on the curve P-256.
    fileprivate func demandP256() throws(CryptographyError) {
        var name = [UInt8](repeating: 0, count: 64)
        var length = 0
        let isNamed = unsafe name.withUnsafeMutableBytes { bytes in
            let text = unsafe bytes.bindMemory(to: CChar.self)
            return unsafe EVP_PKEY_get_group_name(handle, text.baseAddress, text.count, &length) == 1
        }
        ERR_clear_error()
        let curve = name.prefix(min(length, name.count))
        guard isNamed, curve.elementsEqual("prime256v1".utf8) || curve.elementsEqual("P-256".utf8) else {
            throw CryptographyError(.invalidKey, "not a key on the curve P-256")
        }
    }

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
