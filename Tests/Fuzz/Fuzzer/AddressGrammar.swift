import Glibc

/// A second reader of hosts, addresses and URLs: by splitting, and by what the C library makes of a number.
enum AddressGrammar {
    /// An address as octets, an IPv4 address in IPv6 form as four of them.
    struct Number: Equatable {
        let octets: [UInt8]

        init(_ octets: [UInt8]) {
            let isMapped = octets.count == 16 && octets[..<10].allSatisfy { $0 == 0 } && octets[10..<12] == [255, 255]
            self.octets = isMapped ? Array(octets[12...]) : octets
        }

        /// As the C library writes it.
        var text: String {
            var room = [CChar](repeating: 0, count: 64)
            let family = octets.count == 4 ? AF_INET : AF_INET6
            guard unsafe inet_ntop(family, octets, &room, socklen_t(room.count)) != nil else { return "" }
            return String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        /// Whether the leading bits are those of a network; four octets of `network` stand for an IPv6 one of 32 bits as well.
        func isIn(_ network: [UInt8], _ bits: Int) -> Bool {
            let isVersion6 = network.first == 0x20
            return (octets.count == 16) == isVersion6 && Array(octets.prefix(bits / 8)) == network
        }
    }

    /// Four decimal octets; the C library takes no other form here.
    static func version4(_ bytes: some Collection<UInt8>) -> Number? { number(bytes, AF_INET, 4) }

    /// Groups of hexadecimal digits.
    static func version6(_ bytes: some Collection<UInt8>) -> Number? { number(bytes, AF_INET6, 16) }

    private static func number(_ bytes: some Collection<UInt8>, _ family: Int32, _ count: Int) -> Number? {
        guard bytes.count < 64, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var octets = [UInt8](repeating: 0, count: count)
        guard unsafe inet_pton(family, text(bytes), &octets) == 1 else { return nil }
        return Number(octets)
    }

    /// An address with or without a port, as proxies write it.
    static func forwarded(_ bytes: [UInt8]) -> Number? {
        if let number = version4(bytes) ?? version6(bytes) { return number }
        if bytes.first == UInt8(ascii: "[") {
            let inner = bytes.dropFirst().prefix { $0 != UInt8(ascii: "]") }
            let rest = bytes.dropFirst(inner.count + 1)
            guard rest.first == UInt8(ascii: "]"), rest.count == 1 || isPort(rest.dropFirst()) else { return nil }
            return version6(inner)
        }
        let host = bytes.prefix { $0 != UInt8(ascii: ":") }
        return isPort(bytes.dropFirst(host.count)) ? version4(host) : nil
    }

    /// A colon and a number without a leading zero.
    static func isPort(_ bytes: some Collection<UInt8>, least: Int = 0) -> Bool {
        let digits = bytes.dropFirst()
        guard bytes.first == UInt8(ascii: ":"), (1...5).contains(digits.count) else { return false }
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != 0x30 || digits.count == 1 else {
            return false
        }
        return (least...65_535).contains(Int(text(digits)) ?? -1)
    }

    /// The parts of an http or https URL, each as it is written.
    struct Parts: Equatable {
        var isSecure = false
        var host: [UInt8] = []
        var port: [UInt8] = []
        var rest: [UInt8] = []
    }

    /// The parts of a URL in the one form that this program takes.
    static func url(_ bytes: [UInt8]) -> Parts? {
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
        var parts = Parts()
        parts.isSecure = bytes.starts(with: "https://".utf8)
        guard parts.isSecure || bytes.starts(with: "http://".utf8) else { return nil }
        let behind = Array(bytes.dropFirst(parts.isSecure ? 8 : 7))
        let authority = Array(behind.prefix { !"/?#".utf8.contains($0) })
        parts.rest = Array(behind.dropFirst(authority.count))
        let isBracketed = authority.first == UInt8(ascii: "[")
        let host =
            isBracketed ? authority.prefix { $0 != UInt8(ascii: "]") } : authority.prefix { $0 != UInt8(ascii: ":") }
        parts.host = Array(authority.prefix(host.count + (isBracketed ? 1 : 0)))
        parts.port = Array(authority.dropFirst(parts.host.count))
        guard isHost(parts.host), parts.port.isEmpty || isPort(parts.port, least: 1) else { return nil }
        return parts
    }

    /// A name of labels, the last of which makes no number, or an address.
    static func isHost(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= 2_048 else { return false }
        if bytes.first == UInt8(ascii: "[") {
            return bytes.count > 2 && bytes.last == UInt8(ascii: "]") && isVersion6(bytes.dropFirst().dropLast())
        }
        var name = RequestGrammar.lower(bytes)
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { RequestGrammar.isAlphanumeric($0) || "-_".utf8.contains($0) }
        }
        guard areLabels, let first = labels.last?.first else { return false }
        return !(0x30...0x39).contains(first) || resolved(name) != nil
    }

    private static func isVersion6(_ bytes: ArraySlice<UInt8>) -> Bool { version6(bytes) != nil }

    /// The IPv4 address that resolvers read in a host: of one to four parts, octal and hexadecimal ones too.
    ///
    /// As the C library reads it, which takes no `0x` without digits; browsers take that for zero.
    static func resolved(_ name: [UInt8]) -> UInt32? {
        var address = in_addr()
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { part in
            RequestGrammar.lower(Array(part)) == Array("0x".utf8) ? Array("0".utf8) : Array(part)
        }
        let written = Array(parts.joined(separator: [UInt8(ascii: ".")]))
        guard name.count < 256, !name.isEmpty, unsafe inet_aton(text(written), &address) != 0 else { return nil }
        return UInt32(bigEndian: address.s_addr)
    }
}
