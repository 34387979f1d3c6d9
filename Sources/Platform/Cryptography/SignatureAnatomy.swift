import COpenSSL
import Primitives

/// What a public key reveals of a signature, for any text that it was made over.
///
/// For a person who looks for a mistake, not for a decision: whether a signature is good is for `verifyPSS` to say.
package struct SignatureAnatomy: Sendable, Equatable {
    /// How the text was padded.
    package enum Scheme: Sendable, Equatable {
        /// RSASSA-PSS with SHA-256: the salt in bytes, and the digest of the mask.
        case pss(saltLength: Int, mask: Mask)
        /// RSASSA-PKCS1-v1_5.
        case pkcs1
    }

    /// The digest that generates a mask.
    package enum Mask: String, Sendable, CaseIterable {
        /// What goes with SHA-256.
        case sha256 = "SHA-256"
        /// The default of some libraries.
        case sha1 = "SHA-1"
    }

    /// How the text was padded.
    package let scheme: Scheme
    private let digest: [UInt8]
    private let salt: [UInt8]

    /// Whether the signature was made over a text, with the scheme that was found.
    ///
    /// - Parameter message: Any number of bytes.
    /// - Returns: True where the digests agree.
    package func isOf(_ message: [UInt8]) -> Bool {
        let hash = SHA256.digest(of: message).bytes
        switch scheme {
        case .pkcs1: return hash == digest
        case .pss: return SHA256.digest(of: [UInt8](repeating: 0, count: 8) + hash + salt).bytes == digest
        }
    }

    /// Reads what the public key made of a signature: the padded text of RFC 8017 sections 9.1.2 and 9.2.
    ///
    /// - Parameters:
    ///   - padded: As many bytes as the modulus has.
    fileprivate init?(padded: [UInt8], bits: Int) {
        if let found = SignatureAnatomy(pkcs1: padded) {
            self = found
            return
        }
        let count = (bits - 1 + 7) / 8
        let unused = 8 * count - (bits - 1)
        let block = Array(padded.suffix(count))
        // Under the wrong mask the padding is noise, which looks like a salt of the greatest length once in 128 times.
        let found = Mask.allCases.compactMap { SignatureAnatomy(pss: block, unused: unused, mask: $0) }
        guard let best = found.min(by: { $0.salt.count < $1.salt.count }) else { return nil }
        self = best
    }

    private init(_ scheme: Scheme, digest: [UInt8], salt: [UInt8] = []) {
        self.scheme = scheme
        self.digest = digest
        self.salt = salt
    }

    private init?(pkcs1 padded: [UInt8]) {
        // The name of SHA-256 as the encoding of a digest begins, RFC 8017 section 9.2, note 1.
        let name: [UInt8] = [
            0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
            0x20,
        ]
        let filling = padded.count - 3 - name.count - Digest32.byteCount
        guard filling >= 8 else { return nil }
        let head = [0x00, 0x01] + [UInt8](repeating: 0xFF, count: filling) + [0x00] + name
        guard padded.starts(with: head) else { return nil }
        self.init(.pkcs1, digest: Array(padded.suffix(Digest32.byteCount)))
    }

    private init?(pss block: [UInt8], unused: Int, mask: Mask) {
        let size = Digest32.byteCount
        guard block.count > size + 2, block.last == 0xBC, block[0] >> (8 - unused) == 0 else { return nil }
        let masked = block.prefix(block.count - size - 1)
        let digest = Array(block[masked.endIndex...].prefix(size))
        var plain = zip(masked, mask.generate(from: digest, count: masked.count)).map { $0 ^ $1 }
        plain[0] &= 0xFF >> unused
        guard let first = plain.firstIndex(where: { $0 != 0 }), plain[first] == 1 else { return nil }
        let salt = Array(plain[(first + 1)...])
        self.init(.pss(saltLength: salt.count, mask: mask), digest: digest, salt: salt)
    }
}

extension SignatureAnatomy.Mask {
    /// MGF1, RFC 8017 appendix B.2.1.
    fileprivate func generate(from seed: [UInt8], count: Int) -> [UInt8] {
        var output: [UInt8] = []
        var counter: UInt32 = 0
        while output.count < count {
            let number = (0..<4).map { UInt8(truncatingIfNeeded: counter >> UInt32(24 - 8 * $0)) }
            output += digest(of: seed + number)
            counter += 1
        }
        return Array(output.prefix(count))
    }

    private func digest(of bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let algorithm =
            switch self {
            case .sha1: unsafe EVP_sha1()
            case .sha256: unsafe EVP_sha256()
            }
        guard unsafe EVP_Digest(bytes, bytes.count, &output, &count, algorithm, nil) == 1 else {
            // SHA-1 may be switched off on a machine: then nothing is recognised by it.
            ERR_clear_error()
            return output
        }
        return Array(output.prefix(Int(count)))
    }
}

extension RSAPublicKey {
    /// How long a signature by this key is, in bytes.
    package var signatureBytes: Int {
        key.withLock { key in Int(unsafe EVP_PKEY_get_size(key.handle)) }
    }

    /// Looks into a signature.
    ///
    /// - Parameter signature: As long as `signatureBytes` says.
    /// - Returns: `nil` where the signature was made with another key, or altered.
    package func anatomy(of signature: [UInt8]) -> SignatureAnatomy? {
        let bits = key.withLock { key in Int(unsafe EVP_PKEY_get_bits(key.handle)) }
        return recover(signature).flatMap { SignatureAnatomy(padded: $0, bits: bits) }
    }

    /// The plain RSA operation, without a look at any padding.
    private func recover(_ signature: [UInt8]) -> [UInt8]? {
        key.withLock { key in
            defer { ERR_clear_error() }
            guard let context = unsafe EVP_PKEY_CTX_new(key.handle, nil) else { return nil }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var count = Int(unsafe EVP_PKEY_get_size(key.handle))
            var output = [UInt8](repeating: 0, count: count)
            guard signature.count == count, unsafe EVP_PKEY_verify_recover_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1,
                unsafe EVP_PKEY_verify_recover(context, &output, &count, signature, signature.count) == 1
            else { return nil }
            return Array(output.prefix(count))
        }
    }
}
