/// Base 16 in lower case, RFC 4648 section 8.
package enum Hex {
    /// Appends two lower-case digits for each byte.
    ///
    /// - Parameters:
    ///   - bytes: Any number of bytes.
    ///   - output: Grows by twice as many characters.
    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        // As in `Base64URL.append`.
        guard !bytes.isEmpty else { return }
        output.append(addingCapacity: bytes.count * 2) { room in
            for index in bytes.indices { append(UInt64(bytes[index]), digits: 2, to: &room) }
        }
    }

    /// Appends the last digits of a number, the highest of them first.
    ///
    /// - Parameters:
    ///   - count: How many digits, up to 16.
    ///   - output: Grows by as many characters; has room for them.
    package static func append(_ number: UInt64, digits count: Int, to output: inout OutputSpan<UInt8>) {
        precondition(count >= 0 && count <= 16, "a number has up to sixteen digits")
        unsafe output.append(raw: count) { room in
            var rest = number
            var place = count
            while place > 0 {
                place -= 1
                let digit = UInt8(truncatingIfNeeded: rest & 15)
                // The letters begin 39 places behind the digits; without a branch, since no branch could be foreseen.
                let letters = (digit &+ 6) >> 4 &* 39
                unsafe room.storeBytes(of: digit &+ UInt8(ascii: "0") &+ letters, toByteOffset: place, as: UInt8.self)
                rest >>= 4
            }
        }
    }

    /// The lower-case text of bytes.
    ///
    /// - Parameter bytes: Any number of bytes.
    /// - Returns: Twice as many characters of `[0-9a-f]`.
    package static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count * 2)
        append(bytes.span, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes behind hexadecimal text, or `nil` where a character is foreign or the count is odd.
    ///
    /// - Parameter text: Both cases are read.
    /// - Returns: Half as many bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        var output: [UInt8] = []
        var high: UInt8?
        for byte in text.utf8 {
            guard let value = value(of: byte) else { return nil }
            if let upper = high {
                output.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? output : nil
    }

    /// The value of one digit, or `nil` for any other character.
    ///
    /// - Parameter byte: ASCII; both cases are read.
    /// - Returns: 0 to 15.
    package static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
