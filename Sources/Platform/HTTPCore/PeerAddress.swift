package import Primitives

/// The network address of a peer, without a port.
package struct PeerAddress: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case unknown
        case ipv4(UInt32)
        case ipv6(high: UInt64, low: UInt64)
    }

    private let kind: Kind

    private init(kind: Kind) {
        self.kind = kind
    }

    /// No address: a Unix socket, or a request that no connection has filled.
    package static let unknown = PeerAddress(kind: .unknown)

    /// The given IPv4 address.
    ///
    /// - Parameter ipv4: The first octet is in the highest byte.
    package init(ipv4: UInt32) {
        kind = .ipv4(ipv4)
    }

    /// The given IPv6 address; one that stands for an IPv4 address (`::ffff:a.b.c.d`) becomes that.
    ///
    /// - Parameters:
    ///   - high: The first eight bytes, big-endian.
    ///   - low: The last eight bytes, big-endian.
    package init(ipv6High high: UInt64, low: UInt64) {
        if high == 0, low >> 32 == 0xFFFF {
            kind = .ipv4(UInt32(truncatingIfNeeded: low))
        } else {
            kind = .ipv6(high: high, low: low)
        }
    }

    /// The network of the peer, for logs and the audit trail: `/24` of IPv4, `/48` of IPv6, `unknown` without an address.
    package var truncated: String {
        switch kind {
        case .unknown: "unknown"
        case .ipv4(let address): PeerAddress.text(address & 0xFFFF_FF00, suffix: "/24")
        case .ipv6(let high, _): PeerAddress.text(high: high & 0xFFFF_FFFF_FFFF_0000, low: 0) + "/48"
        }
    }

    /// Appends the network of the peer, as `truncated` has it.
    ///
    /// - Parameter output: Grows by at most 19 characters; has room for them.
    package func appendTruncated(to output: inout OutputSpan<UInt8>) {
        guard case .ipv4(let address) = kind else { return output.append(copying: truncated.utf8Span.span) }
        PeerAddress.append(address & 0xFFFF_FF00, to: &output)
        for character in "/24".utf8 { output.append(character) }
    }

    /// What a limit per client counts by: the whole IPv4 address, or the first 64 bits of the IPv6 one.
    ///
    /// Peers without an address share one key. The IPv6 networks that begin with `0:ffff` are not assigned, so the keys
    /// of the two kinds never meet.
    package var bucketKey: UInt64 {
        switch kind {
        case .unknown: 0
        case .ipv4(let address): 0x0000_FFFF_0000_0000 | UInt64(address)
        case .ipv6(let high, _): high
        }
    }

    /// What a limit per network counts by: the `/24` of the IPv4 address, or the `/48` of the IPv6 one; unique as `bucketKey`
    /// is.
    package var networkKey: UInt64 { PeerAddress.networkKey(ofBucket: bucketKey) }

    /// What limits per client count by.
    package var keys: ClientKeys { ClientKeys(address: bucketKey, network: networkKey) }

    /// The network of an address of which the `bucketKey` is known.
    package static func networkKey(ofBucket key: UInt64) -> UInt64 {
        key >> 32 == 0x0000_FFFF ? key & ~0xFF : key & ~0xFFFF
    }

    private static func text(_ address: UInt32, suffix: String = "") -> String {
        String(ascii: 15 + suffix.utf8.count) { room in
            append(address, to: &room)
            room.append(copying: suffix.utf8Span.span)
        }
    }

    private static func append(_ address: UInt32, to output: inout OutputSpan<UInt8>) {
        for octet in UInt32(0)..<4 {
            if octet > 0 { output.append(UInt8(ascii: ".")) }
            DecimalDigits.append(UInt(address >> (24 - 8 * octet) & 255), to: &output)
        }
    }

    /// RFC 5952: lower case, no leading zeros, the first longest run of two or more zero groups as `::`.
    private static func text(high: UInt64, low: UInt64) -> String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> UInt64(48 - 16 * ($0 & 3))) }
        var best = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || groups[index] != 0 {
            if index - start > max(1, best.count) { best = start..<index }
            start = index + 1
        }
        func join(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !best.isEmpty else { return join(groups[...]) }
        return join(groups[..<best.lowerBound]) + "::" + join(groups[best.upperBound...])
    }
}

extension PeerAddress: CustomStringConvertible {
    /// The address alone; `unknown` without one.
    package var description: String {
        switch kind {
        case .unknown: "unknown"
        case .ipv4(let address): PeerAddress.text(address)
        case .ipv6(let high, let low): PeerAddress.text(high: high, low: low)
        }
    }
}
