/// A JSON object for a `<script type="application/json">` block.
///
/// `<`, `>`, `&`, U+2028 and U+2029 are written as `\u....`, so no value can end the block or the script that reads it. The
/// parser of the page gives back the very same text, which the signed button payload depends on.
package struct JSONBlock {
    private(set) var bytes: [UInt8]
    private var isEmpty = true

    /// Builds an object.
    ///
    /// - Parameter build: Adds the members, in the order they shall have.
    package init(_ build: (inout JSONBlock) -> Void) {
        bytes = []
        // Most are an id or two.
        bytes.reserveCapacity(128)
        bytes.append(UInt8(ascii: "{"))
        build(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Adds a text member.
    package mutating func add(_ name: StaticString, _ value: String) {
        addName(name)
        addText(value)
    }

    /// Adds a text member from the tables.
    package mutating func add(_ name: StaticString, _ value: Wording) {
        add(name, value.plain)
    }

    /// Adds a true or false member.
    package mutating func add(_ name: StaticString, _ value: Bool) {
        addName(name)
        bytes.append(contentsOf: value ? Self.yes : Self.no)
    }

    /// Adds an object.
    package mutating func add(_ name: StaticString, _ build: (inout JSONBlock) -> Void) {
        addName(name)
        bytes.append(contentsOf: JSONBlock(build).bytes)
    }

    private mutating func addName(_ name: StaticString) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        addText(name.description)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func addText(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        guard JSONBlock.needsEscapes(text.utf8.span) else {
            bytes.append(contentsOf: text.utf8)
            return bytes.append(UInt8(ascii: "\""))
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: Self.escapedQuote)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: Self.escapedBackslash)
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), 0..<0x20, 0x7F: addEscape(UInt16(byte))
            case 0xA8 where endsBeforeSeparator: replaceSeparator(0x2028)
            case 0xA9 where endsBeforeSeparator: replaceSeparator(0x2029)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether a text holds anything but printable ASCII that stands for itself; nearly none does.
    private static func needsEscapes(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"),
                0..<0x20, 0x7F...0xFF:
                return true
            default: break
            }
        }
        return false
    }

    /// Whether the next byte may be the last of U+2028 or U+2029, in UTF-8 E2 80 A8 and E2 80 A9.
    private var endsBeforeSeparator: Bool {
        bytes.suffix(2).elementsEqual([0xE2, 0x80])
    }

    private mutating func replaceSeparator(_ value: UInt16) {
        bytes.removeLast(2)
        addEscape(value)
    }

    private mutating func addEscape(_ value: UInt16) {
        bytes.append(contentsOf: Self.escapeStart)
        bytes.append(Self.digits[Int(value >> 12)])
        bytes.append(Self.digits[Int(value >> 8 & 15)])
        bytes.append(Self.digits[Int(value >> 4 & 15)])
        bytes.append(Self.digits[Int(value & 15)])
    }

    private static let yes = Array("true".utf8)
    private static let no = Array("false".utf8)
    private static let escapedQuote = Array("\\\"".utf8)
    private static let escapedBackslash = Array("\\\\".utf8)
    private static let escapeStart = Array("\\u".utf8)
    private static let digits = Array("0123456789abcdef".utf8)
}
