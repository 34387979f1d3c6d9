import Primitives

/// Writes JSON of a fixed shape: the members in the order in which they are written, no spaces, whole numbers only.
struct CanonicalJSONWriter {
    private(set) var bytes: [UInt8] = []

    /// A writer with room for a typical text.
    init() {
        bytes.reserveCapacity(512)
    }

    /// Appends what stands between values: brackets, names, commas.
    mutating func append(literal: String) {
        bytes.append(contentsOf: literal.utf8)
    }

    /// Appends a number.
    mutating func append(_ number: Int64) {
        DecimalDigits.append(Int(number), to: &bytes)
    }

    /// Appends a text, or null where there is none.
    mutating func append(_ text: String?) {
        guard let text else { return append(literal: "null") }
        bytes.append(UInt8(ascii: "\""))
        if CanonicalJSONWriter.needsEscapes(text.utf8.span) {
            for character in text.utf8 { append(character: character) }
        } else {
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscapes(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            let character = text[index]
            if character < 0x20 || character == UInt8(ascii: "\"") || character == UInt8(ascii: "\\") { return true }
        }
        return false
    }

    private mutating func append(character: UInt8) {
        switch character {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(character)
        case 0..<0x20:
            append(literal: "\\u00")
            Hex.append([character].span, to: &bytes)
        default: bytes.append(character)
        }
    }
}

/// Reads what `CanonicalJSONWriter` wrote, byte for byte; anything else is refused.
///
/// The reader knows which member comes next, so there is no tree to build: 1 us for the private details.
struct CanonicalJSONReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Steps over what must stand here.
    mutating func expect(_ literal: String) throws(CommerceError) {
        guard take(literal) else { throw malformed }
    }

    /// Steps over a literal if it stands here; says whether it did.
    mutating func take(_ literal: String) -> Bool {
        let wanted = literal.utf8.span
        guard wanted.count <= bytes.count - index else { return false }
        for offset in wanted.indices where bytes[index + offset] != wanted[offset] { return false }
        index += wanted.count
        return true
    }

    /// A text.
    mutating func text() throws(CommerceError) -> String {
        try expect("\"")
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\\") else {
            let text = String(decoding: bytes[start..<index], as: UTF8.self)
            try expect("\"")
            return text
        }
        return try escapedText(from: start)
    }

    /// A text, or `nil` for null.
    mutating func optionalText() throws(CommerceError) -> String? {
        take("null") ? nil : try text()
    }

    /// A number of digits without a leading zero, at most fifteen of them.
    mutating func number() throws(CommerceError) -> Int64 {
        let start = index
        while index < bytes.count, bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") { index += 1 }
        guard let number = DecimalDigits.parse(bytes.span.extracting(start..<index), limit: 999_999_999_999_999) else {
            throw malformed
        }
        return Int64(number)
    }

    /// Demands that nothing follows.
    func end() throws(CommerceError) {
        guard index == bytes.count else { throw malformed }
    }

    private var malformed: CommerceError {
        CommerceError(.malformed, "no JSON of ours at byte \(index)")
    }

    /// The two forms of escape that are written: a quote or backslash, and `\u00XX`.
    private mutating func escapedText(from start: Int) throws(CommerceError) -> String {
        var output = Array(bytes[start..<index])
        while !take("\"") {
            guard index < bytes.count else { throw malformed }
            if take("\\\"") {
                output.append(UInt8(ascii: "\""))
            } else if take("\\\\") {
                output.append(UInt8(ascii: "\\"))
            } else if take("\\u00") {
                guard index + 2 <= bytes.count, let high = Hex.value(of: bytes[index]), high < 2,
                    let low = Hex.value(of: bytes[index + 1])
                else { throw malformed }
                output.append(high << 4 | low)
                index += 2
            } else {
                guard bytes[index] != UInt8(ascii: "\\") else { throw malformed }
                output.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
