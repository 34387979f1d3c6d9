import Primitives

/// The same JSON value in the spellings of other programs, octet by octet, so that numbers and names stay as they are.
///
/// Texts that are no JSON come out changed in harmless ways or not at all; nothing is read from them.
enum JSONSpelling {
    /// Without white space between the tokens, as JavaScript writes.
    static func compact(_ text: [UInt8]) -> [UInt8] {
        rewrite(text) { byte, output in
            if !isBlank(byte) { output.append(byte) }
        } inside: { bytes, output in
            output += bytes
        }
    }

    /// With a space behind each colon and comma, as Python writes.
    static func spaced(_ text: [UInt8]) -> [UInt8] {
        rewrite(compact(text)) { byte, output in
            output.append(byte)
            if byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",") { output.append(UInt8(ascii: " ")) }
        } inside: { bytes, output in
            output += bytes
        }
    }

    /// With `/` for `\/`.
    static func unescapedSlashes(_ text: [UInt8]) -> [UInt8] {
        rewriteStrings(text) { bytes, output in
            output += bytes.elementsEqual([backslash, slash]) ? [slash] : bytes
        }
    }

    /// With `\/` for `/`, as PHP writes.
    static func escapedSlashes(_ text: [UInt8]) -> [UInt8] {
        rewriteStrings(text) { bytes, output in
            output += bytes.elementsEqual([slash]) ? [backslash, slash] : bytes
        }
    }

    /// With the characters themselves for `\uXXXX`.
    static func unescapedCharacters(_ text: [UInt8]) -> [UInt8] {
        var pending: UInt16?
        return rewriteStrings(text) { bytes, output in
            guard bytes.count == 6, let unit = codeUnit(bytes) else {
                output += bytes
                return
            }
            if UTF16.isLeadSurrogate(unit) {
                pending = unit
            } else if UTF16.isTrailSurrogate(unit), let lead = pending {
                pending = nil
                output += Array(String(decoding: [lead, unit], as: UTF16.self).utf8)
            } else {
                output += unit < 0x80 ? Array(bytes) : Array(String(decoding: [unit], as: UTF16.self).utf8)
            }
        }
    }

    /// With `\uXXXX` for what is not ASCII, as PHP and Python write.
    static func escapedCharacters(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if scalar.isASCII {
                output.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                for unit in UTF16.encode(scalar) ?? .init() {
                    output += Array("\\u".utf8)
                    output += Array(Hex.encode([UInt8(unit >> 8), UInt8(unit & 0xFF)]).utf8)
                }
            }
        }
        return output
    }

    /// Without any backslash: what the vendor's PHP library hashes.
    static func withoutBackslashes(_ text: [UInt8]) -> [UInt8] {
        text.filter { $0 != backslash }
    }

    /// With the characters for what HTML writes as references.
    static func withoutReferences(_ text: [UInt8]) -> [UInt8] {
        let references = [
            ("&quot;", "\""), ("&#34;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"),
        ]
        var parts = String(decoding: text, as: UTF8.self)
        for (name, character) in references {
            parts = parts.split(separator: name, omittingEmptySubsequences: false).joined(separator: character)
        }
        return Array(parts.utf8)
    }

    /// Without the line ends and blanks at the end.
    static func withoutFinalBlanks(_ text: [UInt8]) -> [UInt8] {
        Array(text[..<((text.lastIndex { !isBlank($0) } ?? -1) + 1)])
    }

    // MARK: Parts

    private static let backslash = UInt8(ascii: "\\")
    private static let slash = UInt8(ascii: "/")
    private static let quote = UInt8(ascii: "\"")

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// The number behind `\uXXXX`.
    private static func codeUnit(_ bytes: ArraySlice<UInt8>) -> UInt16? {
        var number: UInt16 = 0
        for byte in bytes.dropFirst(2) {
            guard let digit = Hex.value(of: byte) else { return nil }
            number = number << 4 | UInt16(digit)
        }
        return number
    }

    private static func rewriteStrings(
        _ text: [UInt8],
        inside: (ArraySlice<UInt8>, inout [UInt8]) -> Void
    ) -> [UInt8] {
        rewrite(text, outside: { $1.append($0) }, inside: inside)
    }

    /// Goes through a text: outside of strings byte by byte, inside character by character or escape by escape.
    private static func rewrite(
        _ text: [UInt8],
        outside: (UInt8, inout [UInt8]) -> Void,
        inside: (ArraySlice<UInt8>, inout [UInt8]) -> Void
    ) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var isInside = false
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte == quote {
                isInside.toggle()
                output.append(byte)
                index += 1
            } else if isInside {
                let wanted = byte != backslash ? 1 : index + 1 < text.count && text[index + 1] == 0x75 ? 6 : 2
                let end = min(index + wanted, text.count)
                inside(text[index..<end], &output)
                index = end
            } else {
                outside(byte, &output)
                index += 1
            }
        }
        return output
    }
}
