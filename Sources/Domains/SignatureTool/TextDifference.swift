/// The first place where two texts part.
package struct TextDifference: Sendable, Equatable {
    /// From 1.
    package let line: Int
    /// From 1, in characters.
    package let column: Int
    /// What stands here at that place, control characters written as escapes; at most 60 characters.
    package let ours: String
    /// What stands there in the other text.
    package let theirs: String
    /// What the line is, or what ends too early.
    package let note: String

    /// The first difference, or `nil` for equal texts.
    ///
    /// - Parameters:
    ///   - ours: What the service makes of what was sent.
    ///   - part: What a line of ours is, by its number from 1.
    /// - Returns: Place and both sides.
    static func first(_ ours: [UInt8], _ theirs: [UInt8], part: (Int) -> String) -> TextDifference? {
        guard ours != theirs else { return nil }
        let index = zip(ours, theirs).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        var place = index ?? min(ours.count, theirs.count)
        // Not between the octets of one character.
        while index != nil, place > 0, ours[place] & 0xC0 == 0x80 { place -= 1 }
        let before = ours[..<place]
        let start = before.lastIndex(of: lineFeed).map { $0 + 1 } ?? 0
        let line = before.count { $0 == lineFeed } + 1
        return TextDifference(
            line: line,
            column: String(decoding: ours[start..<place], as: UTF8.self).unicodeScalars.count + 1,
            ours: snippet(ours, start, place),
            theirs: snippet(theirs, start, place),
            note: note(ours, theirs, place) ?? part(line)
        )
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private static func note(_ ours: [UInt8], _ theirs: [UInt8], _ place: Int) -> String? {
        let rest = theirs[place...]
        if place == ours.count, rest.allSatisfy(JSONSpelling.isBlank) {
            return "the signed text goes on with line ends or blanks; nothing follows the last line"
        }
        if place == theirs.count { return "the signed text ends here" }
        if rest.first == UInt8(ascii: "\r") { return "lines end with a line feed alone, without a carriage return" }
        return nil
    }

    private static func snippet(_ text: [UInt8], _ start: Int, _ place: Int) -> String {
        let from = max(start, place - 20)
        let end = text[min(place, text.count)...].firstIndex(of: lineFeed).map { $0 + 1 } ?? text.count
        guard from < end else { return "" }
        let characters = String(decoding: text[from..<min(end, from + 60)], as: UTF8.self).unicodeScalars.map {
            scalar in
            switch scalar {
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            default: String(scalar)
            }
        }
        return characters.joined()
    }
}
