package import Primitives

/// Key derivation by HKDF with SHA-256, RFC 5869.
package enum HKDFSHA256 {
    /// The greatest number of bytes that one derivation yields: 255 blocks.
    package static let limit = 255 * Digest32.byteCount

    /// Derives a key.
    ///
    /// - Parameters:
    ///   - secret: The input keying material, any number of bytes.
    ///   - salt: Any number of bytes; empty stands for 32 zero bytes.
    ///   - info: Binds the key to its purpose, any number of bytes.
    ///   - count: How many bytes to derive, 1 to `limit`.
    /// - Returns: Exactly `count` bytes.
    /// - Throws: `invalidKey` for a count outside its bounds.
    package static func derive(
        from secret: Span<UInt8>,
        salt: Span<UInt8>,
        info: [UInt8],
        count: Int,
        using mac: HMACSHA256
    ) throws(CryptographyError) -> Secret<[UInt8]> {
        guard count > 0, count <= limit else {
            throw CryptographyError(.invalidKey, "HKDF yields 1 to \(limit) bytes, not \(count)")
        }
        let pseudorandom = mac.tag(of: secret, key: salt)
        let extracted = InlineArray<32, UInt8>(initializingWith: { room in pseudorandom.append(to: &room) })
        var output: [UInt8] = []
        output.reserveCapacity((count + Digest32.byteCount - 1) / Digest32.byteCount * Digest32.byteCount)
        var message: [UInt8] = []
        message.reserveCapacity(Digest32.byteCount + info.count + 1)
        while output.count < count {
            message += info
            message.append(UInt8(truncatingIfNeeded: output.count / Digest32.byteCount + 1))
            let block = mac.tag(of: message.span, key: extracted.span)
            block.append(to: &output)
            message.removeAll(keepingCapacity: true)
            block.append(to: &message)
        }
        output.removeLast(output.count - count)
        return Secret(output)
    }
}
