package import Primitives

/// Why bytes are no file of strings.
package struct StringsError: Error, Sendable, Equatable {
    /// A sentence for people, without a full stop; nothing of it comes from the bytes.
    package let sentence: String
    /// The line, from 1; 0 where the bytes are no text.
    package let line: Int
}

/// The texts of one language: `pass.strings`.
package struct StringsFile: Sendable {
    /// The texts by key.
    package private(set) var texts: [OctetText: String] = [:]

    /// Reads a file: UTF-8, or UTF-16 with a byte order mark.
    package init(_ bytes: [UInt8]) throws(StringsError) {
        guard let text = StringsFile.decoded(bytes) else {
            throw StringsError(sentence: "neither UTF-8 nor UTF-16 with a byte order mark", line: 0)
        }
        var reader = StringsReader(scalars: Array(text.unicodeScalars))
        try reader.skipBlanks()
        while !reader.isAtEnd {
            let key = try reader.quoted()
            try reader.skipBlanks()
            try reader.expect("=")
            try reader.skipBlanks()
            let value = try reader.quoted()
            try reader.skipBlanks()
            try reader.expect(";")
            guard texts.updateValue(value, forKey: key.octets) == nil else {
                throw StringsError(sentence: "a key twice", line: reader.line)
            }
            try reader.skipBlanks()
        }
    }

    /// The given texts.
    package init(texts: [String: String]) {
        for (key, text) in texts { self.texts[key.octets] = text }
    }

    /// The file: UTF-8, one line for each key in the order of the keys' octets.
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
            StringsFile.append(key.string, to: &output)
            output += " = ".utf8
            StringsFile.append(text, to: &output)
            output += ";\n".utf8
        }
        return output
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), octet]
            case UInt8(ascii: "\n"): output += "\\n".utf8
            case 0..<0x20, 0x7F:
                output += "\\u00".utf8
                Hex.append([octet].span, to: &output)
            default: output.append(octet)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func decoded(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFE, 0xFF]) { return decoded(units: bytes.dropFirst(2), high: 0) }
        if bytes.starts(with: [0xFF, 0xFE]) { return decoded(units: bytes.dropFirst(2), high: 1) }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        guard let text = try? UTF8Span(validating: content.span) else { return nil }
        return String(copying: text)
    }

    /// The text of units of 16 bits, whose higher octet stands at an offset of 0 or 1.
    private static func decoded(units octets: ArraySlice<UInt8>, high: Int) -> String? {
        guard octets.count % 2 == 0 else { return nil }
        let start = octets.startIndex
        let units = (0..<(octets.count / 2)).map { index in
            let place = start + 2 * index
            return UInt16(octets[place + high]) << 8 | UInt16(octets[place + 1 - high])
        }
        return String(validating: units, as: UTF16.self)
    }
}

/// Reads keys, texts and what stands between them.
private struct StringsReader {
    let scalars: [Unicode.Scalar]
    private var position = 0

    init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    var isAtEnd: Bool { position == scalars.count }

    /// The line of the position.
    var line: Int { 1 + scalars[..<position].count { $0 == "\n" } }

    private var next: Unicode.Scalar? { isAtEnd ? nil : scalars[position] }

    private func failure(_ sentence: String) -> StringsError { StringsError(sentence: sentence, line: line) }

    mutating func expect(_ scalar: Unicode.Scalar) throws(StringsError) {
        guard next == scalar else { throw failure("\"\(scalar)\" is missing") }
        position += 1
    }

    private func isNext(_ one: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
        next == one && position + 1 < scalars.count && scalars[position + 1] == other
    }

    /// Passes over blanks, line ends and comments.
    mutating func skipBlanks() throws(StringsError) {
        while let scalar = next {
            if scalar.properties.isWhitespace {
                position += 1
            } else if isNext("/", "*") {
                position += 2
                while !isNext("*", "/") {
                    guard !isAtEnd else { throw failure("a comment does not end") }
                    position += 1
                }
                position += 2
            } else if isNext("/", "/") {
                while let scalar = next, scalar != "\n" {
                    position += 1
                    _ = scalar
                }
            } else {
                return
            }
        }
    }

    mutating func quoted() throws(StringsError) -> String {
        try expect("\"")
        var text = String.UnicodeScalarView()
        while let scalar = next, scalar != "\"" {
            position += 1
            text.append(scalar == "\\" ? try escaped() : scalar)
        }
        guard !isAtEnd else { throw failure("a text does not end") }
        position += 1
        return String(text)
    }

    private mutating func escaped() throws(StringsError) -> Unicode.Scalar {
        guard let scalar = next else { throw failure("a text does not end") }
        position += 1
        switch scalar {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "u", "U": return try unicode()
        case "\"", "\\", "'": return scalar
        default: throw failure("an unknown escape")
        }
    }

    /// The character of four hexadecimal digits, or of two times four for one beyond the first 65,536.
    private mutating func unicode() throws(StringsError) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, isNext("\\", "u") || isNext("\\", "U") else { throw failure("half a character") }
        position += 2
        let second = try unit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw failure("half a character") }
        return scalar
    }

    private mutating func unit() throws(StringsError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = next, scalar.isASCII, let digit = Hex.value(of: UInt8(truncatingIfNeeded: scalar.value))
            else { throw failure("an escape without four hexadecimal digits") }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}
