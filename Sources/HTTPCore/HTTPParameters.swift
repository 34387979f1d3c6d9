import Primitives

/// What is wrong with a query or a form.
package enum HTTPParameterError: Error, Sendable, Hashable {
    /// A bad escape, bytes that are not UTF-8, or a control character.
    case malformed
    /// More parameters than the limit.
    case tooMany
    /// A parameter that may stand once stands there twice.
    case repeated
    /// The content type is not that of a form.
    case notAForm
}

/// The parameters of a query or a form, `application/x-www-form-urlencoded`, read strictly.
///
/// A plus sign is a blank and `%XX` a byte, in names and values. A percent sign without two digits behind it, text that
/// is not UTF-8 and any control character but the tab (so NUL, CR and LF) are refused. Empty parts (`a=1&&b=2`) are
/// skipped, a part without an equals sign is a name with an empty value; as in the WHATWG URL standard.
package struct HTTPParameters: Sendable {
    private struct Entry {
        let nameStart: Int
        let valueStart: Int
        let end: Int
    }

    /// Names and values, decoded, one behind the other.
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    /// Reads the parameters.
    ///
    /// - Parameters:
    ///   - text: A query without its question mark, or the content of a form.
    ///   - limit: The greatest number of parameters.
    /// - Throws: `malformed` or `tooMany`.
    package init(_ text: Span<UInt8>, limit: Int = 64) throws(HTTPParameterError) {
        bytes.reserveCapacity(text.count)
        var start = 0
        while start < text.count {
            var end = start
            while end < text.count, text[end] != UInt8(ascii: "&") { end += 1 }
            if end > start {
                guard entries.count < limit else { throw .tooMany }
                try readPart(text.extracting(start..<end))
            }
            start = end + 1
        }
    }

    /// The value of a parameter, or `nil` where it is absent.
    ///
    /// - Parameter name: Compared byte by byte, case included.
    /// - Returns: Decoded; may be empty.
    /// - Throws: `repeated` where the name occurs twice.
    package func value(_ name: String) throws(HTTPParameterError) -> String? {
        var found: Entry?
        for entry in entries where isNamed(entry, name) {
            guard found == nil else { throw .repeated }
            found = entry
        }
        return found.map { bytes.span.extracting($0.valueStart..<$0.end).text }
    }

    /// The names in the order in which they came; a repeated one is there as often as it came.
    package var names: [String] {
        entries.map { bytes.span.extracting($0.nameStart..<$0.valueStart).text }
    }

    /// How many parameters there are.
    package var count: Int { entries.count }

    private func isNamed(_ entry: Entry, _ name: String) -> Bool {
        bytes.span.extracting(entry.nameStart..<entry.valueStart).isEqual(to: name.utf8Span.span)
    }

    private mutating func readPart(_ part: Span<UInt8>) throws(HTTPParameterError) {
        var equals = 0
        while equals < part.count, part[equals] != UInt8(ascii: "=") { equals += 1 }
        let nameStart = bytes.count
        try decode(part.extracting(0..<equals))
        let valueStart = bytes.count
        if equals < part.count { try decode(part.extracting((equals + 1)...)) }
        entries.append(Entry(nameStart: nameStart, valueStart: valueStart, end: bytes.count))
    }

    private mutating func decode(_ text: Span<UInt8>) throws(HTTPParameterError) {
        let start = bytes.count
        var union: UInt8 = 0
        var index = 0
        while index < text.count {
            var byte = text[index]
            index += 1
            if byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            } else if byte == UInt8(ascii: "%") {
                guard index + 1 < text.count, let high = Hex.value(of: text[index]),
                    let low = Hex.value(of: text[index + 1])
                else { throw .malformed }
                byte = high << 4 | low
                index += 2
            }
            guard byte >= 0x20 || byte == 0x09, byte != 0x7F else { throw .malformed }
            union |= byte
            bytes.append(byte)
        }
        if union >= 0x80 { try HTTPParameters.checkUTF8(bytes.span.extracting(start...)) }
    }

    private static func checkUTF8(_ text: Span<UInt8>) throws(HTTPParameterError) {
        do {
            _ = try UTF8Span(validating: text)
        } catch {
            throw .malformed
        }
    }
}
