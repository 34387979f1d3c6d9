package import Cryptography
package import Primitives

/// Names a webview session: a UUID of version 7, made by this program; no secret.
package typealias WebviewSessionID = UUIDBytes

/// What a token is for; decides its tag.
package protocol TokenRole: Sendable {
    /// The third character of the tag in front of every token of the role, a lower-case letter.
    static var letter: UInt8 { get }
}

/// A token that carries its webview session in front: tag, then base64url without padding of 16 bytes webview session id and 32
/// secret bytes.
///
/// Written out it has 68 characters of `[A-Za-z0-9_-]`. The secret is what counts; the webview session id only says where to
/// look. Every way of printing a token yields its tag and the first eight digits of its hash.
package struct WebviewSessionToken<Role: TokenRole>: Sendable, CustomStringConvertible, CustomReflectable {
    /// The webview session it belongs to, as the token claims it.
    package let webviewSession: WebviewSessionID
    let secret: TokenSecret

    /// The token with the given secret.
    init(webviewSession: WebviewSessionID, secret: TokenSecret) {
        self.webviewSession = webviewSession
        self.secret = secret
    }

    /// The number of characters of every token.
    package static var characterCount: Int { WebviewSessionTokenShape.characterCount }

    /// The token behind a text, or `nil` where tag, length or alphabet is another.
    ///
    /// Nothing is looked up: this is the check before any query.
    ///
    /// - Returns: A token that may or may not exist.
    package static func parse(_ text: Span<UInt8>) -> WebviewSessionToken? {
        guard let (webviewSession, secret) = WebviewSessionTokenShape.parse(text, letter: Role.letter) else {
            return nil
        }
        return WebviewSessionToken(webviewSession: webviewSession, secret: secret)
    }

    /// The token behind a text, or `nil` where tag, length or alphabet is another.
    ///
    /// - Returns: A token that may or may not exist.
    package static func parse(_ text: String) -> WebviewSessionToken? {
        parse(text.utf8Span.span)
    }

    /// All 68 characters; for the one cookie, link or body it travels in, and for nothing else.
    package var text: String {
        String(ascii: WebviewSessionTokenShape.characterCount) { room in append(to: &room) }
    }

    /// Appends all 68 characters, which go into one cookie, link or body and nowhere else.
    ///
    /// - Parameter output: Grows by 68 characters; has room for them.
    package func append(to output: inout OutputSpan<UInt8>) {
        WebviewSessionTokenShape.append(webviewSession, secret, letter: Role.letter, to: &output)
    }

    /// SHA-256 of the whole text; what is stored and compared.
    package var hash: Digest32 { SHA256.digest(of: Array(text.utf8)) }

    /// The same as `hash`, by a context of the loop.
    package func hash(using hasher: SHA256) -> Digest32 {
        let characters = InlineArray<68, UInt8>(initializingWith: { room in append(to: &room) })
        return hasher.digest(of: characters.span)
    }

    package var description: String { TokenTag.description(Role.letter, hash) }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The form of a token that carries its webview session, the same for all roles.
enum WebviewSessionTokenShape {
    static let characterCount = 68

    /// Webview session and secret of a text.
    static func parse(_ text: Span<UInt8>, letter: UInt8) -> (WebviewSessionID, TokenSecret)? {
        guard text.count == characterCount, TokenTag.begins(text, with: letter) else { return nil }
        var isCanonical = false
        let bytes = InlineArray<48, UInt8>(initializingWith: { room in
            isCanonical = Base64URL.decode(text.extracting(TokenTag.count...), to: &room)
            while !room.isFull { room.append(0) }
        })
        guard isCanonical, let webviewSession = WebviewSessionID(bytes.span.extracting(..<16)),
            let secret = TokenSecret(bytes.span.extracting(16...))
        else { return nil }
        return (webviewSession, secret)
    }

    /// Appends the 68 characters.
    static func append(
        _ webviewSession: WebviewSessionID,
        _ secret: TokenSecret,
        letter: UInt8,
        to output: inout OutputSpan<UInt8>
    ) {
        let bytes = InlineArray<48, UInt8>(initializingWith: { room in
            webviewSession.append(to: &room)
            secret.append(to: &room)
        })
        TokenTag.append(letter, to: &output)
        Base64URL.append(bytes.span, to: &output)
    }
}
