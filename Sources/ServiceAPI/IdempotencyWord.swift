/// The client's word for a request: the value of `Idempotency-Key`.
package struct IdempotencyWord: Sendable, Hashable {
    /// 1 to 255 characters of visible ASCII, without the quotation marks of the field.
    package let text: String

    /// The greatest number of characters.
    package static let maximumLength = 255

    /// A word, or `nil` where the value is none.
    ///
    /// - Parameter value: Of the field: the word as it is, or as a quoted string of RFC 8941 (`"` and `\` behind a backslash,
    ///   nothing behind the closing quotation mark). Both forms of a word are one word.
    package init?(_ value: String) {
        guard let first = value.utf8.first else { return nil }
        if first != IdempotencyWord.quote {
            text = value
        } else {
            guard let content = IdempotencyWord.unquoted(value.utf8) else { return nil }
            text = content
        }
        guard (1...IdempotencyWord.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let escape = UInt8(ascii: "\\")

    /// What stands between quotation marks; `nil` where they or the escapes are not as they have to be.
    private static func unquoted(_ value: String.UTF8View) -> String? {
        guard value.count >= 2, value.last == quote else { return nil }
        let inner = value.dropFirst().dropLast()
        if !inner.contains(where: { $0 == escape || $0 == quote }) { return String(inner) }
        var octets: [UInt8] = []
        octets.reserveCapacity(inner.count)
        var isEscaped = false
        for octet in inner {
            if isEscaped {
                guard octet == escape || octet == quote else { return nil }
            } else if octet == escape {
                isEscaped = true
                continue
            } else if octet == quote {
                return nil
            }
            isEscaped = false
            octets.append(octet)
        }
        return isEscaped ? nil : String(decoding: octets, as: UTF8.self)
    }
}
