/// The URL-safe Base64 alphabet without padding, RFC 4648 section 5.
package enum Base64URL {
    private static let alphabet: [UInt8] = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for index in alphabet.indices { table[Int(alphabet[index])] = UInt8(index) }
        return table
    }()

    /// Appends the encoding of bytes to a buffer.
    ///
    /// - Parameters:
    ///   - bytes: Any number of bytes.
    ///   - output: Grows by `(bytes.count * 4 + 2) / 3` characters of `[A-Za-z0-9_-]`.
    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        var index = 0
        while index + 2 < bytes.count {
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
            output.append(alphabet[Int(group >> 18)])
            output.append(alphabet[Int(group >> 12 & 63)])
            output.append(alphabet[Int(group >> 6 & 63)])
            output.append(alphabet[Int(group & 63)])
            index += 3
        }
        switch bytes.count - index {
        case 1:
            let group = UInt32(bytes[index]) << 16
            output.append(alphabet[Int(group >> 18)])
            output.append(alphabet[Int(group >> 12 & 63)])
        case 2:
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8
            output.append(alphabet[Int(group >> 18)])
            output.append(alphabet[Int(group >> 12 & 63)])
            output.append(alphabet[Int(group >> 6 & 63)])
        default:
            break
        }
    }

    /// The encoding of bytes as text.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Returns: `[A-Za-z0-9_-]`, no padding; empty for no bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count * 4 + 2) / 3)
        append(bytes.span, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes behind an encoding, or `nil` where the text is not the canonical one.
    ///
    /// - Parameter text: ASCII; a foreign character, padding, an impossible length or set bits behind the last byte are refused.
    /// - Returns: The decoded bytes.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(text.count * 3 / 4)
        var accumulator: UInt32 = 0
        var bits = 0
        for index in text.indices {
            let value = values[Int(text[index])]
            guard value != 0xFF else { return nil }
            accumulator = (accumulator << 6 | UInt32(value)) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(truncatingIfNeeded: accumulator >> UInt32(bits)))
            }
        }
        guard accumulator & ((1 << UInt32(bits)) - 1) == 0 else { return nil }
        return output
    }

    /// The bytes behind an encoding, or `nil` where the text is not the canonical one.
    ///
    /// - Parameter text: As for the form that takes bytes.
    /// - Returns: The decoded bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        return decode(bytes.span)
    }

    /// Whether a byte belongs to the alphabet.
    ///
    /// - Parameter byte: Any byte.
    /// - Returns: True for `[A-Za-z0-9_-]`.
    package static func contains(_ byte: UInt8) -> Bool {
        values[Int(byte)] != 0xFF
    }
}
