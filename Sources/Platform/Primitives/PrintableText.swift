/// Which texts of a merchant are taken, and what is kept of them: what can be shown in one line, and nothing that changes how its
/// surroundings read.
///
/// Texts of catalogues hold more than anybody sees: a zero-width blank of a copied page, a byte order mark of a file, the line end of
/// a cell. None of that stops a purchase. What nobody sees is dropped, a tab or a line end becomes a blank with those around it, and
/// blanks at the ends go. What is seen stays: a variation selector behind an ideograph or emoji, a joiner between two emoji. Refused is
/// what turns the direction of a line, and what is no text at all.
package enum PrintableText {
    /// What is kept of a text.
    ///
    /// - Parameters:
    ///   - length: How many Unicode scalars it may have, as it was sent.
    ///   - subject: What it is called; lower case.
    /// - Returns: The same text, not copied, where nothing has to go.
    /// - Throws: The first rule that it breaks.
    package static func cleaned(
        _ text: String,
        length: ClosedRange<Int>,
        subject: StaticString = "the text"
    ) throws(TextRefusal) -> String {
        // Octets first: a long text is neither counted nor looked through. No scalar has more than four.
        guard text.utf8.count <= length.upperBound * 4, text.unicodeScalars.count <= length.upperBound else {
            throw TextRefusal("\(subject) has more than \(length.upperBound) characters")
        }
        let kept = isClean(text) ? text : try TextCleaner.clean(text, subject)
        guard !kept.isEmpty || length.lowerBound == 0 else { throw TextRefusal("\(subject) is empty") }
        guard kept.utf8.count >= length.lowerBound, kept.unicodeScalars.count >= length.lowerBound else {
            throw TextRefusal("\(subject) has fewer than \(length.lowerBound) characters")
        }
        return kept
    }

    /// Whether a text is taken as it is.
    ///
    /// - Parameters:
    ///   - length: How many Unicode scalars it may have.
    /// - Returns: False also where something of it would have to go.
    package static func isGood(_ text: String, length: ClosedRange<Int>) -> Bool {
        guard let kept = try? cleaned(text, length: length) else { return false }
        return kept.octets == text.octets
    }

    /// Whether a text is taken as it is, and everything in it is seen: a name that is compared octet by octet holds nothing else.
    ///
    /// - Parameters:
    ///   - length: How many Unicode scalars it may have.
    package static func isVisible(_ text: String, length: ClosedRange<Int>) -> Bool {
        text.utf8.count <= length.upperBound * 4 && length.contains(text.unicodeScalars.count) && isClean(text)
    }

    /// Whether every character is an everyday one, and none at the ends is a blank: most texts are so, and nothing is written anew.
    private static func isClean(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return true }
        return !first.properties.isWhitespace && !last.properties.isWhitespace && scalars.allSatisfy(isEveryday)
    }

    private static func isEveryday(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // ASCII, kana and ideographs need not be looked up.
        case 0x20...0x7E, 0x3040...0x30FF, 0x4E00...0x9FFF: return true
        default:
            let properties = scalar.properties
            guard !properties.isDefaultIgnorableCodePoint else { return false }
            return switch properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}

/// Why a text from outside is not taken.
package struct TextRefusal: Error, Sendable, Equatable {
    /// The rule that the text breaks, without a full stop; of the text nothing but the character that is in the way.
    package let sentence: String

    /// A refusal.
    ///
    /// - Parameter sentence: Without a full stop.
    package init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// Writes a text anew, scalar by scalar.
private struct TextCleaner {
    private var kept = String.UnicodeScalarView()
    /// Whether a tab or a line end stands behind what is kept.
    private var isBroken = false
    /// Whether a joiner stands behind what is kept, which is an emoji.
    private var isJoined = false

    static func clean(_ text: String, _ subject: StaticString) throws(TextRefusal) -> String {
        var cleaner = TextCleaner()
        for scalar in text.unicodeScalars {
            if let kind = refusedKind(scalar) {
                throw TextRefusal("\(subject) has \(kind), \(name(of: scalar))")
            }
            cleaner.take(scalar)
        }
        cleaner.dropBlanks()
        return String(cleaner.kept)
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint {
            takeUnseen(scalar)
        } else if TextCleaner.isBreak(scalar) {
            dropBlanks()
            (isBroken, isJoined) = (true, false)
        } else if properties.isWhitespace {
            guard !isBroken, !kept.isEmpty else { return }
            isJoined = false
            kept.append(scalar)
        } else {
            if isBroken, !kept.isEmpty { kept.append(" ") }
            if isJoined, TextCleaner.isEmoji(scalar) { kept.append(TextCleaner.joiner) }
            (isBroken, isJoined) = (false, false)
            kept.append(scalar)
        }
    }

    /// Keeps what changes the picture of the character before it.
    private mutating func takeUnseen(_ scalar: Unicode.Scalar) {
        guard !isBroken, let base = kept.last else { return }
        if scalar == TextCleaner.joiner {
            isJoined = TextCleaner.isEmoji(base) || base == TextCleaner.emojiStyle
        } else if scalar.properties.isVariationSelector {
            guard base.properties.isIdeographic || base.properties.isEmoji else { return }
            kept.append(scalar)
        }
    }

    private mutating func dropBlanks() {
        while kept.last?.properties.isWhitespace == true { kept.removeLast() }
    }

    private static let joiner: Unicode.Scalar = "\u{200D}"
    private static let emojiStyle: Unicode.Scalar = "\u{FE0F}"

    /// Digits and signs of Latin-1 count as emoji too, but none of them is joined.
    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0xFF && scalar.properties.isEmoji }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// What a character is that is in no text, or `nil`.
    private static func refusedKind(_ scalar: Unicode.Scalar) -> String? {
        let properties = scalar.properties
        if properties.isBidiControl { return "a character that turns the direction of a line" }
        if isBreak(scalar) { return nil }
        return switch properties.generalCategory {
        case .control: "a control character"
        case .format: properties.isDefaultIgnorableCodePoint ? nil : "a format character"
        default: nil
        }
    }

    /// `U+`, four digits at least, and the name, as the standard writes them.
    private static func name(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let number = "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        let properties = scalar.properties
        guard let name = properties.name ?? properties.nameAlias else { return number }
        return "\(number) \(name)"
    }
}

extension TextRefusal: CustomStringConvertible {
    package var description: String { sentence }
}
