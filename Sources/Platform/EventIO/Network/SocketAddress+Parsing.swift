import Primitives

extension SocketAddress {
    /// The address behind a text, or `nil` where it is none.
    ///
    /// Names are not resolved.
    ///
    /// - Parameter text: `127.0.0.1:8443`, `[::1]:8443` or `unix:/path`; the port is written out, 0 to 65535.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            self.init(path: String(text.dropFirst(5)))
            return
        }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = Array(text.utf8[text.utf8.index(after: colon)...])
        guard let number = DecimalDigits.parse(digits.span, limit: 65_535) else { return nil }
        let port = UInt16(number)
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard let address = SocketAddress.version6(host.dropFirst().dropLast()) else { return nil }
            self.init(v6: address.high, address.low, port: port)
        } else {
            guard let bits = SocketAddress.version4(host) else { return nil }
            self.init(v4: bits, port: port)
        }
    }

    /// The address behind a text without a port, or `nil` where it is none; the port is 0.
    ///
    /// - Parameter host: `127.0.0.1` or `::1`, without brackets.
    package init?(host: String) {
        if let bits = SocketAddress.version4(host[...]) {
            self.init(v4: bits, port: 0)
        } else if let address = SocketAddress.version6(host[...]) {
            self.init(v6: address.high, address.low, port: 0)
        } else {
            return nil
        }
    }

    private static func version4(_ text: Substring) -> UInt32? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            let digits = Array(part)
            guard let number = DecimalDigits.parse(digits.span, limit: 255) else { return nil }
            bits = bits << 8 | UInt32(number)
        }
        return bits
    }

    private static func version6(_ text: Substring) -> (high: UInt64, low: UInt64)? {
        var groups: [UInt16]
        if let gap = text.range(ofPairAt: "::") {
            guard let front = words(text[..<gap.lowerBound], mayEndInV4: false),
                let back = words(text[gap.upperBound...], mayEndInV4: true), front.count + back.count < 8
            else { return nil }
            groups = front + Array(repeating: 0, count: 8 - front.count - back.count) + back
        } else {
            guard let all = words(text, mayEndInV4: true), all.count == 8 else { return nil }
            groups = all
        }
        let halves = [groups[..<4], groups[4...]].map { $0.reduce(0) { $0 << 16 | UInt64($1) } }
        return (halves[0], halves[1])
    }

    /// The 16-bit groups of one side of a `::`; an empty side has none.
    private static func words(_ text: Substring, mayEndInV4: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if mayEndInV4, index == parts.count - 1, let bits = version4(part) {
                groups.append(UInt16(truncatingIfNeeded: bits >> 16))
                groups.append(UInt16(truncatingIfNeeded: bits))
                continue
            }
            guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ Hex.value(of: $0) != nil }),
                let group = UInt16(part, radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups
    }
}

extension Substring {
    /// The first place of two equal characters in a row.
    fileprivate func range(ofPairAt pair: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            let rest = self[start...]
            if rest.hasPrefix(pair) { return start..<index(start, offsetBy: pair.count) }
            start = index(after: start)
        }
        return nil
    }
}
