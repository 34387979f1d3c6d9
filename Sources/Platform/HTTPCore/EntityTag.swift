/// An entity tag, RFC 9110 section 8.8.3.
package struct EntityTag: Sendable, Hashable {
    /// What stands between the quotation marks: printable ASCII without a quotation mark.
    package let opaque: String
    /// Whether the tag promises equivalence only, not the same bytes.
    package let isWeak: Bool

    /// The given tag, or `nil` where the text could not stand between quotation marks.
    ///
    /// - Parameters:
    ///   - opaque: Printable ASCII without blank and quotation mark; typically a digest.
    ///   - isWeak: Whether the tag promises equivalence only.
    package init?(_ opaque: String, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) }) else { return nil }
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The value of an ETag field.
    package var text: String {
        (isWeak ? "W/\"" : "\"") + opaque + "\""
    }

    /// The ETag field.
    package var field: HTTPField {
        HTTPField(checked: .entityTag, text)
    }

    /// Whether a request says that it has this already, so that 304 is the answer; RFC 9110 section 13.1.2.
    ///
    /// Tags are compared weakly. What cannot be read matches nothing.
    ///
    /// - Parameter request: Its If-None-Match fields are read.
    /// - Returns: True where a tag or `*` matches.
    package func matches(ifNoneMatchOf request: HTTPRequest) -> Bool {
        var isMatched = false
        request.forEachValue(.ifNoneMatch) { isMatched = isMatched || matches(ifNoneMatch: $0) }
        return isMatched
    }

    /// Whether the value of an If-None-Match field names this tag.
    ///
    /// - Parameter value: `*`, or tags separated by commas.
    /// - Returns: True where a tag or `*` matches.
    package func matches(ifNoneMatch value: Span<UInt8>) -> Bool {
        if value.isEqual(to: "*") { return true }
        var index = 0
        while index < value.count {
            if ByteText.isBlank(value[index]) || value[index] == UInt8(ascii: ",") {
                index += 1
                continue
            }
            if value.extracting(index...).starts(with: "W/") { index += 2 }
            guard index < value.count, value[index] == UInt8(ascii: "\"") else { return false }
            let start = index + 1
            var end = start
            while end < value.count, value[end] != UInt8(ascii: "\"") { end += 1 }
            guard end < value.count else { return false }
            if value.extracting(start..<end).isEqual(to: opaque.utf8Span.span) { return true }
            index = end + 1
        }
        return false
    }
}
