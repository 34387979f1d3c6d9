import Primitives

/// Where events may be sent.
package enum WebhookAddress {
    /// The longest address.
    private static let limit = 2048

    /// What is wrong with an address, or `nil`.
    ///
    /// Only operators name addresses, so networks of their own are allowed; this machine's own services are not, unless a
    /// setting says so, clear text never leaves the machine, and nothing is sent where clouds hand out its secrets
    /// (`SpecialAddress`). Numbers are read as resolvers read them; names are not looked up, so one that stands for this machine is
    /// not found out.
    ///
    /// - Parameters:
    ///   - allowsLoopback: Whether addresses of this machine are allowed, in clear too.
    /// - Returns: A sentence for an operator.
    package static func problem(_ url: String, allowsLoopback: Bool) -> String? {
        guard url.utf8.count <= limit, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return "not an address of printable ASCII characters, at most \(limit)"
        }
        guard url.octets.starts(with: "https://") || url.octets.starts(with: "http://") else {
            return "not an absolute https address"
        }
        guard !url.utf8.contains(UInt8(ascii: "#")), !url.utf8.contains(UInt8(ascii: "\\")) else {
            return "an address must not have a fragment or a backslash"
        }
        guard !hasUser(url) else {
            return "an address must not have a user name or password: it would be written to logs"
        }
        guard let parts = HTTPURL(url) else { return "no host and port" }
        switch parts.host.special {
        case .loopback: return allowsLoopback ? nil : "an address of this machine; webhooks.allow_loopback permits it"
        case .metadata: return "an address at which clouds serve the credentials of the machine"
        case .nobody: return "an address of no single other machine"
        case nil: break
        }
        return parts.isSecure ? nil : "not https: events would go over the network in clear"
    }

    private static func hasUser(_ url: String) -> Bool {
        let (slash, question) = (UInt8(ascii: "/"), UInt8(ascii: "?"))
        let authority = url.utf8.drop { $0 != slash }.dropFirst(2).prefix { $0 != slash && $0 != question }
        return authority.contains(UInt8(ascii: "@"))
    }
}
