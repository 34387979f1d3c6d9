package import Cryptography
package import Primitives

/// The keys that questions for a postage are signed with: functions of the merchant secret, of whom is asked, and of a number.
///
/// Nothing is stored, so every process of a deployment has the same keys, and an operator can print them at any time. A new
/// number makes new keys; neither another key nor the secret follows from one key. One per loop, not `Sendable`.
package final class PostageKeys {
    private let secret: Secret<[UInt8]>
    private let mac: HMACSHA256

    /// The greatest number that a key may have.
    package static let greatestNumber = 1_000_000
    private static let nameByteCount = 12
    private static let secretByteCount = 32

    /// The keys under a secret.
    ///
    /// - Parameter secret: `WebhookVault.leastByteCount` bytes or more, the same in every process of the deployment.
    /// - Throws: `failed` where OpenSSL does not offer the algorithm.
    package init(secret: Secret<[UInt8]>) throws(CryptographyError) {
        self.secret = secret
        mac = try HMACSHA256()
    }

    /// The key for one origin.
    ///
    /// - Parameters:
    ///   - origin: Who is asked, as settings spell it: `https://shop.example`.
    ///   - number: 1 to `greatestNumber`.
    /// - Returns: The same at every call.
    /// - Throws: Nothing that these lengths can bring about.
    package func key(for origin: String, number: Int) throws(CryptographyError) -> WebhookKey {
        let secret = secret.reveal()
        let derived = try HKDFSHA256.derive(
            from: secret.span,
            salt: Array(origin.utf8).span,
            info: Array("sallyport/postage/\(number)".utf8),
            count: PostageKeys.nameByteCount + PostageKeys.secretByteCount,
            using: mac
        )
        let bytes = derived.reveal()
        return WebhookKey(
            id: "whk_" + Base64URL.encode(Array(bytes.prefix(PostageKeys.nameByteCount))),
            secret: Secret(Array(bytes.suffix(PostageKeys.secretByteCount)))
        )
    }
}
