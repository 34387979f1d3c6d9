import Primitives

/// Where events may be sent.
package enum WebhookAddress {
    /// The longest address.
    private static let limit = 2048

    /// What is wrong with an address, or `nil`.
    ///
    /// Only operators name addresses, so networks of their own are allowed; this machine's own services are not, unless a setting
    /// says so, and clear text never leaves the machine. Numbers are read as resolvers read them; names are not looked up, so one that
    /// stands for this machine is not found out.
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
        guard let host = host(of: authority), !isBroken(host, isBracketed: authority.hasPrefix("[")) else {
            return "no host and port"
        }
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

    /// What a host is that is a number, in lower case and without brackets; `nil` for names.
    private static func number(_ host: String) -> HostNumber? {
        HostNumber(version6: host) ?? HostNumber(version4: host.hasSuffix(".") ? String(host.dropLast()) : host)
    }

    private static func isLoopback(_ host: String) -> Bool {
        if let number = number(host) { return number.isLoopback }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// Whether it looks like a number and is none: there is no top-level domain that begins with a digit, and no two programs agree on
    /// what such a host means.
    private static func isBroken(_ host: String, isBracketed: Bool) -> Bool {
        if isBracketed { return HostNumber(version6: host) == nil }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        let last = name.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
        return last.first?.isNumber != false && number(host) == nil
    }
}
