/// An absolute http or https URL, taken apart in one way for the whole program (RFC 3986).
///
/// Text that two readers could split differently is no URL here: no user information, no backslash, no blank, nothing
/// beyond ASCII.
package struct HTTPURL: Sendable, Hashable {
    /// Whether the scheme is https.
    package let isSecure: Bool
    /// The server.
    package let host: HTTPHost
    /// As written, 1 to 65535; `nil` where none is.
    package let port: Int?
    /// Path, query and fragment; empty, or beginning with `/`, `?` or `#`.
    package let rest: String
    /// Whether the host is plain and in lower case, as servers write their own origins.
    package let isPlain: Bool

    /// The URL in a text, or `nil`.
    ///
    /// - Parameter text: `https://` or `http://` in lower case, then a host, a port if need be, and the rest.
    package init?(_ text: String) {
        isSecure = text.octets.starts(with: "https://")
        guard isSecure || text.octets.starts(with: "http://"), text.utf8.allSatisfy(HTTPURL.isVisible) else {
            return nil
        }
        let behindScheme = text.utf8.dropFirst(isSecure ? 8 : 7)
        let authority = behindScheme.prefix { !HTTPURL.endsAuthority($0) }
        rest = String(decoding: behindScheme[authority.endIndex...], as: UTF8.self)
        let bracket = authority.first == UInt8(ascii: "[") ? authority.firstIndex(of: UInt8(ascii: "]")) : nil
        let colon = authority[(bracket ?? authority.startIndex)...].firstIndex(of: UInt8(ascii: ":"))
        let written = String(decoding: authority[..<(colon ?? authority.endIndex)], as: UTF8.self)
        guard let host = HTTPHost(written) else { return nil }
        self.host = host
        isPlain = host.isPlain && host.text.octets == written.octets
        guard let colon else {
            port = nil
            return
        }
        let digits = Array(authority[authority.index(after: colon)...])
        guard let port = DecimalDigits.parse(digits.span, limit: 65_535), port > 0 else { return nil }
        self.port = port
    }

    /// Host, with the port where one is written.
    package var authority: String { port.map { "\(host.text):\($0)" } ?? host.text }

    /// Host, with the port where that is not the scheme's own: the same for every spelling of one server.
    package var shortAuthority: String {
        let name = host.text.octets.ends(with: ".") ? String(host.text.unicodeScalars.dropLast()) : host.text
        guard let port, port != (isSecure ? 443 : 80) else { return name }
        return "\(name):\(port)"
    }

    /// Scheme and authority.
    package var origin: String { (isSecure ? "https://" : "http://") + authority }

    private static func isVisible(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\")
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}

/// The host of a URL: a name or an address.
package struct HTTPHost: Sendable, Hashable {
    /// Lower case; an IPv6 address in its brackets.
    package let text: String
    /// The address that resolvers read in the text; `nil` for names.
    package let number: IPNumber?

    /// The host in a text, or `nil`.
    ///
    /// A last label that begins with a digit makes it an IPv4 address, or nothing: no top-level domain begins so, and no two
    /// programs agree on such a host.
    ///
    /// - Parameter text: Letters, digits, `-`, `_` and dots, none of them doubled or in front; or an IPv6 address in brackets.
    package init?(_ text: String) {
        // No name is longer, and no address: the rest is linear, but a host of kilobytes is none.
        guard text.utf8.count <= HTTPHost.longest else { return nil }
        let lower = text.octets.lowercase
        self.text = lower
        if lower.octets.starts(with: "[") {
            let inside = String(Substring(lower.utf8.dropFirst().dropLast()))
            guard lower.octets.ends(with: "]"), let number = IPNumber(version6: inside) else { return nil }
            self.number = number
            return
        }
        let name = HTTPHost.withoutRoot(lower)
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(HTTPHost.isLabelByte) }) else { return nil }
        number = IPNumber(version4: name)
        guard number != nil || labels.last?.first.map(HTTPHost.isDigit) == false else { return nil }
    }

    /// Whether it is this machine: traffic to it crosses no network.
    ///
    /// A name such as `127.shop.example` is not.
    package var isLoopback: Bool {
        if let number { return number.isLoopback }
        let name = HTTPHost.withoutRoot(text)
        return name.octets == "localhost" || name.octets.ends(with: ".localhost")
    }

    /// Whether it has no underscore and no dot at the end.
    package var isPlain: Bool { !text.utf8.contains(UInt8(ascii: "_")) && !text.octets.ends(with: ".") }

    private static let longest = 2_048

    private static func withoutRoot(_ text: String) -> String {
        text.octets.ends(with: ".") ? String(Substring(text.utf8.dropLast())) : text
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}
