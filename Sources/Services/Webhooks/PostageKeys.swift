package import Cryptography
import Primitives
import ServerCore
package import StrictJSON

/// The number of a key for questions for the postage: which secret it is derived from, and which of the keys of that secret it is.
package struct PostageKeyNumber: Sendable, Hashable {
    /// The number of the secret in the keyring.
    package let secret: Int
    /// The number among the keys of that secret.
    package let number: Int

    /// The first key of the first secret.
    package static let usual = PostageKeyNumber(secret: 1, number: 1)
    /// What a text of it looks like, for people.
    package static let form =
        "a whole number from 1 to \(greatest), or the number of a key of \(KeyringFile.setting) and such a number, as 2.1"

    private static let greatest = 1_000_000

    private init(secret: Int, number: Int) {
        self.secret = secret
        self.number = number
    }

    /// Reads `N`, a key of secret 1, or `SECRET.N`.
    package init?(_ text: String) {
        let words = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
        let limits = [Keyring.greatestNumber, PostageKeyNumber.greatest].suffix(words.count)
        let numbers = zip(words, limits).compactMap { word, limit in DecimalDigits.parse(word.span, limit: limit) }
        guard 1...2 ~= words.count, numbers.count == words.count, !numbers.contains(0) else { return nil }
        self.init(secret: numbers.count == 2 ? numbers[0] : 1, number: numbers[numbers.count - 1])
    }

    /// A number for secret 1, the text with both for others.
    package var json: JSONValue { secret == 1 ? JSONValue(number) : .string("\(secret).\(number)") }
}

/// The keys that questions for a postage are signed with: functions of a secret of the keyring, of whom is asked, and of a number.
///
/// Nothing is stored, so every process of a deployment has the same keys, and an operator can print them at any time. A new
/// number makes new keys; neither another key nor the secret follows from one key. One per loop, not `Sendable`.
package final class PostageKeys {
    private let keyring: Keyring
    private let mac: HMACSHA256

    private static let nameByteCount = 12
    private static let secretByteCount = 32

    /// The keys under a keyring.
    ///
    /// - Throws: `failed` where OpenSSL does not offer the algorithm.
    package init(_ keyring: Keyring) throws(CryptographyError) {
        self.keyring = keyring
        mac = try HMACSHA256()
    }

    /// The key for one origin.
    ///
    /// - Parameter origin: Who is asked, as settings spell it: `https://shop.example`.
    /// - Returns: The same at every call.
    /// - Throws: `unknownKey` where its secret is not in the keyring.
    package func key(for origin: String, number: PostageKeyNumber) throws(CryptographyError) -> WebhookKey {
        let secret = try keyring.secret(number.secret).reveal()
        let derived = try HKDFSHA256.derive(
            from: secret.span,
            salt: Array(origin.utf8).span,
            info: Array("sallyport/postage/\(number.number)".utf8),
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
