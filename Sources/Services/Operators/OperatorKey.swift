import Cryptography
import Primitives

/// The key that a person of the shop's staff signs in with.
///
/// `sok_`, then base64url without padding of 32 random bytes: 47 characters. It is shown once, when it is made; the file of the
/// keys has its hash. Nobody guesses 256 bits, so a plain hash is enough. Every way of printing one yields its tag alone.
struct OperatorKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let secret: Secret<String>

    private static let tag = "sok_"
    private static let byteCount = 32

    /// A key that nobody has seen.
    ///
    /// - Parameter random: Gives 32 bytes.
    static func make(random: any RandomSource) -> OperatorKey {
        OperatorKey(secret: Secret(tag + Base64URL.encode(random.bytes(byteCount))))
    }

    /// All characters, for the one line that shows a new key.
    var text: String { secret.reveal() }

    /// What the file has of it.
    var hash: Digest32 { OperatorKey.hash(of: text) }

    /// The hash of whatever somebody has typed as a key.
    static func hash(of text: String) -> Digest32 { SHA256.digest(of: Array(text.utf8)) }

    var description: String { "sok_<secret>" }

    var customMirror: Mirror { Mirror(self, children: []) }
}
