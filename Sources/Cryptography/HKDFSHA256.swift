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
    /// - Throws: `invalidKey` for a count outside its bounds; `failed` where OpenSSL does not offer HMAC.
    package static func derive(
        from secret: [UInt8],
        salt: [UInt8],
        info: [UInt8],
        count: Int
    ) throws(CryptographyError) -> Secret<[UInt8]> {
        guard count > 0, count <= limit else {
            throw CryptographyError(.invalidKey, "HKDF yields 1 to \(limit) bytes, not \(count)")
        }
        let mac = try HMACSHA256()
        let extracted = mac.tag(of: secret.span, key: salt.span).bytes
        var output: [UInt8] = []
        var block: [UInt8] = []
        var counter: UInt8 = 0
        while output.count < count {
            counter += 1
            block = mac.tag(of: (block + info + [counter]).span, key: extracted.span).bytes
            output += block
        }
        return Secret(Array(output.prefix(count)))
    }
}
