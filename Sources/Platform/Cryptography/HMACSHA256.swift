package import Primitives

/// HMAC with SHA-256, RFC 2104, computed by a digest context that is made once and used with any key.
///
/// Two digests each, as the RFC writes it: OpenSSL's own HMAC sets up, copies and wipes more than it computes for messages as
/// short as ours. One per loop, not `Sendable`; the context holds nothing of the last key.
package final class HMACSHA256 {
    private let hasher: SHA256

    private static let blockByteCount = 64

    /// A context that is ready for any number of tags.
    ///
    /// - Throws: `failed` where OpenSSL does not offer the algorithm or memory is out.
    package init() throws(CryptographyError) {
        hasher = try SHA256()
    }

    /// The tag of a message.
    ///
    /// - Parameters:
    ///   - message: Any number of bytes.
    ///   - key: Any number of bytes; 32 or more random ones for the full strength.
    /// - Returns: 32 bytes; comparing two of them takes constant time.
    package func tag(of message: Span<UInt8>, key: Span<UInt8>) -> Digest32 {
        guard key.count <= HMACSHA256.blockByteCount else {
            let short = HMACSHA256.bytes(of: hasher.digest(of: key))
            return tag(of: message, key: short.span)
        }
        var block = InlineArray<64, UInt8>(repeating: 0x36)
        for index in key.indices { block[index] ^= key[index] }
        let inner = HMACSHA256.bytes(of: hasher.digest(of: block.span, then: message))
        for index in block.indices { block[index] ^= 0x36 ^ 0x5C }
        return hasher.digest(of: block.span, then: inner.span)
    }

    /// The tag of a message, without a context to keep.
    ///
    /// - Parameters:
    ///   - message: Any number of bytes.
    ///   - key: Any number of bytes.
    /// - Returns: 32 bytes.
    /// - Throws: As the creation of a context.
    package static func tag(of message: [UInt8], key: [UInt8]) throws(CryptographyError) -> Digest32 {
        try HMACSHA256().tag(of: message.span, key: key.span)
    }

    private static func bytes(of digest: Digest32) -> InlineArray<32, UInt8> {
        InlineArray(initializingWith: { room in digest.append(to: &room) })
    }
}
