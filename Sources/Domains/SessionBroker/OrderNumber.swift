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
        var digits = Array(text.utf8)
        if digits.count == 11, digits[5] == UInt8(ascii: "-") { digits.remove(at: 5) }
        guard digits.count == 10 else { return nil }
        for index in digits.indices {
            let isSmall = digits[index] >= UInt8(ascii: "a") && digits[index] <= UInt8(ascii: "z")
            let capital = isSmall ? digits[index] & 0xDF : digits[index]
            digits[index] =
                switch capital {
                case UInt8(ascii: "O"): UInt8(ascii: "0")
                case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
                default: capital
                }
            guard OrderNumber.alphabet.contains(digits[index]) else { return nil }
        }
        digits.insert(UInt8(ascii: "-"), at: 5)
        description = String(decoding: digits, as: UTF8.self)
    }
}
