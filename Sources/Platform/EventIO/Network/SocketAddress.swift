/// Where a socket listens or connects to: IPv4, IPv6 or a Unix path.
package struct SocketAddress: Sendable, Hashable {
    enum Storage: Sendable, Hashable {
        case v4(UInt32, port: UInt16)
        case v6(high: UInt64, low: UInt64, scope: UInt32, port: UInt16)
        case path(String)
    }

    let storage: Storage

    init(storage: Storage) {
        self.storage = storage
    }

    /// An IPv4 address.
    ///
    /// - Parameters:
    ///   - bits: The address as a number, most significant byte first: 127.0.0.1 is 0x7F000001.
    ///   - port: 0 lets the kernel choose.
    package init(v4 bits: UInt32, port: UInt16) {
        storage = .v4(bits, port: port)
    }

    /// An IPv6 address.
    ///
    /// - Parameters:
    ///   - high: The first eight bytes, most significant first.
    ///   - low: The last eight bytes.
    ///   - port: 0 lets the kernel choose.
    package init(v6 high: UInt64, _ low: UInt64, port: UInt16) {
        storage = .v6(high: high, low: low, scope: 0, port: port)
    }

    /// A Unix path.
    ///
    /// - Parameter path: At most 107 bytes, none of them zero; otherwise there is no address.
    package init?(path: String) {
        guard !path.isEmpty, path.utf8.count <= SocketAddress.longestPath, !path.utf8.contains(0) else { return nil }
        storage = .path(path)
    }

    /// The longest Unix path in bytes; the structure of the kernel holds a zero behind it.
    package static let longestPath = 107

    /// The port, 0 for a Unix path.
    package var port: UInt16 {
        switch storage {
        case .v4(_, let port), .v6(_, _, _, let port): port
        case .path: 0
        }
    }

    /// Whether it is a loopback address or a Unix path: the peer is on this machine.
    package var isLocal: Bool {
        switch storage {
        case .v4(let bits, _): bits >> 24 == 127
        case .v6(let high, let low, _, _): high == 0 && (low == 1 || low >> 24 == 0xFFFF_7F)
        case .path: true
        }
    }

    /// The address bytes without the port: 4 or 16, most significant first; empty for a Unix path.
    ///
    /// An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) gives its 4 bytes.
    package var addressBytes: [UInt8] {
        switch storage {
        case .v4(let bits, _): SocketAddress.bytes(UInt64(bits), count: 4)
        case .v6(0, let low, _, _) where low >> 32 == 0xFFFF: SocketAddress.bytes(low & 0xFFFF_FFFF, count: 4)
        case .v6(let high, let low, _, _): SocketAddress.bytes(high, count: 8) + SocketAddress.bytes(low, count: 8)
        case .path: []
        }
    }

    private static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64((count - 1 - $0) * 8)) }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:8443`, `[::1]:8443` or `unix:/path`.
    package var description: String {
        switch storage {
        case .v4, .v6: "\(isVersion6 ? "[\(host)]" : host):\(port)"
        case .path(let path): "unix:\(path)"
        }
    }

    /// The address without port and brackets; IPv6 in the form of RFC 5952.
    package var host: String {
        switch storage {
        case .v4(let bits, _):
            "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255)"
        case .v6(let high, let low, _, _): SocketAddress.text(high, low)
        case .path(let path): path
        }
    }

    private var isVersion6: Bool {
        if case .v6 = storage { true } else { false }
    }

    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        if high == 0, low >> 32 == 0xFFFF {
            return "::ffff:" + SocketAddress(v4: UInt32(truncatingIfNeeded: low), port: 0).host
        }
        let groups = [high, low].flatMap { half in
            [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> UInt64($0)) }
        }
        let gap = longestZeros(groups)
        let front = groups[..<gap.lowerBound].map { String($0, radix: 16) }.joined(separator: ":")
        let back = groups[gap.upperBound...].map { String($0, radix: 16) }.joined(separator: ":")
        return gap.isEmpty ? back : front + "::" + back
    }

    /// The first longest run of two or more zero groups; empty at the start when there is none.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int> {
        var best = 0..<0
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > max(best.count, 1) { best = start..<index }
            start = index + 1
        }
        return best
    }
}
