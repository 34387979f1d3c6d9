/// A second reader of JSON, from the letter of RFC 8259: what a text is written as in its one canonical form, or `nil`.
///
/// Canonical is: no blanks, members and digits as they came, escapes only where they must be.
struct JSONGrammar {
    private let bytes: [UInt8]
    private var rest: ArraySlice<UInt8>
    private let depth: Int
    private var output: [UInt8] = []

    /// The canonical form of a text; `nil` where it is none, goes deeper than allowed, or has a name twice in one object.
    static func canonical(_ bytes: [UInt8], depth: Int = 16) -> [UInt8]? {
        var grammar = JSONGrammar(bytes: bytes, rest: bytes[...], depth: depth)
        guard grammar.value(0) else { return nil }
        grammar.blanks()
        return grammar.rest.isEmpty ? grammar.output : nil
    }

    private mutating func blanks() {
        rest = rest.drop { $0 == 32 || $0 == 9 || $0 == 10 || $0 == 13 }
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private mutating func value(_ level: Int) -> Bool {
        blanks()
        switch rest.first {
        case UInt8(ascii: "{"): return level < depth && list("{", "}", level) { $0.member(&$1, level) }
        case UInt8(ascii: "["): return level < depth && list("[", "]", level) { grammar, _ in grammar.value(level + 1) }
        case UInt8(ascii: "\""):
            guard let string = string() else { return false }
            JSONGrammar.write(string, to: &output)
            return true
        default:
            for word in ["true", "false", "null"] where take(word) {
                output += word.utf8
                return true
            }
            return number()
        }
    }

    private mutating func list(
        _ open: String,
        _ close: String,
        _ level: Int,
        _ element: (inout JSONGrammar, inout Set<[UInt8]>) -> Bool
    ) -> Bool {
        var names: Set<[UInt8]> = []
        guard take(open) else { return false }
        output += open.utf8
        blanks()
        var isFirst = true
        while isFirst || take(",") {
            if isFirst, take(close) {
                output += close.utf8
                return true
            }
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            guard element(&self, &names) else { return false }
            blanks()
        }
        output += close.utf8
        return take(close)
    }

    private mutating func member(_ names: inout Set<[UInt8]>, _ level: Int) -> Bool {
        blanks()
        guard let name = string(), names.insert(name).inserted else { return false }
        JSONGrammar.write(name, to: &output)
        blanks()
        guard take(":") else { return false }
        output.append(UInt8(ascii: ":"))
        return value(level + 1)
    }

    private mutating func number() -> Bool {
        let start = rest
        _ = take("-")
        let whole = digits()
        guard whole.count == 1 || (whole.count > 1 && whole.first != 0x30) else { return false }
        if take("."), digits().isEmpty { return false }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            if digits().isEmpty { return false }
        }
        output += start.dropLast(rest.count)
        return true
    }

    private mutating func digits() -> ArraySlice<UInt8> {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(digits.count)
        return digits
    }

    // MARK: Texts

    private mutating func string() -> [UInt8]? {
        guard take("\"") else { return nil }
        var content: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: content, as: UTF8.self) == nil ? nil : content
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                content += Array(String(scalar).utf8)
            case 0..<32: return nil
            default: content.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        let plain: [UInt8: Unicode.Scalar] = [
            0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
        ]
        guard let byte = rest.popFirst() else { return nil }
        if let scalar = plain[byte] { return scalar }
        guard byte == UInt8(ascii: "u"), let first = unit() else { return nil }
        guard (0xD800...0xDBFF).contains(first) else { return Unicode.Scalar(first) }
        guard take("\\u"), let second = unit(), (0xDC00...0xDFFF).contains(second) else { return nil }
        return Unicode.Scalar(0x1_0000 + (first - 0xD800) * 0x400 + (second - 0xDC00))
    }

    private mutating func unit() -> UInt32? {
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        guard digits.count == 4, digits.allSatisfy(RequestGrammar.isAlphanumeric) else { return nil }
        return UInt32(text(digits), radix: 16)
    }

    private static func write(_ text: [UInt8], to output: inout [UInt8]) {
        let short: [UInt8: String] = [0x22: "\\\"", 0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"]
        output.append(0x22)
        for byte in text {
            if let escape = short[byte] {
                output += escape.utf8
            } else if byte < 32 || byte == 127 {
                output += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            } else {
                output.append(byte)
            }
        }
        output.append(0x22)
    }
}
