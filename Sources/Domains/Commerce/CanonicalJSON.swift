import Primitives

/// Writes JSON of a fixed shape: the members in the order in which they are written, no spaces, whole numbers only.
struct CanonicalJSONWriter {
    private(set) var bytes: [UInt8] = []

    /// A writer with room for a typical text.
    init() {
        bytes.reserveCapacity(512)
    }

    /// Appends what stands between values: brackets, names, commas.
    mutating func append(literal: StaticString) {
        literal.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
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
/// The reader knows which member comes next, so there is no tree to build, and a text that needs no unescaping is a range of
/// the bytes.
struct CanonicalJSONReader {
    /// What is read, and behind it the texts that had to be unescaped.
    private(set) var bytes: [UInt8]
    private let limit: Int
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        limit = bytes.count
    }

    /// Steps over what must stand here.
    mutating func expect(_ literal: StaticString) throws(CommerceError) {
        guard take(literal) else { throw malformed }
    }

    /// Steps over a literal if it stands here; says whether it did.
    mutating func take(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard count <= limit - index else { return false }
        let start = index
        let isThere = literal.withUTF8Buffer { wanted in
            unsafe bytes.withUnsafeBytes { have in
                unsafe CanonicalJSONReader.isEqual(
                    UnsafeRawBufferPointer(wanted),
                    UnsafeRawBufferPointer(rebasing: have[start..<start + count])
                )
            }
        }
        if isThere { index += count }
        return isThere
    }

    /// Two runs of the same length, eight bytes at a time.
    private static func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while left.count - offset >= 8 {
            let one = unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let other = unsafe right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard one == other else { return false }
            offset += 8
        }
        while offset < left.count {
            guard unsafe left[offset] == right[offset] else { return false }
            offset += 1
        }
        return true
    }

    /// A text.
    mutating func text() throws(CommerceError) -> String {
        String(decoding: bytes[try range()], as: UTF8.self)
    }

    /// A text, or `nil` for null.
    mutating func optionalText() throws(CommerceError) -> String? {
        isAt(UInt8(ascii: "n")) && take("null") ? nil : try text()
    }

    /// Where the bytes of a text stand, or an empty range for null.
    mutating func optionalRange() throws(CommerceError) -> Range<Int> {
        isAt(UInt8(ascii: "n")) && take("null") ? index..<index : try range()
    }

    private func isAt(_ byte: UInt8) -> Bool {
        index < limit && bytes[index] == byte
    }

    /// Where the bytes of a text stand.
    private mutating func range() throws(CommerceError) -> Range<Int> {
        guard isAt(UInt8(ascii: "\"")) else { throw malformed }
        let start = index + 1
        index = bytes.span.endOfPlainText(start, limit)
        guard index < limit else { throw malformed }
        guard bytes[index] == UInt8(ascii: "\"") else { return try unescapedRange(from: start) }
        index += 1
        return start..<index - 1
    }

    /// A number of digits without a leading zero, at most fifteen of them.
    mutating func number() throws(CommerceError) -> Int64 {
        let start = index
        while index < limit, bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") { index += 1 }
        guard let number = DecimalDigits.parse(bytes.span.extracting(start..<index), limit: 999_999_999_999_999) else {
            throw malformed
        }
        return Int64(number)
    }

    /// Demands that nothing follows.
    func end() throws(CommerceError) {
        guard index == limit else { throw malformed }
    }

    private var malformed: CommerceError {
        CommerceError(.malformed, "no JSON of ours at byte \(index)")
    }

    /// The two forms of escape that are written: a quote or backslash, and `\u00XX`.
    private mutating func unescapedRange(from start: Int) throws(CommerceError) -> Range<Int> {
        let first = bytes.count
        bytes.append(contentsOf: bytes[start..<index])
        while !take("\"") {
            guard index < limit else { throw malformed }
            if take("\\\"") {
                bytes.append(UInt8(ascii: "\""))
            } else if take("\\\\") {
                bytes.append(UInt8(ascii: "\\"))
            } else if take("\\u00") {
                guard index + 2 <= limit, let high = Hex.value(of: bytes[index]), high < 2,
                    let low = Hex.value(of: bytes[index + 1])
                else { throw malformed }
                bytes.append(high << 4 | low)
                index += 2
            } else {
                guard bytes[index] != UInt8(ascii: "\\") else { throw malformed }
                bytes.append(bytes[index])
                index += 1
            }
        }
        return first..<bytes.count
    }
}

extension Span<UInt8> {
    /// Where a text ends that starts at an index: at a quote, at a backslash, or at a limit.
    fileprivate func endOfPlainText(_ start: Int, _ limit: Int) -> Int {
        var index = start
        while index < limit {
            let byte = self[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
            index += 1
        }
        return index
    }
}
