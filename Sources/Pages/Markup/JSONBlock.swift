/// A JSON object for a `<script type="application/json">` block.
///
/// `<`, `>`, `&`, U+2028 and U+2029 are written as `\u....`, so no value can end the block or the script that reads it. The
/// parser of the page gives back the very same text, which the signed button payload depends on.
struct JSONBlock {
    private(set) var bytes: [UInt8]
    private var isEmpty = true

    /// Builds an object.
    ///
    /// - Parameter build: Adds the members, in the order they shall have.
    init(_ build: (inout JSONBlock) -> Void) {
        bytes = [UInt8(ascii: "{")]
        build(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Adds a text member.
    mutating func add(_ name: StaticString, _ value: String) {
        addName(name)
        addText(value)
    }

    /// Adds a text member from the tables.
    mutating func add(_ name: StaticString, _ value: Wording) {
        add(name, value.plain)
    }

    /// Adds a true or false member.
    mutating func add(_ name: StaticString, _ value: Bool) {
        addName(name)
        bytes.append(contentsOf: value ? Self.yes : Self.no)
    }

    /// Adds an object.
    mutating func add(_ name: StaticString, _ build: (inout JSONBlock) -> Void) {
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
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: Self.escapedQuote)
            case "\\": bytes.append(contentsOf: Self.escapedBackslash)
            case "<", ">", "&", "\u{2028}", "\u{2029}", "\u{00}"..<"\u{20}", "\u{7F}": addEscape(scalar.value)
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func addEscape(_ value: UInt32) {
        bytes.append(contentsOf: Self.escapeStart)
        for shift: UInt32 in [12, 8, 4, 0] { bytes.append(Self.digits[Int(value >> shift & 15)]) }
    }

    private static let yes = Array("true".utf8)
    private static let no = Array("false".utf8)
    private static let escapedQuote = Array("\\\"".utf8)
    private static let escapedBackslash = Array("\\\\".utf8)
    private static let escapeStart = Array("\\u".utf8)
    private static let digits = Array("0123456789abcdef".utf8)
}
