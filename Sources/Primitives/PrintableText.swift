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

    /// Why a text is not taken: the first rule that it breaks, as a sentence without its full stop.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - length: How many Unicode scalars it may have.
    ///   - subject: What it is called; lower case.
    /// - Returns: `nil` for a text that is taken. Nothing of the text but the number of the character that is in the way.
    package static func problem(
        in text: String,
        length: ClosedRange<Int>,
        subject: StaticString = "the text"
    ) -> String? {
        guard !isGood(text, length: length) else { return nil }
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return "\(subject) is empty" }
        // Not counted, and not looked through, where it is far too long.
        guard text.utf8.count <= length.upperBound * 4, scalars.count <= length.upperBound else {
            return "\(subject) has more than \(length.upperBound) characters"
        }
        for scalar in scalars where !isPrintable(scalar) {
            let kind =
                switch scalar.properties.generalCategory {
                case .control: "a control character"
                case .format: "an invisible character"
                default: "a line separator"
                }
            return "\(subject) has \(kind) (\(number(of: scalar)))"
        }
        if first.properties.isWhitespace { return "\(subject) begins with a blank (\(number(of: first)))" }
        if last.properties.isWhitespace { return "\(subject) ends with a blank (\(number(of: last)))" }
        return "\(subject) has fewer than \(length.lowerBound) characters"
    }

    /// `U+` and four digits at least, as the standard writes it.
    private static func number(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
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
