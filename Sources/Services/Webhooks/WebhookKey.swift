import Cryptography
package import Primitives

/// A secret that a merchant's endpoint shares with this program, and its name.
package struct WebhookKey: Sendable {
    /// Names the key without telling it: `whk_` and 16 characters of `[A-Za-z0-9_-]`.
    package let id: String
    /// What signatures are made with: 32 bytes.
    package let secret: Secret<[UInt8]>

    /// A key that was made before.
    ///
    /// - Parameters:
    ///   - secret: The bytes.
    package init(id: String, secret: Secret<[UInt8]>) {
        self.id = id
        self.secret = secret
    }

    /// A fresh key.
    ///
    /// - Parameter random: Supplies 44 bytes.
    /// - Returns: A key that nobody has seen.
    package static func mint(random: any RandomSource) -> WebhookKey {
        let id = "whk_" + Base64URL.encode(random.bytes(12))
        return WebhookKey(id: id, secret: Secret(random.bytes(byteCount)))
    }

    /// The secret as it is shown to a merchant, once, and as libraries of Standard Webhooks take it: `whsec_` and 44
    /// characters, Base64 of the bytes.
    package var text: Secret<String> {
        Secret(WebhookKey.tag + Base64.encode(secret.reveal()))
    }

    /// The bytes behind a secret's text, as a receiver takes them; `nil` for any other text.
    ///
    /// - Returns: 32 bytes.
    package static func secret(_ text: String) -> Secret<[UInt8]>? {
        guard text.hasPrefix(tag) else { return nil }
        return Base64.decode(String(text.dropFirst(tag.count))).flatMap { $0.count == byteCount ? Secret($0) : nil }
    }

    private static let tag = "whsec_"
    private static let byteCount = 32
}
