/// The client's word for a request: the value of `Idempotency-Key`.
package struct IdempotencyWord: Sendable, Hashable {
    /// 1 to 255 characters of visible ASCII, without the quotation marks of the field.
    package let text: String

    /// The greatest number of characters.
    package static let maximumLength = 255

    /// Which rule a value breaks.
    package enum Refusal: Error, Hashable {
        /// There is no character.
        case empty
        /// So many characters are more than there may be.
        case tooLong(Int)
        /// The octet of this number, counted from 1, is no visible ASCII.
        case character(Int)
        /// The quotation marks, or what stands behind a backslash.
        case quotation
    }

    /// A word.
    ///
    /// - Parameter value: Of the field: the word as it is, or as a quoted string of RFC 8941 (`"` and `\` behind a backslash,
    ///   nothing behind the closing quotation mark). Both forms of a word are one word.
    /// - Throws: Which rule it breaks.
    package init(reading value: String) throws(Refusal) {
        if let odd = value.utf8.enumerated().first(where: { !(0x21...0x7E).contains($0.element) }) {
            throw .character(odd.offset + 1)
        }
        text = value.utf8.first == IdempotencyWord.quote ? try IdempotencyWord.unquoted(value.utf8) : value
        guard !text.utf8.isEmpty else { throw .empty }
        guard text.utf8.count <= IdempotencyWord.maximumLength else { throw .tooLong(text.utf8.count) }
    }

    /// A word, or `nil` where the value is none.
    package init?(_ value: String) {
        do throws(Refusal) {
            try self.init(reading: value)
        } catch {
            return nil
        }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let escape = UInt8(ascii: "\\")

    /// What stands between quotation marks.
    private static func unquoted(_ value: String.UTF8View) throws(Refusal) -> String {
        guard value.count >= 2, value.last == quote else { throw .quotation }
        let inner = value.dropFirst().dropLast()
        if !inner.contains(where: { $0 == escape || $0 == quote }) { return String(Substring(inner)) }
        var octets: [UInt8] = []
        octets.reserveCapacity(inner.count)
        var isEscaped = false
        for octet in inner {
            if isEscaped {
                guard octet == escape || octet == quote else { throw .quotation }
            } else if octet == escape {
                isEscaped = true
                continue
            } else if octet == quote {
                throw .quotation
            }
            isEscaped = false
            octets.append(octet)
        }
        guard !isEscaped else { throw .quotation }
        return String(decoding: octets, as: UTF8.self)
    }
}
