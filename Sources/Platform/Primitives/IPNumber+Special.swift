/// Why nothing is sent to an address (IANA's registries of special-purpose addresses).
///
/// Private networks are not among the reasons: operators have servers there.
package enum SpecialAddress: Sendable, Hashable {
    /// This machine.
    case loopback
    /// The machine's link, or an address at which a cloud answers its machines: it hands out their credentials.
    case metadata
    /// No single machine: a group, everybody, or nobody.
    case nobody
}

extension IPNumber {
    /// Why nothing is sent to it, also for an IPv4 address that an IPv6 address carries; `nil` for all others.
    package var special: SpecialAddress? {
        if isLoopback { return .loopback }
        switch self {
        case .v4(let bits): return IPNumber.special(bits)
        case .v6(let groups):
            guard groups.count == 8 else { return .nobody }
            if let row = IPNumber.rows6.first(where: { $0.holds(groups) }) { return row.special }
            // What a relay or translator makes of it: its own machine is nobody's to reach either.
            for bits in IPNumber.carried(by: groups) {
                if let found = IPNumber.special(bits) { return found == .loopback ? .nobody : found }
            }
            return nil
        }
    }

    /// Whether it belongs to a private network, or to a provider's own (RFC 1918, RFC 4193, RFC 6598), also for an IPv4 address
    /// that an IPv6 address carries.
    package var isPrivate: Bool {
        switch self {
        case .v4(let bits): IPNumber.isPrivate(bits)
        case .v6(let groups):
            // fc00::/7 and the former fec0::/10.
            groups.count == 8
                && (groups[0] & 0xFE00 == 0xFC00 || groups[0] & 0xFFC0 == 0xFEC0
                    || IPNumber.carried(by: groups).contains(where: IPNumber.isPrivate))
        }
    }

    private static func isPrivate(_ bits: UInt32) -> Bool {
        switch bits >> 16 {
        case 0x0A00...0x0AFF, 0xAC10...0xAC1F, 0xC0A8, 0x6440...0x647F: true
        // 192.0.0.0/24, and networks for tests: 198.18.0.0/15, TEST-NET-1 to 3.
        case 0xC612...0xC613: true
        default: [0xC0_0000, 0xC0_0002, 0xC6_3364, 0xCB_0071].contains(bits >> 8)
        }
    }

    private static func special(_ bits: UInt32) -> SpecialAddress? {
        rows4.first { bits & ($0.length == 0 ? 0 : UInt32.max << (32 - $0.length)) == $0.network }?.special
    }

    private struct Row4: Sendable {
        let network: UInt32
        let length: UInt32
        let special: SpecialAddress
    }

    private struct Row6: Sendable {
        /// The leading bits, group by group, with what of each group counts.
        let groups: [(value: UInt32, mask: UInt32)]
        let special: SpecialAddress

        func holds(_ address: [UInt32]) -> Bool { zip(address, groups).allSatisfy { $0 & $1.mask == $1.value } }
    }

    private static let rows4 = [
        Row4(network: 0x7F00_0000, length: 8, special: .loopback),
        // Link-local: 169.254.0.0/16.
        Row4(network: 0xA9FE_0000, length: 16, special: .metadata),
        // 100.100.100.200 within the shared space of RFC 6598, 168.63.129.16, 192.0.0.192: metadata of clouds.
        Row4(network: 0x6464_64C8, length: 32, special: .metadata),
        Row4(network: 0xA83F_8110, length: 32, special: .metadata),
        Row4(network: 0xC000_00C0, length: 32, special: .metadata),
        // "This network" (0.0.0.0/8), groups (224.0.0.0/4), reserved and the limited broadcast (240.0.0.0/4).
        Row4(network: 0x0000_0000, length: 8, special: .nobody),
        Row4(network: 0xE000_0000, length: 4, special: .nobody),
        Row4(network: 0xF000_0000, length: 4, special: .nobody),
    ]

    private static let rows6 = [
        // Link-local: fe80::/10.
        Row6(groups: [(0xFE80, 0xFFC0)], special: .metadata),
        // fd00:ec2::254 and fd20:ce::254: metadata of clouds.
        Row6(groups: whole([0xFD00, 0xEC2, 0, 0, 0, 0, 0, 0x254]), special: .metadata),
        Row6(groups: whole([0xFD20, 0xCE, 0, 0, 0, 0, 0, 0x254]), special: .metadata),
        // Groups (ff00::/8), discard-only (100::/64).
        Row6(groups: [(0xFF00, 0xFF00)], special: .nobody), Row6(groups: whole([0x100, 0, 0, 0]), special: .nobody),
    ]

    private static func whole(_ groups: [UInt32]) -> [(value: UInt32, mask: UInt32)] { groups.map { ($0, 0xFFFF) } }

    /// The IPv4 addresses that an IPv6 address may stand for.
    private static func carried(by groups: [UInt32]) -> [UInt32] {
        let last = groups[6] << 16 | groups[7]
        switch (groups[0], groups[1]) {
        case (0, 0) where groups[2] == 0 && groups[3] == 0:
            // ::/96 and ::ffff:0:0/96 (RFC 4291), ::ffff:0:0:0/96 (RFC 2765), ::5efe:0:0/96 (RFC 5214).
            let marks: [[UInt32]] = [[0, 0], [0, 0xFFFF], [0xFFFF, 0], [0, 0x5EFE], [0x200, 0x5EFE]]
            return marks.contains([groups[4], groups[5]]) ? [last] : []
        case (0x64, 0xFF9B) where groups[2..<6].allSatisfy({ $0 == 0 }):
            // 64:ff9b::/96 (RFC 6052).
            return [last]
        case (0x64, 0xFF9B) where groups[2] == 1:
            // 64:ff9b:1::/48 (RFC 8215), with a prefix of 48, 56, 64 or 96 bits, around the octet that is left empty; what begins
            // with zero there is the rest of a longer prefix.
            let places = [
                groups[3] << 16 | (groups[4] & 0xFF) << 8 | groups[5] >> 8,
                (groups[3] & 0xFF) << 24 | (groups[4] & 0xFF) << 16 | groups[5],
                (groups[4] & 0xFF) << 24 | groups[5] << 8 | groups[6] >> 8,
            ]
            return places.filter { $0 >> 24 != 0 } + [last]
        case (0x2002, _):
            // 6to4 (RFC 3056).
            return [groups[1] << 16 | groups[2]]
        case (0x2001, 0):
            // Teredo (RFC 4380): the server, and the client with its bits turned.
            return [groups[2] << 16 | groups[3], ~last]
        default:
            // ISATAP behind any prefix (RFC 5214).
            return groups[5] == 0x5EFE && groups[4] & ~0x200 == 0 ? [last] : []
        }
    }
}

extension HTTPHost {
    /// Why nothing is sent to it; names are not looked up, but those that clouds give their metadata are known.
    package var special: SpecialAddress? {
        if isLoopback { return .loopback }
        if let number { return number.special }
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let isMetadata = HTTPHost.metadataNames.contains { $0.utf8.elementsEqual(name.utf8) }
        return isMetadata ? .metadata : nil
    }

    private static let metadataNames = [
        "metadata", "metadata.goog", "metadata.google.internal", "metadata.tencentyun.com", "instance-data",
        "instance-data.ec2.internal",
    ]
}
