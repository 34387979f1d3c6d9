package import Cryptography
package import Primitives

/// The key that a merchant's program shows with each request.
///
/// `swk_`, then base64url without padding of 16 bytes id and 32 secret bytes: 68 characters of `[A-Za-z0-9_-]`, as long as
/// every token that says where to look. It is shown once, when it is made; only its hash is kept. Every way of printing one
/// yields its tag and the first eight digits of its hash.
package struct APIKey: Sendable, CustomStringConvertible, CustomReflectable {
    private static let tag = Array("swk_".utf8)

    /// The number of characters of every key.
    package static let characterCount = IdentifiedSecret.characterCount

    private let secret: IdentifiedSecret

    /// Names the key, in lists and in logs; no secret.
    package var id: UUIDBytes { secret.id }

    /// A fresh key, and what to store of it.
    ///
    /// - Parameter random: Supplies 48 bytes.
    /// - Returns: A key that nobody has seen, with an id of version 4; and its record.
    package static func mint(random: any RandomSource) -> (key: APIKey, record: NewAPIKey) {
        // Version and variant of RFC 9562 in place of six random bits.
        let high = random.number(byteCount: 8) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = random.number(byteCount: 8) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let key = APIKey(secret: IdentifiedSecret(UUIDBytes(high: high, low: low), random: random))
        return (key, key.record)
    }

    /// A key of the same id with a fresh secret, and what to store of it.
    ///
    /// - Parameters:
    ///   - id: The id of a key that exists.
    ///   - random: Supplies 32 bytes.
    /// - Returns: A key that nobody has seen, and its record.
    package static func rotate(_ id: UUIDBytes, random: any RandomSource) -> (key: APIKey, record: NewAPIKey) {
        let key = APIKey(secret: IdentifiedSecret(id, random: random))
        return (key, key.record)
    }

    /// The key behind a text, or `nil` where tag, length or alphabet is another.
    ///
    /// Nothing is looked up: this is the check before any query.
    ///
    /// - Returns: A key that may or may not exist.
    package static func parse(_ text: String) -> APIKey? {
        IdentifiedSecret(text, tag: tag).map { APIKey(secret: $0) }
    }

    /// All 68 characters; for the one line that shows a new key, and as key material for what is sealed under it.
    package var text: String { secret.text(tag: APIKey.tag) }

    /// SHA-256 of the whole text, tag included; what is stored and compared.
    package var hash: Digest32 { SHA256.digest(of: Array(text.utf8)) }

    /// The same as `hash`, by a context of the loop.
    ///
    /// - Returns: 32 bytes.
    package func hash(_ hasher: SHA256) -> Digest32 {
        hasher.digest(of: Array(text.utf8).span)
    }

    package var description: String { "swk_<\(hash)>" }

    package var customMirror: Mirror { Mirror(self, children: []) }

    private var record: NewAPIKey { NewAPIKey(id: id, hash: hash) }
}

/// What is stored of a key: enough to know it again, too little to use it.
package struct NewAPIKey: Sendable, Hashable {
    /// Names the key.
    package let id: UUIDBytes
    /// SHA-256 of the whole text of the key.
    package let hash: Digest32
}
