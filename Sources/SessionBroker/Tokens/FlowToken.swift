import Cryptography
package import Primitives

/// Names a flow: a UUID of version 7, made by this program; no secret.
package typealias FlowID = UUIDBytes

/// What a token is for; decides its tag.
package protocol TokenRole: Sendable {
    /// The third character of the tag in front of every token of the role, a lower-case letter.
    static var letter: UInt8 { get }
}

/// A token that carries its flow in front: tag, then base64url without padding of 16 bytes flow id and 32 secret bytes.
///
/// Written out it has 68 characters of `[A-Za-z0-9_-]`. The secret is what counts; the flow id only says where to look. Every way
/// of printing a token yields its tag and the first eight digits of its hash.
package struct FlowToken<Role: TokenRole>: Sendable, CustomStringConvertible, CustomReflectable {
    /// The flow it belongs to, as the token claims it.
    package let flow: FlowID
    let secret: TokenSecret

    /// The token with the given secret.
    init(flow: FlowID, secret: TokenSecret) {
        self.flow = flow
        self.secret = secret
    }

    /// The number of characters of every token.
    package static var characterCount: Int { FlowTokenShape.characterCount }

    /// The token behind a text, or `nil` where tag, length or alphabet is another.
    ///
    /// Nothing is looked up: this is the check before any query.
    ///
    /// - Parameter text: From a request; anything.
    /// - Returns: A token that may or may not exist.
    package static func parse(_ text: Span<UInt8>) -> FlowToken? {
        guard let (flow, secret) = FlowTokenShape.parse(text, letter: Role.letter) else { return nil }
        return FlowToken(flow: flow, secret: secret)
    }

    /// The token behind a text, or `nil` where tag, length or alphabet is another.
    ///
    /// - Parameter text: From a request; anything.
    /// - Returns: A token that may or may not exist.
    package static func parse(_ text: String) -> FlowToken? {
        parse(text.utf8Span.span)
    }

    /// All 68 characters; for the one cookie, link or body it travels in, and for nothing else.
    package var text: String {
        String(ascii: FlowTokenShape.characterCount) { room in append(to: &room) }
    }

    /// Appends all 68 characters, which go into one cookie, link or body and nowhere else.
    ///
    /// - Parameter output: Grows by 68 characters; has room for them.
    package func append(to output: inout OutputSpan<UInt8>) {
        FlowTokenShape.append(flow, secret, letter: Role.letter, to: &output)
    }

    /// SHA-256 of the whole text; what is stored and compared.
    package var hash: Digest32 { SHA256.digest(of: Array(text.utf8)) }

    /// The same as `hash`, by a context of the loop.
    func hash(using hasher: SHA256) -> Digest32 {
        let characters = InlineArray<68, UInt8>(initializingWith: { room in append(to: &room) })
        return hasher.digest(of: characters.span)
    }

    package var description: String { TokenTag.description(Role.letter, hash) }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The form of a token that carries its flow, the same for all roles.
enum FlowTokenShape {
    static let characterCount = 68

    /// Flow and secret of a text.
    static func parse(_ text: Span<UInt8>, letter: UInt8) -> (FlowID, TokenSecret)? {
        guard text.count == characterCount, TokenTag.begins(text, with: letter) else { return nil }
        var isCanonical = false
        let bytes = InlineArray<48, UInt8>(initializingWith: { room in
            isCanonical = Base64URL.decode(text.extracting(TokenTag.count...), to: &room)
            while !room.isFull { room.append(0) }
        })
        guard isCanonical, let flow = FlowID(bytes.span.extracting(..<16)),
            let secret = TokenSecret(bytes.span.extracting(16...))
        else { return nil }
        return (flow, secret)
    }

    /// Appends the 68 characters.
    static func append(_ flow: FlowID, _ secret: TokenSecret, letter: UInt8, to output: inout OutputSpan<UInt8>) {
        let bytes = InlineArray<48, UInt8>(initializingWith: { room in
            flow.append(to: &room)
            secret.append(to: &room)
        })
        TokenTag.append(letter, to: &output)
        Base64URL.append(bytes.span, to: &output)
    }
}
