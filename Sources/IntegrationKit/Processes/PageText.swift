package import HTTPCore

/// Finds things in the text of pages.
enum PageText {
    /// The text between two marks, or `nil` where one is missing.
    static func between(_ start: String, _ end: String, in text: String) -> String? {
        guard let first = text.firstRange(of: start) else { return nil }
        let rest = text[first.upperBound...]
        guard let last = rest.firstRange(of: end) else { return nil }
        return String(rest[..<last.lowerBound])
    }

    /// The value of a hidden field of a form, entities undone.
    static func field(_ name: String, in html: String) -> String? {
        guard let value = between("name=\"\(name)\" value=\"", "\"", in: html) else { return nil }
        guard value.contains("&") else { return value }
        let entities = [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
        return entities.reduce(value) { $0.replacing($1.0, with: $1.1) }
    }
}

/// Bodies of forms.
package enum FormText {
    /// Names and values as `application/x-www-form-urlencoded`.
    ///
    /// - Parameter form: In order.
    /// - Returns: ASCII.
    package static func encode(_ form: [(String, String)]) -> String {
        form.map { "\(escape($0.0))=\(escape($0.1))" }.joined(separator: "&")
    }

    private static func escape(_ text: String) -> String {
        var output: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: output.append(byte)
            default: output += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension InboundResponse {
    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The value that the answer gives to a cookie, or `nil`.
    ///
    /// - Parameter name: The whole name.
    /// - Returns: Without attributes.
    package func cookie(_ name: String) -> String? {
        for (field, value) in fields where field.lowercased() == "set-cookie" && value.hasPrefix(name + "=") {
            return String(value.dropFirst(name.utf8.count + 1).prefix { $0 != ";" })
        }
        return nil
    }
}
