import Primitives
import Settings

/// Where weaknesses are reported to: the `Contact` of security.txt (RFC 9116).
struct SecurityContact: Sendable, Equatable {
    /// An https or mailto URI.
    let text: String

    /// The contact in a text, or `nil` where it is neither an https address nor a mailto URI of one address.
    init?(_ text: String) {
        guard HTTPURL(text)?.isSecure == true || SecurityContact.isMailbox(text) else { return nil }
        self.text = text
    }

    private static func isMailbox(_ text: String) -> Bool {
        guard text.hasPrefix("mailto:") else { return false }
        let parts = text.dropFirst(7).split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, HTTPHost(String(parts[1])) != nil else { return false }
        return parts[0].utf8.allSatisfy(isLocalByte)
    }

    /// What a URI may hold as it is of the local part of an address (RFC 6068), and `%` for the rest.
    private static func isLocalByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: Array("-._~!$'*+%".utf8).contains(byte)
        }
    }
}

extension SettingReader {
    /// The contact; `nil` where the setting is empty or wrong.
    mutating func securityContact(_ name: String, _ meaning: String) -> SecurityContact? {
        let text = text(name, "", meaning)
        let contact = SecurityContact(text)
        if !text.isEmpty, contact == nil { complain(name, "neither an https address nor mailto: with one address") }
        return contact
    }
}
