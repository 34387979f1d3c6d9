import Primitives

/// Cuts session tokens out of text, as the second line of defence behind the rule that none is logged.
package enum TokenScrubber {
    /// Replaces what follows a token's tag (`swa_`, `swb_`, `swc_`, `swp_`, `swk_`, `sws_`, `sat_`, `whsec_`) by an ellipsis.
    ///
    /// A tag counts wherever it stands, also inside a word; everything of the token's alphabet behind it goes.
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
            let length = tagLength(text, at: index)
            guard length > 0 else {
                output.append(text[index])
                index += 1
                continue
            }
            output.append(contentsOf: text[index..<(index + length)])
            index += length
            let start = index
            while index < text.count, isPart(text[index], ofSecret: length == secretTag.count) { index += 1 }
            if index > start { output.append(contentsOf: "...".utf8) }
        }
        return output
    }

    /// Of a secret that is written as Standard Webhooks does, in Base64.
    private static let secretTag = Array("whsec_".utf8)
    private static let shortLength = 4

    private static func nextTag(in text: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + shortLength <= text.count {
            if tagLength(text, at: index) > 0 { return index }
            index += 1
        }
        return nil
    }

    private static func isPart(_ character: UInt8, ofSecret isSecret: Bool) -> Bool {
        Base64URL.contains(character)
            || isSecret && [UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "=")].contains(character)
    }

    /// How long the tag is that begins here; zero where none does.
    private static func tagLength(_ text: [UInt8], at index: Int) -> Int {
        if isShortTag(text, at: index) { return shortLength }
        guard text[index] == secretTag[0], index + secretTag.count <= text.count else { return 0 }
        return text[index..<(index + secretTag.count)].elementsEqual(secretTag) ? secretTag.count : 0
    }

    private static func isShortTag(_ text: [UInt8], at index: Int) -> Bool {
        guard index + shortLength <= text.count, text[index] == UInt8(ascii: "s"), text[index + 3] == UInt8(ascii: "_")
        else { return false }
        // Of an app: `sat_`.
        if text[index + 1] == UInt8(ascii: "a") { return text[index + 2] == UInt8(ascii: "t") }
        guard text[index + 1] == UInt8(ascii: "w") else { return false }
        switch text[index + 2] {
        case UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "c"), UInt8(ascii: "p"), UInt8(ascii: "k"),
            UInt8(ascii: "s"):
            return true
        default: return false
        }
    }
}
