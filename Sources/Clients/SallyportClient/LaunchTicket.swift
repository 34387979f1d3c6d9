import Foundation

/// The launch ticket: opens the secure tab once, and afterwards identifies the checkout that a return belongs to.
public struct LaunchTicket: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// `swa_` and 64 characters of base64url: a secret until the tab was opened.
    public let text: String

    /// A ticket, or `nil` where the text is not one.
    ///
    /// - Parameter text: As the page or an address has it.
    public init?(_ text: String) {
        guard Token.isToken(text, tag: "swa_") else { return nil }
        self.text = text
    }

    /// The ticket of an address for the tab, or `nil` where it has none.
    ///
    /// - Parameter launchURL: As the merchant's server hands it out.
    public init?(launchURL: URL) {
        let items = URLComponents(url: launchURL, resolvingAgainstBaseURL: true)?.queryItems ?? []
        let values = items.filter { $0.name == "secureWebviewSessionId" }
        guard values.count == 1, let text = values[0].value else { return nil }
        self.init(text)
    }

    /// The id of its session, as a UUID in lower case, which is no secret.
    public var sessionID: String {
        let head = text.dropFirst(4).prefix(24).map { ["-": "+", "_": "/"][$0] ?? $0 }
        let digits = (Data(base64Encoded: String(head)) ?? Data()).prefix(16).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        let parts = [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]]
        return parts.map { $0.joined() }.joined(separator: "-")
    }

    /// Without the secret.
    public var description: String { "swa_..." }
    /// Without the secret.
    public var debugDescription: String { description }
}

/// What tokens have in common: a tag, and 48 bytes of which the first 16 name the session.
enum Token {
    /// 16 bytes are 21 characters and a third of the next.
    private static let sessionCharacters = 21

    static func isToken(_ text: String, tag: String) -> Bool {
        text.hasPrefix(tag) && text.utf8.count == tag.utf8.count + 64
            && text.utf8.dropFirst(tag.utf8.count).allSatisfy(isBase64URL)
    }

    /// Whether two tokens name the same session; neither has to be a secret for that.
    static func sameSession(_ one: String, _ other: String) -> Bool {
        let (left, right) = (Array(one.utf8.dropFirst(4)), Array(other.utf8.dropFirst(4)))
        guard left.count == 64, right.count == 64, left.prefix(sessionCharacters) == right.prefix(sessionCharacters)
        else { return false }
        // The 22nd character carries the last two bits of the 16 bytes in its upper third.
        return value(left[sessionCharacters]) >> 4 == value(right[sessionCharacters]) >> 4
    }

    /// Compares without telling by its time how much was right.
    static func areEqual(_ one: String, _ other: String) -> Bool {
        let (left, right) = (Array(one.utf8), Array(other.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool { value(byte) < 62 }

    static func isBase64URL(_ byte: UInt8) -> Bool { value(byte) < 64 }

    private static func value(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: 255
        }
    }
}
