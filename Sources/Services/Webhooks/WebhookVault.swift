package import Cryptography
package import Primitives
package import ServerCore

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

/// Seals the keys of endpoints under the keyring, which is not in the database.
///
/// Endpoint and name are authenticated: a sealed key moved to another endpoint or under another name does not open. One per loop, not
/// `Sendable`.
package final class WebhookVault {
    private let seal: KeyringSeal

    /// The columns of keys; a change of key moves one from the first to the second.
    package static let columns = [
        SealedColumn("webhook_endpoint", key: [.uuid("endpoint_id")], and: "key_id", "secret", purpose: "webhook"),
        SealedColumn(
            "webhook_endpoint",
            key: [.uuid("endpoint_id")],
            and: "previous_key_id",
            "previous_secret",
            purpose: "webhook"
        ),
    ]

    /// A vault.
    ///
    /// - Throws: `failed` where OpenSSL does not offer the algorithms.
    package init(_ keyring: Keyring) throws(CryptographyError) {
        seal = try KeyringSeal(keyring, purpose: WebhookVault.columns[0].purpose)
    }

    /// Seals a key.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    package func seal(
        _ key: WebhookKey,
        of endpoint: UUIDBytes,
        random: any RandomSource
    ) throws(CryptographyError) -> SealedWebhookKey {
        let identity = [endpoint.description, key.id]
        return SealedWebhookKey(id: key.id, sealed: try seal.seal(key.secret.reveal(), of: identity, random: random))
    }

    /// Opens a key.
    ///
    /// - Throws: `unknownKey`, or `notAuthentic` where it was sealed under another secret, for another endpoint, or altered.
    package func open(_ key: SealedWebhookKey, of endpoint: UUIDBytes) throws(CryptographyError) -> WebhookKey {
        WebhookKey(id: key.id, secret: Secret(try seal.open(key.sealed, of: [endpoint.description, key.id])))
    }
}
