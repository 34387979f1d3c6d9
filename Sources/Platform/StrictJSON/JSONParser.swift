import Primitives

/// Why a text is no JSON that this program reads.
package enum JSONError: Error, Sendable, Equatable {
    /// The grammar of RFC 8259 is broken at a byte, counted from zero.
    case malformed(at: Int)
    /// Lists and objects lie deeper inside each other than allowed.
    case tooDeep
    /// There are more values than allowed.
    case tooMany
    /// An object has two members of one name; the path from the root, for example `lines[0].id`.
    case repeated(String)
    /// A text is not UTF-8, or an escape stands for half a character.
    case badText(at: Int)

    /// The same fault, with the path of one level up.
    fileprivate func inside(_ part: String) -> JSONError {
        guard case .repeated(let path) = self else { return self }
        return .repeated(path.utf8.first == UInt8(ascii: "[") ? part + path : "\(part).\(path)")
    }
}

extension JSONError: CustomStringConvertible {
    /// Without a full stop, and without the path of a repeated name, which the sender chose.
    package var description: String {
        switch self {
        case .malformed(let place): "no JSON from byte \(place) on"
        case .tooDeep: "nested too deeply"
        case .tooMany: "too many values"
        case .repeated: "a name comes twice in an object"
        case .badText(let place): "a text is broken at byte \(place)"
        }
    }
}

/// A strict reader of JSON for input that nobody vouches for.
///
/// The depth is bounded, so the stack is; a repeated name is refused because two readers could disagree about it. The
/// size is bounded by the caller that read the bytes.
package struct JSONParser {
    private let bytes: [UInt8]
    private var index = 0
    private var valuesLeft: Int

    private init(_ bytes: [UInt8], values: Int) {
        self.bytes = bytes
        valuesLeft = values
    }

    /// The value that a whole text stands for.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8 without a byte order mark; blanks around the value are fine.
    ///   - depth: How many lists and objects may lie inside each other.
    ///   - values: How many values there may be, that of the whole text among them: small ones cost most by the byte.
    /// - Throws: The first thing that is wrong.
    package static func parse(_ bytes: [UInt8], depth: Int = 16, values: Int = .max) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes, values: values)
        let value = try parser.value(depth: depth)
        parser.skipBlanks()
        guard parser.index == bytes.count else { throw .malformed(at: parser.index) }
        return value
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(JSONError) {
        guard skip(character) else { throw .malformed(at: index) }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard valuesLeft > 0 else { throw .tooMany }
        valuesLeft -= 1
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        for byte in String(describing: text).utf8 {
            guard next == byte else { throw .malformed(at: index) }
            index += 1
        }
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        guard depth > 0 else { throw .tooDeep }
        try expect("[")
        skipBlanks()
        if skip("]") { return .array([]) }
        var elements: [JSONValue] = []
        repeat {
            do throws(JSONError) {
                elements.append(try value(depth: depth - 1))
            } catch {
                throw error.inside("[\(elements.count)]")
            }
            skipBlanks()
        } while skip(",")
        try expect("]")
        return .array(elements)
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        guard depth > 0 else { throw .tooDeep }
        try expect("{")
        skipBlanks()
        if skip("}") { return .object([]) }
        var members: [JSONMember] = []
        var names: Set<OctetText> = []
        repeat {
            skipBlanks()
            let name = try string()
            guard names.insert(name.octets).inserted else { throw .repeated(name) }
            skipBlanks()
            try expect(":")
            do throws(JSONError) {
                members.append(JSONMember(name, try value(depth: depth - 1)))
            } catch {
                throw error.inside(name)
            }
            skipBlanks()
        } while skip(",")
        try expect("}")
        return .object(members)
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = index
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func digits() throws(JSONError) {
        let start = index
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { index += 1 }
        guard index > start else { throw .malformed(at: index) }
    }
}

// MARK: - Texts

extension JSONParser {
    private mutating func string() throws(JSONError) -> String {
        try expect("\"")
        let start = index
        skipPlain()
        let end = index
        // Most texts have no escape: their octets are copied once, into the text itself.
        if skip("\"") { return try JSONParser.text(bytes.span.extracting(start..<end), at: start) }
        let content = try contentWithEscapes(after: bytes[start..<end])
        return try JSONParser.text(content.span, at: start)
    }

    /// The text of octets, which begin at an offset.
    private static func text(_ octets: Span<UInt8>, at start: Int) throws(JSONError) -> String {
        guard let text = try? UTF8Span(validating: octets) else { throw .badText(at: start) }
        return String(copying: text)
    }

    /// The octets of a text from its first escape on, behind those that were read of it.
    private mutating func contentWithEscapes(after run: ArraySlice<UInt8>) throws(JSONError) -> [UInt8] {
        var content = Array(run)
        while !skip("\"") {
            // Anything else is the end, or a control character.
            try expect("\\")
            let scalar = try escape()
            if scalar.isASCII {
                content.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                content.append(contentsOf: String(scalar).utf8)
            }
            let start = index
            skipPlain()
            if index > start { content.append(contentsOf: bytes[start..<index]) }
        }
        return content
    }

    /// Passes over the octets that stand for themselves in a text: all but a quote, a backslash and control characters.
    private mutating func skipPlain() {
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { index += 1 }
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard let byte = next else { throw .malformed(at: index) }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw .malformed(at: index - 1)
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = index
        let first = try hexUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, skip("\\"), skip("u") else { throw .badText(at: start) }
        let second = try hexUnit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw .badText(at: start) }
        return scalar
    }

    private mutating func hexUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Hex.value(of: byte) else { throw .malformed(at: index) }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }
}
