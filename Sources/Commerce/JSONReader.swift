import Primitives

/// Reads what `JSONValue` writes, and spaces between tokens.
struct JSONReader {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    /// Ours are two deep.
    private static let maximumDepth = 8

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func whole() throws(CommerceError) -> JSONValue {
        let value = try value()
        skipSpaces()
        guard index == bytes.count else { throw malformed }
        return value
    }

    private var malformed: CommerceError {
        CommerceError(.malformed, "no JSON of ours at byte \(index)")
    }

    private mutating func value() throws(CommerceError) -> JSONValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= JSONReader.maximumDepth else { throw malformed }
        skipSpaces()
        guard index < bytes.count else { throw malformed }
        switch bytes[index] {
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "n"): return try null()
        default: return try number()
        }
    }

    private mutating func array() throws(CommerceError) -> JSONValue {
        index += 1
        var values: [JSONValue] = []
        guard !take("]") else { return .array(values) }
        repeat { values.append(try value()) } while take(",")
        guard take("]") else { throw malformed }
        return .array(values)
    }

    private mutating func object() throws(CommerceError) -> JSONValue {
        index += 1
        var members: [(String, JSONValue)] = []
        guard !take("}") else { return .object(members) }
        repeat {
            skipSpaces()
            let name = try text()
            guard take(":") else { throw malformed }
            members.append((name, try value()))
        } while take(",")
        guard take("}") else { throw malformed }
        return .object(members)
    }

    private mutating func null() throws(CommerceError) -> JSONValue {
        guard bytes[index...].starts(with: "null".utf8) else { throw malformed }
        index += 4
        return .null
    }

    private mutating func number() throws(CommerceError) -> JSONValue {
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        while index < bytes.count, bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") { index += 1 }
        let digits = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let number = Int64(digits), String(number) == digits else { throw malformed }
        return .number(number)
    }

    private mutating func text() throws(CommerceError) -> String {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw malformed }
        index += 1
        var output: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: output, as: UTF8.self)
            case UInt8(ascii: "\\"): output.append(try escaped())
            default: output.append(byte)
            }
        }
        throw malformed
    }

    /// The two forms of escape that are written: a quote or backslash, and `\u00XX`.
    private mutating func escaped() throws(CommerceError) -> UInt8 {
        guard index < bytes.count else { throw malformed }
        let byte = bytes[index]
        index += 1
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return byte }
        guard byte == UInt8(ascii: "u"), index + 4 <= bytes.count, bytes[index..<(index + 2)] == [0x30, 0x30],
            let high = Hex.value(of: bytes[index + 2]), let low = Hex.value(of: bytes[index + 3]), high < 2
        else { throw malformed }
        index += 4
        return high << 4 | low
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func skipSpaces() {
        while index < bytes.count, bytes[index] == UInt8(ascii: " ") { index += 1 }
    }
}
