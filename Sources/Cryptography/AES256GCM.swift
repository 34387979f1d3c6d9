import COpenSSL
package import Primitives

/// Authenticated encryption with AES-256 in Galois/Counter Mode, NIST SP 800-38D.
///
/// A sealed value is nonce (12 bytes) ‖ ciphertext (as long as the plaintext) ‖ tag (16 bytes). The nonce is random:
/// seal fewer than 2^32 values with one key.
package enum AES256GCM {
    /// The number of bytes in a key.
    package static let keyByteCount = 32
    /// How many bytes a sealed value is longer than what it holds.
    package static let overhead = nonceByteCount + tagByteCount

    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    /// Encrypts bytes and binds them to a context.
    ///
    /// - Parameters:
    ///   - plaintext: Up to 2^31 - 1 bytes; may be empty.
    ///   - key: Exactly 32 bytes.
    ///   - context: Authenticated, not stored: the same bytes are needed to open. May be empty.
    ///   - random: Supplies the nonce.
    /// - Returns: 28 bytes more than the plaintext.
    /// - Throws: `invalidKey` for another key length; `failed` where OpenSSL refuses.
    package static func seal(
        _ plaintext: [UInt8],
        key: Secret<[UInt8]>,
        context: [UInt8],
        random: any RandomSource
    ) throws(CryptographyError) -> [UInt8] {
        let nonce = random.bytes(nonceByteCount)
        let cipher = try Cipher.make(.seal, key: key.reveal(), nonce: nonce)
        let ciphertext = try cipher.run(plaintext, context: context, failure: .failed)
        return nonce + ciphertext + (try cipher.tag(tagByteCount))
    }

    /// Decrypts a sealed value.
    ///
    /// - Parameters:
    ///   - sealed: What `seal` returned.
    ///   - key: The key it was sealed with.
    ///   - context: The context it was sealed with.
    /// - Returns: The plaintext.
    /// - Throws: `notAuthentic` where any bit differs; `invalidKey` for another key length.
    package static func open(
        _ sealed: [UInt8],
        key: Secret<[UInt8]>,
        context: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        guard sealed.count >= overhead else { throw CryptographyError(.notAuthentic, "too short to be sealed") }
        let cipher = try Cipher.make(.open, key: key.reveal(), nonce: Array(sealed.prefix(nonceByteCount)))
        try cipher.expect(tag: Array(sealed.suffix(tagByteCount)))
        let ciphertext = Array(sealed.dropFirst(nonceByteCount).dropLast(tagByteCount))
        return try cipher.run(ciphertext, context: context, failure: .notAuthentic)
    }
}

/// One OpenSSL cipher context for one message.
@safe private struct Cipher: ~Copyable {
    enum Direction: Int32 {
        case open = 0
        case seal = 1
    }

    private let context: OpaquePointer

    private init() throws(CryptographyError) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            throw CryptographyError.openSSL(.failed, "EVP_CIPHER_CTX_new")
        }
        unsafe self.context = context
    }

    /// A context that waits for its bytes. (A noncopyable value cannot be given up half-way through `init`.)
    static func make(_ direction: Direction, key: [UInt8], nonce: [UInt8]) throws(CryptographyError) -> Cipher {
        guard key.count == AES256GCM.keyByteCount else {
            throw CryptographyError(.invalidKey, "AES-256 takes 32 bytes, not \(key.count)")
        }
        let cipher = try Cipher()
        guard unsafe EVP_CipherInit_ex(cipher.context, EVP_aes_256_gcm(), nil, key, nonce, direction.rawValue) == 1
        else {
            throw CryptographyError.openSSL(.failed, "EVP_CipherInit_ex")
        }
        return cipher
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    func run(
        _ input: [UInt8],
        context bound: [UInt8],
        failure: CryptographyError.Code
    ) throws(CryptographyError) -> [UInt8] {
        guard let size = Int32(exactly: input.count), let boundSize = Int32(exactly: bound.count) else {
            throw CryptographyError(.failed, "more bytes than one call takes")
        }
        var output = [UInt8](repeating: 0, count: input.count)
        var written: Int32 = 0
        var closing: [UInt8] = [0]
        // With no output buffer the bytes are authenticated only.
        let fed =
            unsafe (boundSize == 0 || EVP_CipherUpdate(context, nil, &written, bound, boundSize) == 1)
            && (size == 0 || EVP_CipherUpdate(context, &output, &written, input, size) == 1)
        guard fed, unsafe EVP_CipherFinal_ex(context, &closing, &written) == 1 else {
            throw CryptographyError.openSSL(failure, "AES-256-GCM")
        }
        return output
    }

    func expect(tag: [UInt8]) throws(CryptographyError) {
        var tag = tag
        guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 else {
            throw CryptographyError.openSSL(.failed, "EVP_CTRL_AEAD_SET_TAG")
        }
    }

    func tag(_ count: Int) throws(CryptographyError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(count), &tag) == 1 else {
            throw CryptographyError.openSSL(.failed, "EVP_CTRL_AEAD_GET_TAG")
        }
        return tag
    }
}
