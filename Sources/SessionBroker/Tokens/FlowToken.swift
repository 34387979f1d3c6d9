import Cryptography
package import Primitives

/// Names a flow: a UUID of version 7, made by this program; no secret.
package typealias FlowID = UUIDBytes

/// What a token is for; decides its tag.
package protocol TokenRole: Sendable {
    /// Four ASCII characters in front of every token of the role.
    static var tag: String { get }
}

/// A token that carries its flow in front: tag, then base64url without padding of 16 bytes flow id and 32 secret bytes.
///
/// 68 characters of `[A-Za-z0-9_-]`. The secret is what counts; the flow id only says where to look. Every way of printing
/// a token yields its tag and the first eight digits of its hash.
package struct FlowToken<Role: TokenRole>: Sendable, CustomStringConvertible, CustomReflectable {
    /// The flow it belongs to, as the token claims it.
    package let flow: FlowID
    /// All 68 characters; for the one cookie, link or body it travels in, and for nothing else.
    package let text: String

    /// The token with the given secret.
    init(flow: FlowID, secret: Span<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(FlowTokenShape.byteCount)
        flow.append(to: &bytes)
        for index in secret.indices { bytes.append(secret[index]) }
        var characters: [UInt8] = []
        characters.reserveCapacity(FlowTokenShape.characterCount)
        characters += Role.tag.utf8
        Base64URL.append(bytes.span, to: &characters)
        self.flow = flow
        text = String(decoding: characters, as: UTF8.self)
    }

    /// The token behind a text, or `nil` where tag, length or alphabet is another.
    ///
    /// Nothing is looked up: this is the check before any query.
    ///
    /// - Parameter text: From a request; anything.
    /// - Returns: A token that may or may not exist.
    package static func parse(_ text: String) -> FlowToken? {
        let characters = Array(text.utf8)
        guard characters.count == FlowTokenShape.characterCount, characters.starts(with: Role.tag.utf8),
            let bytes = Base64URL.decode(characters.span.extracting(FlowTokenShape.tagCount...)),
            let flow = UUIDBytes(bytes.span.extracting(..<16))
        else { return nil }
        return FlowToken(flow: flow, text: text)
    }

    /// SHA-256 of the whole text; what is stored and compared.
    package var hash: Digest32 { SHA256.digest(of: Array(text.utf8)) }

    /// The 32 bytes behind the flow id.
    var secret: [UInt8] {
        let characters = Array(text.utf8)
        let bytes = Base64URL.decode(characters.span.extracting(FlowTokenShape.tagCount...)) ?? []
        return Array(bytes.dropFirst(16))
    }

    package var description: String { "\(Role.tag)<\(hash)>" }

    package var customMirror: Mirror { Mirror(self, children: []) }

    private init(flow: FlowID, text: String) {
        self.flow = flow
        self.text = text
    }
}

/// The measures of a token that carries its flow.
enum FlowTokenShape {
    static let tagCount = 4
    static let secretCount = 32
    static let byteCount = 16 + secretCount
    static let characterCount = tagCount + byteCount * 4 / 3
}
