/// `application/x-www-form-urlencoded`, as browsers write it.
package enum FormCoding {
    /// Names and values as one text.
    ///
    /// - Parameter fields: In order.
    /// - Returns: ASCII.
    package static func encode(_ fields: [(String, String)]) -> String {
        fields.map { "\(escape($0.0))=\(escape($0.1))" }.joined(separator: "&")
    }

    /// A text with everything but unreserved characters as `%XX`.
    ///
    /// - Parameter text: Any.
    /// - Returns: ASCII.
    package static func escape(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Character(UnicodeScalar(byte))
            return byte < 0x80 && (scalar.isLetter || scalar.isNumber || "-._~".contains(scalar))
                ? String(scalar) : "%" + hex(byte >> 4) + hex(byte & 15)
        }.joined()
    }

    /// A text with every `%XX` undone.
    ///
    /// - Parameter text: A value of a query.
    /// - Returns: Malformed sequences stay as they are.
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
