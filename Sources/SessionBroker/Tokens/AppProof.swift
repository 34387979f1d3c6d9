import Cryptography
package import Primitives

/// Token P: says "the same app install that asked for the launch ticket"; lives in the app jar's cookie and nowhere else.
///
/// `swp_` and 43 characters of `[A-Za-z0-9_-]`, base64url without padding of 32 random bytes. It names no flow: one
/// install keeps it for all its flows.
package struct AppProof: Sendable, CustomStringConvertible, CustomReflectable {
    /// All 47 characters; for its cookie only.
    package let text: String

    private static let tag = "swp_"
    private static let byteCount = 32
    private static let characterCount = 47

    /// A fresh proof.
    ///
    /// - Parameter random: Supplies 32 bytes.
    /// - Returns: A proof that nobody has seen.
    package static func mint(random: any RandomSource) -> AppProof {
        AppProof(text: tag + Base64URL.encode(random.bytes(byteCount)))
    }

    /// The proof behind a text, or `nil` where tag, length or alphabet is another.
    ///
    /// - Parameter text: From a request; anything.
    /// - Returns: A proof that may or may not be bound to a flow.
    package static func parse(_ text: String) -> AppProof? {
        let characters = Array(text.utf8)
        guard characters.count == characterCount, characters.starts(with: tag.utf8),
            Base64URL.decode(characters.span.extracting(tag.utf8.count...)) != nil
        else { return nil }
        return AppProof(text: text)
    }

    /// SHA-256 of the whole text; what is stored and compared.
    package var hash: Digest32 { SHA256.digest(of: Array(text.utf8)) }

    package var description: String { "\(AppProof.tag)<\(hash)>" }

    package var customMirror: Mirror { Mirror(self, children: []) }

    private init(text: String) {
        self.text = text
    }
}
