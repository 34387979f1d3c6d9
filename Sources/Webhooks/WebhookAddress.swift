import Primitives

/// Where events may be sent.
package enum WebhookAddress {
    /// The longest address.
    private static let limit = 2048

    /// What is wrong with an address, or `nil`.
    ///
    /// Only operators name addresses, so networks of their own are allowed; this machine's own services are not, unless a
    /// setting says so, clear text never leaves the machine, and nothing is sent to the machine's link, where clouds hand out
    /// its secrets. Numbers are read as resolvers read them; names are not looked up, so one that stands for this machine is
    /// not found out.
    ///
    /// - Parameters:
    ///   - url: Any text.
    ///   - allowsLoopback: Whether addresses of this machine are allowed, in clear too.
    /// - Returns: A sentence for an operator.
    package static func problem(_ url: String, allowsLoopback: Bool) -> String? {
        guard url.utf8.count <= limit, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return "not an address of printable ASCII characters, at most \(limit)"
        }
        guard url.hasPrefix("https://") || url.hasPrefix("http://") else { return "not an absolute https address" }
        guard !url.contains("#"), !url.contains("\\") else {
            return "an address must not have a fragment or a backslash"
        }
        guard !hasUser(url) else {
            return "an address must not have a user name or password: it would be written to logs"
        }
        guard let parts = HTTPURL(url) else { return "no host and port" }
        if parts.host.isLoopback {
            return allowsLoopback ? nil : "an address of this machine; webhooks.allow_loopback permits it"
        }
        if isLinkLocal(parts.host.number) {
            return "a link-local address, where clouds serve the credentials of the machine"
        }
        return parts.isSecure ? nil : "not https: events would go over the network in clear"
    }

    /// `169.254.0.0/16`, also within an IPv6 address; `fe80::/10`; and the one of another kind that a cloud uses so.
    private static func isLinkLocal(_ number: IPNumber?) -> Bool {
        switch number {
        case .v4(let bits): return bits >> 16 == 0xA9FE
        case .v6(let groups):
            guard groups.count == 8 else { return false }
            if groups[0] & 0xFFC0 == 0xFE80 || groups == cloudLink { return true }
            return groups[6] == 0xA9FE && embedding.contains(Array(groups[..<6]))
        case nil: return false
        }
    }

    private static let cloudLink: [UInt32] = [0xFD00, 0xEC2, 0, 0, 0, 0, 0, 0x254]
    /// What stands before an IPv4 address: nothing, the mark of such addresses, that of a translator.
    private static let embedding: [[UInt32]] = [
        [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0xFFFF], [0x64, 0xFF9B, 0, 0, 0, 0],
    ]

    private static func hasUser(_ url: String) -> Bool {
        url.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" }.contains("@")
    }
}
