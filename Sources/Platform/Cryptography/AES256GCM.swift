import COpenSSL
package import Primitives

/// Authenticated encryption with AES-256 in Galois/Counter Mode, NIST SP 800-38D, by a context that is made once.
///
/// A sealed value is nonce (12 bytes) ‖ ciphertext (as long as the plaintext) ‖ tag (16 bytes). The nonce is random:
/// seal fewer than 2^32 values with one key. One per loop, not `Sendable`; the context forgets each key after its use.
@safe package final class AES256GCM {
    /// The number of bytes in a key.
    package static let keyByteCount = 32
    /// How many bytes a sealed value is longer than what it holds.
    package static let overhead = nonceByteCount + tagByteCount

    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    private enum Direction: Int32 {
        case open = 0
        case seal = 1
    }

    private let algorithm: OpaquePointer
    private let context: OpaquePointer

    /// A context that is ready for any number of values.
    ///
    /// - Throws: `failed` where OpenSSL does not offer the algorithm or memory is out.
    package init() throws(CryptographyError) {
        guard let algorithm = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
            throw CryptographyError.openSSL(.failed, "EVP_CIPHER_fetch AES-256-GCM")
        }
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            unsafe EVP_CIPHER_free(algorithm)
            throw CryptographyError.openSSL(.failed, "EVP_CIPHER_CTX_new")
        }
        unsafe self.algorithm = algorithm
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
        unsafe EVP_CIPHER_free(algorithm)
    }

    /// Encrypts bytes and binds them to a context.
    ///
    /// - Parameters:
    ///   - plaintext: Up to 2^31 - 1 bytes; may be empty.
    ///   - key: Exactly 32 bytes.
    ///   - bound: Authenticated, not stored: the same bytes are needed to open. May be empty.
    /// - Returns: 28 bytes more than the plaintext.
    /// - Throws: `invalidKey` for another key length; `failed` where OpenSSL refuses.
    package func seal(
        _ plaintext: [UInt8],
        key: Secret<[UInt8]>,
        context bound: Span<UInt8>,
        random: any RandomSource
    ) throws(CryptographyError) -> [UInt8] {
        let nonce = random.bytes(AES256GCM.nonceByteCount)
        try begin(.seal, key: key, nonce: nonce.span)
        defer { forgetKey() }
        let ciphertext = try run(plaintext.span, context: bound, failure: .failed)
        return nonce + ciphertext + (try tag())
    }

    /// Decrypts a sealed value.
    ///
    /// - Parameters:
    ///   - sealed: What `seal` returned.
    ///   - key: The key it was sealed with.
    ///   - bound: The context it was sealed with.
    /// - Throws: `notAuthentic` where any bit differs; `invalidKey` for another key length.
    package func open(
        _ sealed: Span<UInt8>,
        key: Secret<[UInt8]>,
        context bound: Span<UInt8>
    ) throws(CryptographyError) -> [UInt8] {
        guard sealed.count >= AES256GCM.overhead else {
            throw CryptographyError(.notAuthentic, "too short to be sealed")
        }
        let end = sealed.count - AES256GCM.tagByteCount
        try begin(.open, key: key, nonce: sealed.extracting(..<AES256GCM.nonceByteCount))
        defer { forgetKey() }
        try expect(tag: sealed.extracting(end...))
        let ciphertext = sealed.extracting(AES256GCM.nonceByteCount..<end)
        return try run(ciphertext, context: bound, failure: .notAuthentic)
    }

    private func begin(
        _ direction: Direction,
        key: Secret<[UInt8]>,
        nonce: Span<UInt8>
    ) throws(CryptographyError) {
        let key = key.reveal()
        guard key.count == AES256GCM.keyByteCount else {
            throw CryptographyError(.invalidKey, "AES-256 takes 32 bytes, not \(key.count)")
        }
        let isReady = unsafe nonce.withUnsafeBufferPointer { nonce in
            unsafe EVP_CipherInit_ex2(context, algorithm, key, nonce.baseAddress, direction.rawValue, nil) == 1
        }
        guard isReady else { throw CryptographyError.openSSL(.failed, "EVP_CipherInit_ex2") }
    }

    /// Puts another key into the place of the one that was used.
    private func forgetKey() {
        _ = unsafe EVP_CipherInit_ex2(context, algorithm, AES256GCM.noKey, nil, Direction.seal.rawValue, nil)
    }

    private static let noKey = [UInt8](repeating: 0, count: keyByteCount)

    private func run(
        _ input: Span<UInt8>,
        context bound: Span<UInt8>,
        failure: CryptographyError.Code
    ) throws(CryptographyError) -> [UInt8] {
        guard Int32(exactly: input.count) != nil, Int32(exactly: bound.count) != nil else {
            throw CryptographyError(.failed, "more bytes than one call takes")
        }
        var output = [UInt8](repeating: 0, count: input.count)
        var rest: UInt8 = 0
        var written: Int32 = 0
        // With no output buffer the bytes are authenticated only.
        let isFed = unsafe update(nil, bound) && update(&output, input)
        guard isFed, unsafe EVP_CipherFinal_ex(context, &rest, &written) == 1 else {
            throw CryptographyError.openSSL(failure, "AES-256-GCM")
        }
        return output
    }

    private func update(_ output: UnsafeMutablePointer<UInt8>?, _ input: Span<UInt8>) -> Bool {
        guard input.count > 0 else { return true }
        var written: Int32 = 0
        return unsafe input.withUnsafeBufferPointer { input in
            unsafe EVP_CipherUpdate(context, output, &written, input.baseAddress, Int32(input.count)) == 1
        }
    }

    private func expect(tag: Span<UInt8>) throws(CryptographyError) {
        var tag = InlineArray<16, UInt8> { tag[$0] }
        var place = tag.mutableSpan
        let isTaken = unsafe place.withUnsafeMutableBufferPointer { memory in
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(memory.count), memory.baseAddress) == 1
        }
        guard isTaken else { throw CryptographyError.openSSL(.failed, "EVP_CTRL_AEAD_SET_TAG") }
    }

    private func tag() throws(CryptographyError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: AES256GCM.tagByteCount)
        guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1 else {
            throw CryptographyError.openSSL(.failed, "EVP_CTRL_AEAD_GET_TAG")
        }
        return tag
    }
}
