/// `application/x-www-form-urlencoded`, as browsers write it.
package enum FormCoding {
    /// Names and values as one text, in order.
    package static func encode(_ fields: [(String, String)]) -> String {
        fields.map { "\(escape($0.0))=\(escape($0.1))" }.joined(separator: "&")
    }

    /// A text with everything but unreserved characters as `%XX`.
    package static func escape(_ text: String) -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                output.append(byte)
            default: output += ("%" + hex(byte >> 4) + hex(byte & 15)).utf8
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// A text with every `%XX` undone; malformed sequences stay as they are.
    package static func unescape(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(text)
        while let first = rest.first {
            if first == "%", let byte = UInt8(rest.dropFirst().prefix(2), radix: 16) {
                bytes.append(byte)
                rest = rest.dropFirst(3)
            } else {
                bytes += String(first).utf8
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hex(_ nibble: UInt8) -> String {
        String(nibble, radix: 16, uppercase: true)
    }
}
