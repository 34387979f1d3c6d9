package import Primitives

/// A secret that says where to look it up: 16 bytes id and 32 secret bytes, written as a tag and base64url without padding.
struct IdentifiedSecret: Sendable {
    /// No secret.
    let id: UUIDBytes
    private let secret: Secret<[UInt8]>

    /// The number of characters, with a tag of four.
    static let characterCount = 68

    private static let idLength = 16
    private static let secretLength = 32

    /// One that nobody has seen.
    init(_ id: UUIDBytes, random: any RandomSource) {
        self.id = id
        secret = Secret(random.bytes(IdentifiedSecret.secretLength))
    }

    /// What stands behind a tag, or `nil` where tag, length or alphabet is another.
    init?(_ text: String, tag: [UInt8]) {
        let characters = Array(text.utf8)
        guard characters.count == IdentifiedSecret.characterCount, characters.starts(with: tag),
            let bytes = Base64URL.decode(characters.span.extracting(tag.count...)),
            let id = UUIDBytes(bytes.span.extracting(..<IdentifiedSecret.idLength))
        else { return nil }
        self.id = id
        secret = Secret(Array(bytes[IdentifiedSecret.idLength...]))
    }

    /// All characters, behind a tag.
    func text(tag: [UInt8]) -> String {
        String(decoding: tag, as: UTF8.self) + Base64URL.encode(id.bytes + secret.reveal())
    }
}

/// What a request shows to be let in: a merchant's key or an app's token.
package protocol ShownSecret: Sendable {
    /// Names it; no secret.
    var id: UUIDBytes { get }
    /// All of it.
    var text: String { get }
}

extension APIKey: ShownSecret {}

extension AppToken: ShownSecret {}
