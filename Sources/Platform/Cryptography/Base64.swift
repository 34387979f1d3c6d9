/// The standard Base64 alphabet with padding, RFC 4648 section 4, as signatures travel in it.
package enum Base64 {
    private static let alphabet: [UInt8] = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for index in alphabet.indices { table[Int(alphabet[index])] = UInt8(index) }
        return table
    }()

    private static let padding = UInt8(ascii: "=")

    /// The encoding of bytes as text.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Returns: One line of `[A-Za-z0-9+/]`, filled up with `=` to a multiple of four characters; empty for no bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let rest = bytes.count - start
            let second = rest > 1 ? bytes[start + 1] : 0
            let third = rest > 2 ? bytes[start + 2] : 0
            let group = UInt32(bytes[start]) << 16 | UInt32(second) << 8 | UInt32(third)
            output.append(alphabet[Int(group >> 18)])
            output.append(alphabet[Int(group >> 12 & 63)])
            output.append(rest > 1 ? alphabet[Int(group >> 6 & 63)] : padding)
            output.append(rest > 2 ? alphabet[Int(group & 63)] : padding)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes behind an encoding, or `nil` where the text is not the canonical one.
    ///
    /// - Parameter text: A multiple of four characters; blanks, line breaks, the URL-safe alphabet, missing or inner padding
    ///   and set bits behind the last byte are refused.
    /// - Returns: The decoded bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        var characters = Array(text.utf8)
        guard characters.count % 4 == 0 else { return nil }
        var padded = 0
        while padded < 2, characters.last == padding {
            characters.removeLast()
            padded += 1
        }
        var output: [UInt8] = []
        output.reserveCapacity(characters.count * 3 / 4)
        var accumulator: UInt32 = 0
        var bits: UInt32 = 0
        for character in characters {
            let value = values[Int(character)]
            guard value != 0xFF else { return nil }
            accumulator = (accumulator << 6 | UInt32(value)) & 0xFFFF
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            output.append(UInt8(truncatingIfNeeded: accumulator >> bits))
        }
        // Padding says how many bits are left over; they must be there, and zero.
        guard bits == UInt32(padded) * 2, accumulator & ((1 << bits) - 1) == 0 else { return nil }
        return output
    }
}
