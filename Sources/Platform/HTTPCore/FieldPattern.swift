import Primitives

/// A field whose value has one gap for a word that differs from response to response: a token, a nonce, an identifier.
///
/// What surrounds the gap is checked and joined once; the word may hold characters of `[A-Za-z0-9._~-]` only, so it can end
/// neither the field nor a part of its value.
package struct FieldPattern: Sendable {
    private let name: HTTPFieldName
    private let before: [UInt8]
    private let after: [UInt8]

    /// The pattern with the given surroundings, or `nil` where the field could not be sent.
    ///
    /// - Parameters:
    ///   - before: What stands before the gap, checked as for a field.
    ///   - after: What stands behind the gap, checked as for a field.
    package init?(_ name: HTTPFieldName, before: String, after: String) {
        guard (before + "-" + after).utf8Span.span.isFieldContent else { return nil }
        self.name = name
        self.before = Array(before.utf8)
        self.after = Array(after.utf8)
    }

    /// The field with its gap filled, or `nil` where the word holds another character.
    ///
    /// - Parameters:
    ///   - count: The greatest number of characters of the word.
    /// - Returns: One allocation, that of the value.
    package func field(_ count: Int, _ word: (inout OutputSpan<UInt8>) -> Void) -> HTTPField? {
        var isWord = true
        let value = String(ascii: before.count + count + after.count) { room in
            room.append(copying: before.span)
            word(&room)
            isWord = FieldPattern.isWord(room.span.extracting(before.count...))
            room.append(copying: after.span)
        }
        return isWord ? HTTPField(checked: name, value) : nil
    }

    private static func isWord(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            let byte = text[index]
            let half = byte < 64 ? lowerHalf : upperHalf
            guard byte < 128, half >> UInt64(byte & 63) & 1 == 1 else { return false }
        }
        return true
    }

    /// A bit for each character of a word below `@`: `-`, `.` and the digits.
    private static let lowerHalf: UInt64 = 0x3FF << 48 | 1 << 46 | 1 << 45
    /// The same from `@` on: `A` to `Z`, `_`, `a` to `z` and `~`.
    private static let upperHalf: UInt64 = 0x3FF_FFFF << 1 | 1 << 31 | 0x3FF_FFFF << 33 | 1 << 62
}
