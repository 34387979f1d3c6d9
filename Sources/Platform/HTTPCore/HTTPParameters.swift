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
        var nameStart: Int
        var valueStart: Int
        var end: Int
    }

    /// Names and values, decoded in place one behind the other, then bytes without meaning.
    private let bytes: [UInt8]
    private let entries: [Entry]

    /// Reads the parameters.
    ///
    /// - Parameters:
    ///   - text: A query without its question mark, or the content of a form.
    /// - Throws: `malformed` or `tooMany`.
    package init(_ text: Span<UInt8>, limit: Int = 64) throws(HTTPParameterError) {
        var decoded: [UInt8] = []
        var entries: [Entry] = []
        if text.count > 0 { entries.reserveCapacity(8) }
        decoded.append(text)
        var target = decoded.mutableSpan
        var cursor = Cursor()
        while cursor.read < text.count {
            guard text[cursor.read] != UInt8(ascii: "&") else {
                cursor.read += 1
                continue
            }
            guard entries.count < limit else { throw .tooMany }
            var entry = Entry(nameStart: cursor.write, valueStart: 0, end: 0)
            try cursor.decode(text, into: &target, until: UInt8(ascii: "="))
            entry.valueStart = cursor.write
            if cursor.read < text.count, text[cursor.read] == UInt8(ascii: "=") {
                cursor.read += 1
                try cursor.decode(text, into: &target, until: UInt8(ascii: "&"))
            }
            entry.end = cursor.write
            entries.append(entry)
        }
        bytes = decoded
        self.entries = entries
    }

    /// Every parameter in order, decoded; a name may come twice.
    package var all: [(name: String, value: String)] {
        entries.map { entry in
            (
                bytes.span.extracting(entry.nameStart..<entry.valueStart).text,
                bytes.span.extracting(entry.valueStart..<entry.end).text
            )
        }
    }

    /// The value of a parameter, or `nil` where it is absent.
    ///
    /// - Parameter name: Compared byte by byte, case included.
    /// - Returns: Decoded; may be empty.
    /// - Throws: `repeated` where the name occurs twice.
    package func value(_ name: String) throws(HTTPParameterError) -> String? {
        let wanted = name.utf8Span.span
        var found: Entry?
        for entry in entries
        where bytes.span.extracting(entry.nameStart..<entry.valueStart).isEqual(to: wanted) {
            guard found == nil else { throw .repeated }
            found = entry
        }
        return found.map { bytes.span.extracting($0.valueStart..<$0.end).text }
    }

    /// Whether a parameter is there, and says nothing.
    ///
    /// - Parameter name: Compared byte by byte, case included.
    /// - Returns: Of a repeated one, whether any says nothing.
    package func isEmpty(_ name: String) -> Bool {
        let wanted = name.utf8Span.span
        return entries.contains { entry in
            entry.valueStart == entry.end
                && bytes.span.extracting(entry.nameStart..<entry.valueStart).isEqual(to: wanted)
        }
    }

    /// The names in the order in which they came; a repeated one is there as often as it came.
    package var names: [String] {
        entries.map { bytes.span.extracting($0.nameStart..<$0.valueStart).text }
    }

    /// The first name that is none of the given ones, or `nil` where there is no such name.
    ///
    /// - Parameter known: Compared byte by byte, case included.
    package func firstName(otherThan known: [String]) -> String? {
        for entry in entries {
            let name = bytes.span.extracting(entry.nameStart..<entry.valueStart)
            guard known.contains(where: { name.isEqual(to: $0.utf8Span.span) }) else { return name.text }
        }
        return nil
    }

    /// Whether any name occurs twice.
    package var hasRepeatedName: Bool {
        for index in entries.indices.dropFirst() {
            let name = bytes.span.extracting(entries[index].nameStart..<entries[index].valueStart)
            for earlier in entries[..<index]
            where bytes.span.extracting(earlier.nameStart..<earlier.valueStart).isEqual(to: name) {
                return true
            }
        }
        return false
    }

    /// How many parameters there are.
    package var count: Int { entries.count }
}

/// Decodes from one place to another that is never ahead of it.
private struct Cursor {
    var read = 0
    var write = 0

    /// Decodes up to a separator, which is not consumed; an ampersand always is one.
    mutating func decode(
        _ text: Span<UInt8>,
        into target: inout MutableSpan<UInt8>,
        until separator: UInt8
    ) throws(HTTPParameterError) {
        let start = write
        var union: UInt8 = 0
        while read < text.count {
            copyPlain(text, into: &target)
            guard read < text.count else { break }
            var byte = text[read]
            if byte == separator || byte == UInt8(ascii: "&") { break }
            if byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            } else if byte == UInt8(ascii: "%") {
                byte = try escape(text)
                read += 2
            }
            guard byte >= 0x20 || byte == 0x09, byte != 0x7F else { throw .malformed }
            union |= byte
            target[write] = byte
            read += 1
            write += 1
        }
        guard union < 0x80 || isUTF8(target.span.extracting(start..<write)) else { throw .malformed }
    }

    /// Copies the characters that stand for themselves in any place: nearly all there are.
    private mutating func copyPlain(_ text: Span<UInt8>, into target: inout MutableSpan<UInt8>) {
        var index = read
        let shift = read - write
        while index < text.count {
            let byte = text[index]
            let half = byte < 64 ? Cursor.plainBelow : Cursor.plainAbove
            guard byte < 128, half >> UInt64(byte & 63) & 1 == 1 else { break }
            target[index - shift] = byte
            index += 1
        }
        read = index
        write = index - shift
    }

    /// A bit for each plain character below `@`: `-`, `.` and the digits.
    private static let plainBelow: UInt64 = 0x3FF << 48 | 1 << 46 | 1 << 45
    /// The same from `@` on: `A` to `Z`, `_`, `a` to `z` and `~`.
    private static let plainAbove: UInt64 = 0x3FF_FFFF << 1 | 1 << 31 | 0x3FF_FFFF << 33 | 1 << 62

    private func escape(_ text: Span<UInt8>) throws(HTTPParameterError) -> UInt8 {
        guard text.count - read > 2, let high = Hex.value(of: text[read + 1]), let low = Hex.value(of: text[read + 2])
        else { throw .malformed }
        return high << 4 | low
    }

    private func isUTF8(_ text: Span<UInt8>) -> Bool {
        (try? UTF8Span(validating: text)) != nil
    }
}
