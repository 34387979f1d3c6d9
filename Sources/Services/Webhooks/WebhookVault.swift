package import Cryptography
package import Primitives

/// A key of an endpoint as the database keeps it: who has only the database cannot sign with it.
package struct SealedWebhookKey: Sendable, Hashable {
    /// The key's name, `whk_…`.
    package let id: String
    /// The secret, sealed by a `WebhookVault`.
    package let sealed: [UInt8]

    /// A sealed key.
    ///
    /// - Parameters:
    ///   - sealed: The secret, sealed.
    package init(id: String, sealed: [UInt8]) {
        self.id = id
        self.sealed = sealed
    }
}

/// Seals the keys of endpoints under a secret that is not in the database.
///
/// AES-256-GCM; the key is HKDF-SHA256 of the whole secret with the endpoint's id as salt, and the key's name is authenticated:
/// a sealed key moved to another endpoint or under another name does not open. One per loop, not `Sendable`.
package final class WebhookVault {
    private let secret: Secret<[UInt8]>
    private let cipher: AES256GCM
    private let mac: HMACSHA256

    private static let purpose = Array("sallyport/webhook/1".utf8)
    /// The fewest bytes that a secret may have.
    package static let leastByteCount = 32

    /// A vault.
    ///
    /// - Parameter secret: `leastByteCount` bytes or more, the same in every process of the deployment.
    /// - Throws: `failed` where OpenSSL does not offer the algorithms.
    package init(secret: Secret<[UInt8]>) throws(CryptographyError) {
        self.secret = secret
        cipher = try AES256GCM()
        mac = try HMACSHA256()
    }

    /// Seals a key.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package func seal(
        _ key: WebhookKey,
        of endpoint: UUIDBytes,
        random: any RandomSource
    ) throws(CryptographyError) -> SealedWebhookKey {
        let sealed = try cipher.seal(
            key.secret.reveal(),
            key: sealingKey(endpoint),
            context: Array(key.id.utf8).span,
            random: random
        )
        return SealedWebhookKey(id: key.id, sealed: sealed)
    }

    /// Opens a key.
    ///
    /// - Throws: `notAuthentic` where it was sealed under another secret, for another endpoint, or altered.
    package func open(_ key: SealedWebhookKey, of endpoint: UUIDBytes) throws(CryptographyError) -> WebhookKey {
        let context = Array(key.id.utf8)
        let secret = try cipher.open(key.sealed.span, key: sealingKey(endpoint), context: context.span)
        return WebhookKey(id: key.id, secret: Secret(secret))
    }

    private func sealingKey(_ endpoint: UUIDBytes) throws(CryptographyError) -> Secret<[UInt8]> {
        let secret = secret.reveal()
        let salt = endpoint.bytes
        return try HKDFSHA256.derive(
            from: secret.span,
            salt: salt.span,
            info: WebhookVault.purpose,
            count: AES256GCM.keyByteCount,
            using: mac
        )
    }
}
