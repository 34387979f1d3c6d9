/// Which texts of a merchant are taken: what can be shown in one line, and nothing that changes how its surroundings read.
package enum PrintableText {
    /// Whether a text is printable and of a length.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - length: How many Unicode scalars it may have.
    /// - Returns: False for control and format characters, line and paragraph separators, a blank at either end.
    package static func isGood(_ text: String, length: ClosedRange<Int>) -> Bool {
        let scalars = text.unicodeScalars
        // The usual case: no character needs to be looked up.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            return length.contains(text.utf8.count) && text.utf8.first != 0x20 && text.utf8.last != 0x20
        }
        // Bytes first: a long text is not worth counting. No scalar has more than four.
        guard text.utf8.count <= length.upperBound * 4, length.contains(scalars.count) else { return false }
        guard let first = scalars.first, let last = scalars.last else { return true }
        return !first.properties.isWhitespace && !last.properties.isWhitespace && scalars.allSatisfy(isPrintable)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        // Only what joins the parts of one emoji; the others turn the direction of a line or hide in it.
        case .format: scalar == "\u{200D}"
        default: true
        }
    }
}
