import Primitives

// The one comparison of hosts and origins that came from outside: RFC 9110, 4.2.3, and RFC 3986, 6.2. One server has several
// spellings: in either case, with the scheme's own port or without, with the dot of the root behind its name.

/// Name and port of an authority, as offsets.
private struct AuthorityParts {
    /// Without the dot of the root.
    let name: Range<Int>
    /// `nil` where none is written.
    let port: Int?

    init?(_ bytes: Span<UInt8>) {
        var end = 0
        if bytes.count > 0, bytes[0] == UInt8(ascii: "[") {
            while end < bytes.count, bytes[end] != UInt8(ascii: "]") { end += 1 }
        }
        while end < bytes.count, bytes[end] != UInt8(ascii: ":") { end += 1 }
        var port: Int?
        if end + 1 < bytes.count {
            guard let number = DecimalDigits.parse(bytes.extracting((end + 1)..<bytes.count), limit: 65_535) else {
                return nil
            }
            port = number
        }
        self.port = port
        name = 0..<(end > 1 && bytes[end - 1] == UInt8(ascii: ".") ? end - 1 : end)
    }

    /// Whether both have the same port, where one of two need not be written.
    func portIs(_ other: Int?, default first: Int, _ second: Int) -> Bool {
        if port == other { return true }
        guard port == nil || other == nil, let written = port ?? other else { return false }
        return written == first || written == second
    }
}

extension Span where Element == UInt8 {
    /// Whether a host, with its port where one is written, is the same server as another one.
    ///
    /// - Parameters:
    ///   - isSecure: Whether it is asked over TLS: then 443 is the port that need not be written. In clear it is 80, and 443
    ///     behind a balancer that ends the TLS.
    /// - Returns: False where one of them is no host.
    package func isSameHost(as other: Span<UInt8>, isSecure: Bool) -> Bool {
        // Most are written alike.
        if isEqualIgnoringCase(to: other) { return true }
        guard let own = AuthorityParts(self), let second = AuthorityParts(other) else { return false }
        return own.portIs(second.port, default: 443, isSecure ? 443 : 80)
            && extracting(own.name).isEqualIgnoringCase(to: other.extracting(second.name))
    }

    /// Whether a host is the same server as another one, whatever their ports.
    package func isSameName(as other: Span<UInt8>) -> Bool {
        guard let own = AuthorityParts(self), let second = AuthorityParts(other) else { return false }
        return extracting(own.name).isEqualIgnoringCase(to: other.extracting(second.name))
    }

    /// Whether a scheme with a host is the same origin as another one; each scheme has its own port alone.
    package func isSameOrigin(as other: Span<UInt8>) -> Bool {
        if isEqual(to: other) { return true }
        let isSecure = startsIgnoringCase(with: "https://")
        guard isSecure == other.startsIgnoringCase(with: "https://"),
            isSecure || (startsIgnoringCase(with: "http://") && other.startsIgnoringCase(with: "http://"))
        else { return false }
        let start = isSecure ? 8 : 7
        let (one, two) = (extracting(start..<count), other.extracting(start..<other.count))
        guard let own = AuthorityParts(one), let second = AuthorityParts(two) else { return false }
        let port = isSecure ? 443 : 80
        return own.portIs(second.port, default: port, port)
            && one.extracting(own.name).isEqualIgnoringCase(to: two.extracting(second.name))
    }

    private func startsIgnoringCase(with text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && extracting(first: text.utf8CodeUnitCount).isEqualIgnoringCase(to: text)
    }

    /// Whether a host has the dot of the root behind its name: to a browser it is another site, with cookies of its own.
    package var hasRootDot: Bool {
        var end = count
        while end > 0, self[end - 1] != UInt8(ascii: ":"), self[end - 1] != UInt8(ascii: "]") { end -= 1 }
        let name = end > 0 && self[end - 1] == UInt8(ascii: ":") ? end - 1 : count
        return name > 1 && self[name - 1] == UInt8(ascii: ".")
    }
}
