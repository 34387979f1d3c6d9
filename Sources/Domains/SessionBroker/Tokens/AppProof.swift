package import Cryptography
package import Primitives

/// Token P: says "the same app install that asked for the launch ticket"; lives in the app jar's cookie and nowhere else.
///
/// `swp_` and 43 characters of `[A-Za-z0-9_-]`, base64url without padding of 32 random bytes. It names no webview session: one
/// install keeps it for all its webview sessions.
package struct AppProof: Sendable, CustomStringConvertible, CustomReflectable {
    private let secret: TokenSecret

    private static let letter = UInt8(ascii: "p")

    /// The number of characters of every proof.
    package static let characterCount = 47

    private init(_ secret: TokenSecret) {
        self.secret = secret
    }

    /// A fresh proof.
    ///
    /// - Parameter random: Supplies 32 bytes.
    /// - Returns: A proof that nobody has seen.
    package static func mint(random: any RandomSource) -> AppProof {
        AppProof(TokenSecret(random: random))
    }

    /// The proof behind a text, or `nil` where tag, length or alphabet is another.
    ///
    /// - Returns: A proof that may or may not be bound to a webview session.
    package static func parse(_ text: Span<UInt8>) -> AppProof? {
        guard text.count == characterCount, TokenTag.begins(text, with: letter) else { return nil }
        var isCanonical = false
        let bytes = InlineArray<32, UInt8>(initializingWith: { room in
            isCanonical = Base64URL.decode(text.extracting(TokenTag.count...), to: &room)
            while !room.isFull { room.append(0) }
        })
        guard isCanonical, let secret = TokenSecret(bytes.span) else { return nil }
        return AppProof(secret)
    }

    /// The proof behind a text, or `nil` where tag, length or alphabet is another.
    ///
    /// - Returns: A proof that may or may not be bound to a webview session.
    package static func parse(_ text: String) -> AppProof? {
        parse(text.utf8Span.span)
    }

    /// All 47 characters; for its cookie only.
    package var text: String {
        String(ascii: AppProof.characterCount) { room in append(to: &room) }
    }

    /// Appends all 47 characters, for its cookie only.
    ///
    /// - Parameter output: Grows by 47 characters; has room for them.
    package func append(to output: inout OutputSpan<UInt8>) {
        let bytes = secret.bytes
        TokenTag.append(AppProof.letter, to: &output)
        Base64URL.append(bytes.span, to: &output)
    }

    /// SHA-256 of the whole text; what is stored and compared.
    package var hash: Digest32 { SHA256.digest(of: Array(text.utf8)) }

    /// The same as `hash`, by a context of the loop.
    package func hash(using hasher: SHA256) -> Digest32 {
        let characters = InlineArray<47, UInt8>(initializingWith: { room in append(to: &room) })
        return hasher.digest(of: characters.span)
    }

    /// HMAC-SHA256 under the 32 secret bytes: what only the holder of the proof can compute again.
    package func tag(of message: [UInt8], using mac: HMACSHA256) -> Digest32 {
        let key = secret.bytes
        return mac.tag(of: message.span, key: key.span)
    }

    package var description: String { TokenTag.description(AppProof.letter, hash) }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
