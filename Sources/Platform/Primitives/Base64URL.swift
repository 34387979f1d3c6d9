/// The URL-safe Base64 alphabet without padding, RFC 4648 section 5.
package enum Base64URL {
    /// `A` to `Z`, `a` to `z`, `0` to `9`, `-` and `_`, as numbers: such a table needs no check at each use that it was made.
    private static let alphabet: InlineArray<64, UInt8> = [
        0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0x50,
        0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
        0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76,
        0x77, 0x78, 0x79, 0x7A, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x2D, 0x5F,
    ]

    /// The place of each ASCII character in the alphabet, or 0xFF.
    private static let places: InlineArray<128, UInt8> = [
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3E, 0xFF, 0xFF,
        0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x3B, 0x3C, 0x3D, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E,
        0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F,
        0xFF, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
        0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x30, 0x31, 0x32, 0x33, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]

    /// Appends the encoding of bytes to a buffer.
    ///
    /// - Parameters:
    ///   - bytes: Any number of bytes.
    ///   - output: Grows by `(bytes.count * 4 + 2) / 3` characters of `[A-Za-z0-9_-]`; has room for them.
    package static func append(_ bytes: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        let groups = bytes.count / 3
        unsafe output.append(raw: groups * 4) { room in
            for group in 0..<groups {
                let start = group * 3
                let bits = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
                let low = UInt32(alphabet[Int(bits >> 18)]) | UInt32(alphabet[Int(bits >> 12 & 63)]) << 8
                let high = UInt32(alphabet[Int(bits >> 6 & 63)]) << 16 | UInt32(alphabet[Int(bits & 63)]) << 24
                // One store for four characters, the first of them in the lowest byte.
                unsafe room.storeBytes(of: (low | high).littleEndian, toByteOffset: group * 4, as: UInt32.self)
            }
        }
        let index = groups * 3
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

    /// Appends the encoding of bytes to a buffer.
    ///
    /// - Parameters:
    ///   - bytes: Any number of bytes.
    ///   - output: Grows by `(bytes.count * 4 + 2) / 3` characters of `[A-Za-z0-9_-]`.
    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        // Without a byte the standard library would write the count of the empty array, which is one for all threads.
        guard !bytes.isEmpty else { return }
        output.append(addingCapacity: (bytes.count * 4 + 2) / 3) { room in append(bytes, to: &room) }
    }

    /// The encoding of bytes as text.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Returns: `[A-Za-z0-9_-]`, no padding; empty for no bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        append(bytes.span, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the bytes behind an encoding; says whether the text was the canonical one.
    ///
    /// - Parameters:
    ///   - text: ASCII; a foreign character, padding, an impossible length or set bits behind the last byte are refused.
    ///   - output: Grows by `text.count * 3 / 4` bytes, for which it has room; of no use where the text is refused.
    /// - Returns: Whether `output` holds the decoded bytes.
    package static func decode(_ text: Span<UInt8>, to output: inout OutputSpan<UInt8>) -> Bool {
        guard text.count % 4 != 1 else { return false }
        let groups = text.count / 4
        // What is no character of the alphabet has the highest bit set; one look at the end finds it.
        var union: UInt8 = 0
        unsafe output.append(raw: groups * 3) { room in
            for group in 0..<groups {
                let first = place(of: text[group * 4])
                let second = place(of: text[group * 4 + 1])
                let third = place(of: text[group * 4 + 2])
                let fourth = place(of: text[group * 4 + 3])
                union |= first | second | third | fourth
                let start = unsafe room + group * 3
                unsafe start.storeBytes(of: first << 2 | second >> 4, as: UInt8.self)
                unsafe start.storeBytes(of: second << 4 | third >> 2, toByteOffset: 1, as: UInt8.self)
                unsafe start.storeBytes(of: third << 6 | fourth, toByteOffset: 2, as: UInt8.self)
            }
        }
        return union < 0x80 && decodeEnd(text.extracting((groups * 4)...), to: &output)
    }

    /// Decodes the two or three characters behind the last group of four, if there are any.
    private static func decodeEnd(_ text: Span<UInt8>, to output: inout OutputSpan<UInt8>) -> Bool {
        guard text.count > 0 else { return true }
        let first = place(of: text[0])
        let second = place(of: text[1])
        output.append(first << 2 | second >> 4)
        guard text.count > 2 else { return first | second < 0x80 && second & 15 == 0 }
        let third = place(of: text[2])
        output.append(second << 4 | third >> 2)
        return first | second | third < 0x80 && third & 3 == 0
    }

    /// The bytes behind an encoding, or `nil` where the text is not the canonical one.
    ///
    /// - Parameter text: ASCII; a foreign character, padding, an impossible length or set bits behind the last byte are
    ///   refused.
    /// - Returns: The decoded bytes.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        // As in `append`.
        guard text.count > 1 else { return text.isEmpty ? [] : nil }
        var isCanonical = false
        let bytes = [UInt8](capacity: text.count * 3 / 4) { room in isCanonical = decode(text, to: &room) }
        return isCanonical ? bytes : nil
    }

    /// The bytes behind an encoding, or `nil` where the text is not the canonical one.
    ///
    /// - Parameter text: As for the form that takes bytes.
    /// - Returns: The decoded bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(text.utf8Span.span)
    }

    /// Whether a byte belongs to the alphabet.
    ///
    /// - Parameter byte: Any byte.
    /// - Returns: True for `[A-Za-z0-9_-]`.
    package static func contains(_ byte: UInt8) -> Bool {
        place(of: byte) != 0xFF
    }

    private static func place(of byte: UInt8) -> UInt8 {
        byte < 128 ? places[Int(byte)] : 0xFF
    }
}
