import Primitives

/// An absolute http or https URL in its one plain spelling; what a browser might read differently is refused.
struct StrictURL {
    let isSecure: Bool
    /// Lower case; a name, an address, or an address of version 6 in brackets.
    let host: String
    /// As written; `nil` where there is none.
    let port: Int?
    /// Path, query and fragment; empty or beginning with a slash.
    let rest: String

    init?(_ text: String) {
        // No blank, quote, backslash, control or anything beyond ASCII.
        guard text.utf8.count <= 2048,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !StrictURL.refused.contains($0) })
        else { return nil }
        let afterScheme: Substring
        if text.hasPrefix("https://") {
            isSecure = true
            afterScheme = text.dropFirst(8)
        } else if text.hasPrefix("http://") {
            isSecure = false
            afterScheme = text.dropFirst(7)
        } else {
            return nil
        }
        let authority = afterScheme.prefix { $0 != "/" }
        rest = String(afterScheme.dropFirst(authority.count))
        guard let (host, port) = StrictURL.authority(authority) else { return nil }
        self.host = host
        self.port = port
    }

    /// Whether the host is this machine: plain http to it crosses no network.
    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || (host.hasPrefix("127.") && host.utf8.allSatisfy { Characters.isDigit($0) || $0 == UInt8(ascii: ".") })
    }

    /// Host, with the port where one is written.
    var hostAndPort: String { port.map { "\(host):\($0)" } ?? host }

    private static let refused = Array("\"'<>\\^`{|}".utf8)

    private static func authority(_ text: Substring) -> (String, Int?)? {
        let host: Substring
        let tail: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[...end]
            tail = text[text.index(after: end)...]
            guard host.utf8.dropFirst().dropLast().allSatisfy({ Hex.value(of: $0) != nil || $0 == UInt8(ascii: ":") })
            else { return nil }
        } else {
            host = text.prefix { $0 != ":" }
            tail = text[host.endIndex...]
            guard host.utf8.allSatisfy(isHostByte) else { return nil }
        }
        guard !host.isEmpty, host == host.lowercased(), !host.hasPrefix("."), !host.hasSuffix(".") else { return nil }
        guard !tail.isEmpty else { return (String(host), nil) }
        let digits = Array(tail.utf8.dropFirst())
        guard let port = DecimalDigits.parse(digits.span, limit: 65_535), port > 0 else { return nil }
        return (String(host), port)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        Characters.isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
}
