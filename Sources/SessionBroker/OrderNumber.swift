import Primitives

/// The number of an order as the buyer sees it; never a key.
///
/// Eleven characters: five, a dash and five of Crockford's Base32, made of the last 50 random bits of the webview session id,
/// so it needs no sequence and does not reveal how many orders there are. Two orders share one with a chance of 1 in 10^15.
package struct OrderNumber: Sendable, Hashable, CustomStringConvertible {
    /// For example `4F7K9-2QX8M`.
    package let description: String

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The number of a webview session's order.
    ///
    /// - Parameter webviewSession: The same webview session always gives the same number.
    package init(_ webviewSession: WebviewSessionID) {
        let digit = { (position: Int) in OrderNumber.alphabet[Int(webviewSession.low >> UInt64(45 - 5 * position) & 31)]
        }
        description = unsafe String(unsafeUninitializedCapacity: 11) { room in
            for position in 0..<5 {
                unsafe room[position] = digit(position)
                unsafe room[position + 6] = digit(position + 5)
            }
            unsafe room[5] = UInt8(ascii: "-")
            return 11
        }
    }

    /// What the last six bytes of the webview session's id are: all of the number but its first two bits.
    package var lastBytes: [UInt8] {
        let bits = description.utf8.lazy.compactMap(OrderNumber.alphabet.firstIndex).reduce(0) { $0 << 5 | UInt64($1) }
        return Array(UUIDBytes(high: 0, low: bits).bytes.suffix(6))
    }

    /// An order's number as somebody has typed it, or `nil` for anything else.
    ///
    /// - Parameter text: In either case, with or without the dash; O and zero, I, L and one are the same.
    package init?(typed text: String) {
        let same: [UInt8: UInt8] = [
            UInt8(ascii: "O"): UInt8(ascii: "0"), UInt8(ascii: "I"): UInt8(ascii: "1"),
            UInt8(ascii: "L"): UInt8(ascii: "1"),
        ]
        var characters = text.uppercased().utf8.map { same[$0] ?? $0 }
        if characters.count == 11, characters[5] == UInt8(ascii: "-") { characters.remove(at: 5) }
        guard characters.count == 10, characters.allSatisfy(OrderNumber.alphabet.contains) else { return nil }
        characters.insert(UInt8(ascii: "-"), at: 5)
        description = String(decoding: characters, as: UTF8.self)
    }
}
