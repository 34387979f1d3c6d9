// Questions about short runs of bytes. Parsers with a loop of their own have these inside it; a call per byte across
// targets costs ten times the comparison.

extension Span where Element == UInt8 {
    /// Whether the bytes are those of a text.
    ///
    /// - Parameter text: Compared byte by byte, case included.
    /// - Returns: True where every byte agrees.
    package func isEqual(to text: StaticString) -> Bool {
        text.withUTF8Buffer { unsafe isEqual(to: $0.span) }
    }

    /// Whether the bytes begin with those of a text.
    ///
    /// - Parameter text: Compared byte by byte, case included.
    /// - Returns: True also where nothing follows.
    package func starts(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        return count >= length && extracting(first: length).isEqual(to: text)
    }

    /// Whether the bytes are those of another run.
    ///
    /// - Parameter other: Compared byte by byte, case included.
    /// - Returns: True where every byte agrees.
    package func isEqual(to other: Span<UInt8>) -> Bool {
        guard other.count == count else { return false }
        var index = 0
        while count - index >= 8 {
            guard word(at: index) == other.word(at: index) else { return false }
            index += 8
        }
        while index < count {
            guard self[index] == other[index] else { return false }
            index += 1
        }
        return true
    }

    /// Whether the bytes are those of another run, the case of ASCII letters aside.
    ///
    /// - Parameter other: Compared byte by byte.
    /// - Returns: True where every byte agrees.
    package func isEqualIgnoringCase(to other: Span<UInt8>) -> Bool {
        guard other.count == count else { return false }
        // Most are written alike.
        if isEqual(to: other) { return true }
        for index in indices where ByteText.lowercase(other[index]) != ByteText.lowercase(self[index]) { return false }
        return true
    }

    /// Whether the bytes are those of a text, the case of ASCII letters aside.
    ///
    /// - Parameter text: In lower case.
    /// - Returns: True where every byte agrees.
    package func isEqualIgnoringCase(to text: StaticString) -> Bool {
        text.withUTF8Buffer { other in
            guard other.count == count else { return false }
            for index in indices where unsafe other[index] != ByteText.lowercase(self[index]) { return false }
            return true
        }
    }

    /// Whether the bytes are a token, RFC 9110 section 5.6.2: one character at least.
    package var isToken: Bool {
        guard count > 0 else { return false }
        for index in indices where !ByteText.isTokenCharacter(self[index]) { return false }
        return true
    }

    /// Whether the bytes may be sent as a field value: printable ASCII and blanks, no blank at either end.
    package var isFieldContent: Bool {
        guard count > 0 else { return true }
        guard self[0] != UInt8(ascii: " "), self[count - 1] != UInt8(ascii: " ") else { return false }
        for index in indices where self[index] < 0x20 || self[index] > 0x7E { return false }
        return true
    }

    /// The run without the blanks and tabs at both ends.
    ///
    /// - Returns: The range inside this run.
    package func trimmedRange() -> Range<Int> {
        var start = 0
        var end = count
        while start < end, ByteText.isBlank(self[start]) { start += 1 }
        while end > start, ByteText.isBlank(self[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Eight bytes as one number, the first in the lowest byte; one load where the compiler knows that there are eight.
    ///
    /// - Parameter offset: Where the eight begin; all of them lie inside.
    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        let eight = extracting(offset..<(offset + 8))
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(eight[index]) << UInt64(8 * index) }
        return word
    }

    /// Whether the bytes list a word, separated by commas or semicolons.
    ///
    /// - Parameter word: In lower case; compared without regard to case.
    /// - Returns: True where one of the parts, blanks around it aside, is the word.
    package func lists(_ word: StaticString) -> Bool {
        var start = 0
        for index in 0...count {
            guard index == count || self[index] == UInt8(ascii: ",") || self[index] == UInt8(ascii: ";")
            else { continue }
            let part = extracting(start..<index)
            if part.extracting(part.trimmedRange()).isEqualIgnoringCase(to: word) { return true }
            start = index + 1
        }
        return false
    }

    /// The text of the bytes; what is not UTF-8 becomes U+FFFD.
    package var text: String {
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    /// Appends a run of bytes with one copy.
    package mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends a text that is written in the source with one copy.
    package mutating func append(text: StaticString) {
        text.withUTF8Buffer { unsafe append(contentsOf: $0) }
    }
}

/// The character classes of HTTP.
///
/// A parser in another target has its own: a call per byte across targets costs ten times the comparison.
enum ByteText {
    /// Whether a byte may stand in a token, RFC 9110 section 5.6.2.
    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        // One bit for each of the first 128 characters.
        let mask: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && mask >> UInt64(byte & 63) & 1 == 1
    }

    /// Whether a byte may stand in a target in origin-form.
    ///
    /// A path takes what RFC 3986 allows. A query takes every printable ASCII character but `"`, `#`, `<` and `>`:
    /// browsers send the vertical bar, for one, as it is. The first question mark counts as part of the path.
    static func isTargetCharacter(_ byte: UInt8, inQuery: Bool) -> Bool {
        // One bit for each of the first 128 characters.
        let high: UInt64 = inQuery ? 0x7FFF_FFFF_FFFF_FFFF : 0x47FF_FFFE_87FF_FFFF
        let mask: UInt64 = byte < 64 ? 0xAFFF_FFF2_0000_0000 : high
        return byte < 128 && mask >> UInt64(byte & 63) & 1 == 1
    }

    /// Whether a byte may stand in a received value, RFC 9110 section 5.5: no control character but the tab.
    static func isValueCharacter(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == 0x09
    }

    /// Whether a byte is a blank or a tab.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }

    /// The lower-case form of an ASCII letter; any other byte as it is.
    static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}
