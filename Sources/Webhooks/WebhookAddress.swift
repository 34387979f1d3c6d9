import Primitives

/// Where events may be sent.
package enum WebhookAddress {
    /// The longest address.
    private static let limit = 2048

    /// What is wrong with an address, or `nil`.
    ///
    /// Only operators name addresses, so networks of their own are allowed; this machine's own services are not, unless a setting
    /// says so, and clear text never leaves the machine.
    ///
    /// - Parameters:
    ///   - url: Any text.
    ///   - allowsLoopback: Whether addresses of this machine are allowed, in clear too.
    /// - Returns: A sentence for an operator.
    package static func problem(_ url: String, allowsLoopback: Bool) -> String? {
        guard url.utf8.count <= limit, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return "not an address of printable ASCII characters, at most \(limit)"
        }
        let isClear = url.hasPrefix("http://")
        guard isClear || url.hasPrefix("https://") else { return "not an absolute https address" }
        guard !url.contains("#"), !url.contains("\\") else { return "a fragment or a backslash is never sent" }
        let rest = url.dropFirst(isClear ? 7 : 8)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return "a name or password in an address ends up in logs" }
        guard let host = host(of: authority) else { return "no host and port" }
        if isLoopback(host) {
            return allowsLoopback ? nil : "an address of this machine; webhooks.allow_loopback permits it"
        }
        return isClear ? "not https: events would go over the network in clear" : nil
    }

    /// The host of an authority in lower case, brackets removed; `nil` where host or port are none.
    private static func host(of authority: Substring) -> String? {
        let isBracketed = authority.hasPrefix("[")
        let end = isBracketed ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":") ?? authority.endIndex
        guard let end else { return nil }
        let host = authority[..<end].dropFirst(isBracketed ? 1 : 0).lowercased()
        let rest = authority[end...].dropFirst(isBracketed ? 1 : 0)
        let allowed = isBracketed ? "0123456789abcdef:." : "abcdefghijklmnopqrstuvwxyz0123456789-._"
        guard !host.isEmpty, host.allSatisfy(allowed.contains) else { return nil }
        guard !rest.isEmpty else { return host }
        let port = Array(rest.dropFirst().utf8)
        guard rest.hasPrefix(":"), let number = DecimalDigits.parse(port.span, limit: 65535), number > 0 else {
            return nil
        }
        return host
    }

    private static func isLoopback(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if name.hasPrefix("127.") || name == "::1" || name == "0.0.0.0" || name == "::" { return true }
        // The forms that resolvers read as numbers: a host of digits alone, or with an `x`, is never a name of anybody's.
        return name.hasPrefix("::ffff:127.") || name.allSatisfy(\.isNumber) || name.hasPrefix("0x")
    }
}
