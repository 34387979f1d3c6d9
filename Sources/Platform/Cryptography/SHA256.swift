import COpenSSL
package import Primitives

/// SHA-256, FIPS 180-4, computed by a context that is made once and used again and again.
///
/// One per loop: 69 ns for 32 bytes, against 255 ns for a call that looks the algorithm up each time. Not `Sendable`.
@safe package final class SHA256 {
    private let algorithm: OpaquePointer
    private let context: OpaquePointer

    /// A context that is ready for any number of digests.
    ///
    /// - Throws: `failed` where OpenSSL does not offer the algorithm or memory is out.
    package init() throws(CryptographyError) {
        guard let algorithm = unsafe EVP_MD_fetch(nil, "SHA2-256", nil) else {
            throw CryptographyError.openSSL(.failed, "EVP_MD_fetch SHA2-256")
        }
        guard let context = unsafe EVP_MD_CTX_new() else {
            unsafe EVP_MD_free(algorithm)
            throw CryptographyError.openSSL(.failed, "EVP_MD_CTX_new")
        }
        unsafe self.algorithm = algorithm
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
        unsafe EVP_MD_free(algorithm)
    }

    /// The digest of bytes.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Returns: 32 bytes.
    package func digest(of bytes: Span<UInt8>) -> Digest32 {
        digest(of: bytes, then: Span())
    }

    /// The digest of two runs of bytes, one after the other.
    ///
    /// - Parameters:
    ///   - first: Any number of bytes.
    ///   - second: Any number of bytes.
    /// - Returns: 32 bytes.
    package func digest(of first: Span<UInt8>, then second: Span<UInt8>) -> Digest32 {
        let started = unsafe EVP_DigestInit_ex2(context, algorithm, nil) == 1
        let fed = update(first) && update(second)
        var output = InlineArray<32, UInt8>(repeating: 0)
        var place = output.mutableSpan
        let finished = unsafe place.withUnsafeMutableBufferPointer { memory in
            unsafe EVP_DigestFinal_ex(context, memory.baseAddress, nil) == 1
        }
        guard started, fed, finished, let digest = Digest32(output.span) else {
            preconditionFailure("a SHA-256 context that OpenSSL made computes digests")
        }
        return digest
    }

    /// The digest of bytes, without a context to keep.
    ///
    /// For the paths that run rarely; on a loop keep a context.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Returns: 32 bytes.
    package static func digest(of bytes: [UInt8]) -> Digest32 {
        var output = InlineArray<32, UInt8>(repeating: 0)
        var place = output.mutableSpan
        let done = unsafe place.withUnsafeMutableBufferPointer { memory in
            unsafe bytes.withUnsafeBufferPointer { input in
                unsafe EVP_Digest(input.baseAddress, input.count, memory.baseAddress, nil, EVP_sha256(), nil) == 1
            }
        }
        guard done, let digest = Digest32(output.span) else {
            preconditionFailure("OpenSSL offers SHA-256")
        }
        return digest
    }

    private func update(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 0 else { return true }
        return unsafe bytes.withUnsafeBufferPointer { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 }
    }
}
