import Primitives

/// Cuts session tokens out of text, as the second line of defence behind the rule that none is logged.
package enum TokenScrubber {
    /// Replaces what follows a token's tag (`swa_`, `swb_`, `swc_`, `swp_`, `swk_`, `sws_`) by an ellipsis.
    ///
    /// A tag counts wherever it stands, also inside a word; everything of the token alphabet behind it goes.
    ///
    /// - Parameter text: UTF-8.
    /// - Returns: The text with every token cut down to its tag.
    package static func scrub(_ text: [UInt8]) -> [UInt8] {
        guard let first = nextTag(in: text, from: 0) else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        output.append(contentsOf: text[..<first])
        var index = first
        while index < text.count {
            guard isTag(text, at: index) else {
                output.append(text[index])
                index += 1
                continue
            }
            output.append(contentsOf: text[index..<(index + tagLength)])
            index += tagLength
            let start = index
            while index < text.count, Base64URL.contains(text[index]) { index += 1 }
            if index > start { output.append(contentsOf: "...".utf8) }
        }
        return output
    }

    private static let tagLength = 4

    private static func nextTag(in text: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + tagLength <= text.count {
            if isTag(text, at: index) { return index }
            index += 1
        }
        return nil
    }

    private static func isTag(_ text: [UInt8], at index: Int) -> Bool {
        guard index + tagLength <= text.count, text[index] == UInt8(ascii: "s"), text[index + 1] == UInt8(ascii: "w"),
            text[index + 3] == UInt8(ascii: "_")
        else { return false }
        switch text[index + 2] {
        case UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "c"), UInt8(ascii: "p"), UInt8(ascii: "k"),
            UInt8(ascii: "s"):
            return true
        default: return false
        }
    }
}
