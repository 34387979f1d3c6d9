/// An IP address as it may stand in a URL, in each of the forms that a resolver reads.
///
/// No name is looked up: who runs its name server may change the answer at any time.
package enum IPNumber: Sendable, Hashable {
    /// 32 bits.
    case v4(UInt32)
    /// Eight groups of 16 bits.
    case v6([UInt32])

    /// The address in 4 or 16 octets, in network order; `nil` for another number of them.
    package init?(_ octets: Span<UInt8>) {
        switch octets.count {
        case 4: self = .v4(octets.indices.reduce(0) { $0 << 8 | UInt32(octets[$1]) })
        case 16:
            let firsts = stride(from: 0, to: 16, by: 2)
            self = .v6(firsts.map { UInt32(octets[$0]) << 8 | UInt32(octets[$0 + 1]) })
        default: return nil
        }
    }

    /// The IPv6 address of a bracketed host; `nil` where it is none.
    ///
    /// - Parameter text: Lower case, without brackets.
    package init?(version6 text: String) {
        guard let halves = IPNumber.halves(text), let front = IPNumber.groups(halves[0], isLast: halves.count == 1)
        else { return nil }
        guard halves.count == 2 else {
            guard front.count == 8 else { return nil }
            self = .v6(front)
            return
        }
        guard let back = IPNumber.groups(halves[1], isLast: true), front.count + back.count < 8 else { return nil }
        self = .v6(front + Array(repeating: 0, count: 8 - front.count - back.count) + back)
    }

    /// What stands before and behind `::`, or all of it; `nil` where `::` comes twice.
    private static func halves(_ text: String) -> [String]? {
        var halves: [[UInt8]] = [[]]
        var octets = text.utf8[...]
        while let octet = octets.popFirst() {
            if octet == UInt8(ascii: ":"), octets.first == octet {
                octets.removeFirst()
                halves.append([])
            } else {
                halves[halves.count - 1].append(octet)
            }
        }
        return halves.count <= 2 ? halves.map { String(decoding: $0, as: UTF8.self) } : nil
    }

    /// The groups between colons; the last may be an IPv4 address with four decimal parts.
    private static func groups(_ text: String, isLast: Bool) -> [UInt32]? {
        guard !text.isEmpty else { return [] }
        var found: [UInt32] = []
        let parts = text.octets.parts(between: UInt8(ascii: ":"))
        for (index, part) in parts.enumerated() {
            let dots = part.utf8.count { $0 == UInt8(ascii: ".") }
            if isLast, index == parts.count - 1, dots > 0 {
                guard dots == 3, case .v4(let bits) = IPNumber(version4: part) else { return nil }
                found += [bits >> 16, bits & 0xFFFF]
                // In a host of its own it may have octal and hexadecimal parts, here it may not.
                guard part.utf8.split(separator: UInt8(ascii: ".")).allSatisfy(isOctet) else { return nil }
            } else {
                // A number of Swift may have a sign.
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ Hex.value(of: $0) != nil }),
                    let group = UInt32(part, radix: 16)
                else { return nil }
                found.append(group)
            }
        }
        return found
    }

    private static func isOctet(_ digits: Substring.UTF8View) -> Bool {
        let digits = Array(digits)
        return DecimalDigits.parse(digits.span, limit: 255) != nil
    }

    /// The IPv4 address that resolvers read in a host: one to four parts, the last of which fills what is left, each
    /// decimal, octal behind `0` or hexadecimal behind `0x`; `nil` for names.
    ///
    /// - Parameter text: Lower case.
    package init?(version4 text: String) {
        // Most hosts are names, for which nothing is taken apart.
        guard IPNumber.beginsWithDigit(text) else { return nil }
        let parts = text.octets.parts(between: UInt8(ascii: "."))
        guard (1...4).contains(parts.count) else { return nil }
        var bits: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard let number = IPNumber.number(part) else { return nil }
            let isLast = index == parts.count - 1
            guard number < UInt64(1) << UInt64(isLast ? 32 - 8 * index : 8) else { return nil }
            bits |= isLast ? number : number << UInt64(24 - 8 * index)
        }
        self = .v4(UInt32(truncatingIfNeeded: bits))
    }

    private static func number(_ part: String) -> UInt64? {
        guard beginsWithDigit(part) else { return nil }
        if part.octets.starts(with: "0x") {
            let digits = part.utf8.dropFirst(2)
            // A number of Swift may have a sign, and a label a hyphen.
            guard digits.allSatisfy({ Hex.value(of: $0) != nil }) else { return nil }
            return digits.isEmpty ? 0 : UInt64(Substring(digits), radix: 16)
        }
        return UInt64(part, radix: part.octets.starts(with: "0") && part.octets != "0" ? 8 : 10)
    }

    private static func beginsWithDigit(_ text: String) -> Bool {
        text.utf8.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
    }

    /// Whether it is one of this machine's own: loopback, or the unspecified address, which connects to it.
    package var isLoopback: Bool {
        switch self {
        case .v4(let bits): return bits >> 24 == 127 || bits == 0
        case .v6(let groups):
            // IPv4 in the form of IPv6, with `ffff` or, as it once was, without: then `::` is among them.
            guard groups[..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF || groups[5] == 0 else { return false }
            let bits = groups[6] << 16 | groups[7]
            return IPNumber.v4(bits).isLoopback || (groups[5] == 0 && bits == 1)
        }
    }
}
