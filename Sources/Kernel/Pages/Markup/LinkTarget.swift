/// An address that may stand in `href`, `src` or `action`: it can neither hold a script nor leave its host by a trick.
///
/// Either an absolute `https` or `http` address with a host, or an absolute path of the page's own host (`/` not followed by
/// another `/` or a `\`).
package struct LinkTarget: Sendable, Hashable {
    /// The address: printable ASCII without blanks, quotes, angle brackets and backslashes.
    package let text: String

    /// Checks an address.
    ///
    /// `nil` for any other scheme, a relative path, a missing host, user information, or a character that a URL cannot hold.
    ///
    /// - Parameter text: From the settings, or built from checked parts; never a request's own value.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        let isPath = text.utf8.first == UInt8(ascii: "/") && !text.hasPrefix("//")
        guard isPath || Self.hasHost(text) else { return nil }
        self.text = text
    }

    /// A path of our own; a `StaticString` has no other origin than the sources.
    package init(own path: StaticString) {
        text = path.description
    }

    /// The start of the page's own host.
    package static let root = LinkTarget(own: "/")

    private static func isAllowed(_ byte: UInt8) -> Bool {
        guard byte > 0x20, byte < 0x7F else { return false }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "`"):
            return false
        default: return true
        }
    }

    private static func hasHost(_ text: String) -> Bool {
        for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
            let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            return !authority.isEmpty && !authority.contains("@") && authority.first != ":"
        }
        return false
    }
}
