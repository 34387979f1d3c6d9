/// Protocol names for ALPN, RFC 7301, in the server's order of preference.
struct ProtocolNames: Sendable {
    /// The names in wire format: each with one length byte in front.
    let wire: [UInt8]

    /// The list of the given names, or `nil` where one is empty or over 255 bytes.
    init?(_ names: [String]) {
        var wire: [UInt8] = []
        for name in names {
            guard let length = UInt8(exactly: name.utf8.count), length > 0 else { return nil }
            wire.append(length)
            wire.append(contentsOf: name.utf8)
        }
        self.wire = wire
    }

    /// Finds our most preferred name in a client's list.
    ///
    /// - Parameter offered: Wire format, from the peer; a length that runs past the end finds nothing.
    /// - Returns: Where the name starts in `offered` and how long it is.
    func firstCommon(in offered: Span<UInt8>) -> Range<Int>? {
        var own = 0
        while own < wire.count {
            let length = Int(wire[own])
            if let found = position(of: own + 1..<own + 1 + length, in: offered) { return found }
            own += 1 + length
        }
        return nil
    }

    private func position(of name: Range<Int>, in offered: Span<UInt8>) -> Range<Int>? {
        var index = 0
        while index < offered.count {
            let start = index + 1
            let end = start + Int(offered[index])
            guard end <= offered.count else { return nil }
            if end - start == name.count, zip(start..<end, name).allSatisfy({ offered[$0] == wire[$1] }) {
                return start..<end
            }
            index = end
        }
        return nil
    }
}
