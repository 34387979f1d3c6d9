/// Puts the members of JSON objects in the order of their names, as programs do that sort keys.
///
/// The tokens stay as they are written; white space between them is dropped.
struct JSONKeyOrder {
    private let text: [UInt8]
    private var index = 0
    private var depth = 0

    /// The text with sorted members, or `nil` where it is no JSON object or nested too deeply.
    static func sorted(_ text: [UInt8]) -> [UInt8]? {
        var reader = JSONKeyOrder(text: JSONSpelling.compact(text))
        guard reader.text.first == UInt8(ascii: "{"), let value = reader.value(), reader.index == reader.text.count
        else {
            return nil
        }
        return value
    }

    private init(text: [UInt8]) {
        self.text = text
    }

    private mutating func value() -> [UInt8]? {
        guard index < text.count, depth < 64 else { return nil }
        depth += 1
        defer { depth -= 1 }
        switch text[index] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return string()
        default: return word()
        }
    }

    private mutating func object() -> [UInt8]? {
        var members: [(name: [UInt8], value: [UInt8])] = []
        let isWhole = items(upTo: UInt8(ascii: "}")) { reader in
            guard let name = reader.string(), reader.take(UInt8(ascii: ":")), let value = reader.value() else {
                return false
            }
            members.append((name, value))
            return true
        }
        guard isWhole else { return nil }
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        return [UInt8(ascii: "{")] + members.map { $0.name + [UInt8(ascii: ":")] + $0.value }.joined(separator: [0x2C])
            + [UInt8(ascii: "}")]
    }

    private mutating func array() -> [UInt8]? {
        var values: [[UInt8]] = []
        let isWhole = items(upTo: UInt8(ascii: "]")) { reader in
            guard let value = reader.value() else { return false }
            values.append(value)
            return true
        }
        return isWhole ? [UInt8(ascii: "[")] + values.joined(separator: [0x2C]) + [UInt8(ascii: "]")] : nil
    }

    /// Reads what stands between brackets, with commas between.
    private mutating func items(upTo end: UInt8, _ item: (inout JSONKeyOrder) -> Bool) -> Bool {
        index += 1
        if take(end) { return true }
        while item(&self) {
            if take(end) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
        }
        return false
    }

    private mutating func string() -> [UInt8]? {
        let start = index
        guard take(UInt8(ascii: "\"")) else { return nil }
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\""):
                index += 1
                return Array(text[start..<index])
            default: index += 1
            }
        }
        return nil
    }

    private mutating func word() -> [UInt8]? {
        let start = index
        while index < text.count, !Array(",]}:\"[{".utf8).contains(text[index]) { index += 1 }
        return index == start ? nil : Array(text[start..<index])
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < text.count, text[index] == byte else { return false }
        index += 1
        return true
    }
}
