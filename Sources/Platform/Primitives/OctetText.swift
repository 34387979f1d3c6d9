/// A text that is compared, hashed and taken apart by its octets alone: what a text from outside is compared as.
///
/// Two texts of Swift are equal where Unicode holds them for equivalent. To find that out, the library sorts every run of combining
/// marks, in time that grows with the square of its length; and its characters swallow a separator that follows a joining mark. Here
/// equal means the same octets, in time that grows with their number. Nothing is copied.
package struct OctetText: Sendable {
    /// The text itself, to be stored or shown.
    package let string: String

    /// The given text.
    package init(_ string: String) {
        self.string = string
    }
}

extension OctetText: Hashable {
    package static func == (one: OctetText, other: OctetText) -> Bool {
        // Before the octets are laid open: most texts that differ do so in their length.
        guard one.string.utf8.count == other.string.utf8.count else { return false }
        return OctetText.isSame(one.string.utf8Span.span, other.string.utf8Span.span, from: 0)
    }

    package func hash(into hasher: inout Hasher) {
        unsafe string.utf8Span.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        // Ends the text, so that texts that follow each other are not mixed up.
        hasher.combine(UInt8.max)
    }

    /// Whether a run of octets stands at an offset; it lies inside.
    fileprivate static func isSame(_ text: Span<UInt8>, _ part: Span<UInt8>, from offset: Int) -> Bool {
        for index in part.indices where text[offset + index] != part[index] { return false }
        return true
    }
}

extension OctetText: Comparable {
    /// In the order of the octets, which is that of the code points.
    package static func < (one: OctetText, other: OctetText) -> Bool {
        one.string.utf8.lexicographicallyPrecedes(other.string.utf8)
    }
}

extension OctetText: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) { self.init(value) }

    package var description: String { string }
}

extension OctetText {
    /// Whether the text begins with another.
    ///
    /// - Parameter start: Compared octet by octet.
    /// - Returns: True also where nothing follows.
    package func starts(with start: OctetText) -> Bool {
        let (text, part) = (string.utf8Span.span, start.string.utf8Span.span)
        return text.count >= part.count && OctetText.isSame(text, part, from: 0)
    }

    /// Whether the text ends with another.
    ///
    /// - Parameter end: Compared octet by octet.
    /// - Returns: True also where nothing stands before it.
    package func ends(with end: OctetText) -> Bool {
        let (text, part) = (string.utf8Span.span, end.string.utf8Span.span)
        return text.count >= part.count && OctetText.isSame(text, part, from: text.count - part.count)
    }

    /// The text between separators.
    ///
    /// - Parameters:
    ///   - separator: An ASCII character.
    ///   - limit: How many separators count; the last part has all others.
    ///   - keepingEmpty: Whether parts without an octet are among them.
    package func parts(between separator: UInt8, limit: Int = .max, keepingEmpty: Bool = true) -> [String] {
        string.utf8.split(separator: separator, maxSplits: limit, omittingEmptySubsequences: !keepingEmpty)
            .map { String(Substring($0)) }
    }

    /// The octets, UTF-8.
    package var utf8: String.UTF8View { string.utf8 }

    /// The text with the capitals of ASCII in lower case; any other octet as it is.
    package var lowercase: String {
        // Most are so already.
        guard string.utf8.contains(where: OctetText.isCapital) else { return string }
        return String(decoding: string.utf8.map { OctetText.isCapital($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func isCapital(_ octet: UInt8) -> Bool { (0x41...0x5A).contains(octet) }

    /// Whether every octet is printable ASCII, no blank among them, and there is one at least.
    package var isWord: Bool { !string.isEmpty && string.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
}

extension String {
    /// The text as octets, to be compared.
    package var octets: OctetText { OctetText(self) }
}

extension RawRepresentable<String> {
    /// The value for a word from outside, or `nil` where there is none.
    ///
    /// - Parameter word: Any text; raw values are ASCII, so only a text of ASCII is compared with them.
    package init?(word: OctetText) {
        guard word.isWord else { return nil }
        self.init(rawValue: word.string)
    }
}
