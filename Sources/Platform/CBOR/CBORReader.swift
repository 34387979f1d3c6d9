extension CBORValue {
    /// Reads bytes that hold one value and nothing behind it.
    ///
    /// Lengths may be indefinite, and a number may be longer than it has to be: both are well-formed, and nobody here compares
    /// encodings. Nothing is allocated for a length before its bytes are there.
    package init(_ bytes: [UInt8], limits: CBORLimits = CBORLimits()) throws(CBORError) {
        let (value, end) = try CBORValue.first(of: bytes, limits: limits)
        guard end == bytes.count else { throw .trailing }
        self = value
    }

    /// Reads the value at a position, whatever stands behind it.
    ///
    /// - Returns: The value, and the position behind it.
    package static func first(
        of bytes: [UInt8],
        from start: Int = 0,
        limits: CBORLimits = CBORLimits()
    ) throws(CBORError) -> (value: CBORValue, end: Int) {
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        var reader = CBORReader(bytes: bytes, position: max(0, start), room: limits.values)
        let value = try reader.value(depth: limits.depth)
        return (value, reader.position)
    }
}

/// Goes through bytes once.
private struct CBORReader {
    let bytes: [UInt8]
    var position: Int
    /// How many values may still come.
    var room: Int

    /// The major types, RFC 8949 section 3.1.
    private enum Major {
        static let unsigned: UInt8 = 0
        static let negative: UInt8 = 1
        static let bytes: UInt8 = 2
        static let text: UInt8 = 3
        static let array: UInt8 = 4
        static let map: UInt8 = 5
        static let tag: UInt8 = 6
    }

    /// The first byte of a value, and the number behind it.
    private struct Head {
        let major: UInt8
        /// The lower five bits.
        let information: UInt8
        let number: UInt64

        var isIndefinite: Bool { information == 31 }
    }

    private static let breakByte: UInt8 = 0xFF

    /// Reads a value that may have others inside it to a depth.
    mutating func value(depth: Int) throws(CBORError) -> CBORValue {
        guard depth > 0 else { throw .tooDeep }
        guard room > 0 else { throw .tooMany }
        room -= 1
        let head = try head()
        switch head.major {
        case Major.unsigned: return .unsigned(head.number)
        case Major.negative: return .negative(head.number)
        case Major.bytes: return .bytes(Array(try string(head)))
        case Major.text: return .text(try text(head))
        case Major.array: return .array(try array(head, depth: depth - 1))
        case Major.map: return .map(try map(head, depth: depth - 1))
        case Major.tag: throw .unsupported
        default: return try CBORReader.simple(head)
        }
    }

    private mutating func byte() throws(CBORError) -> UInt8 {
        guard position < bytes.count else { throw .cut }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func head() throws(CBORError) -> Head {
        let first = try byte()
        let (major, information) = (first >> 5, first & 31)
        switch information {
        case 0..<24: return Head(major: major, information: information, number: UInt64(information))
        case 24...27:
            var number: UInt64 = 0
            for _ in 0..<(1 << (information - 24)) { number = number << 8 | UInt64(try byte()) }
            return Head(major: major, information: information, number: number)
        case 31 where (Major.bytes...Major.map).contains(major): return Head(major: major, information: 31, number: 0)
        default: throw .form
        }
    }

    /// The bytes of a string; a piece of one cannot be indefinite itself.
    private mutating func string(_ head: Head) throws(CBORError) -> ArraySlice<UInt8> {
        guard head.isIndefinite else { return try run(of: head.number) }
        var output: [UInt8] = []
        while try !isAtBreak() {
            let piece = try pieceHead(of: head.major)
            output += try run(of: piece.number)
        }
        return output[...]
    }

    private mutating func text(_ head: Head) throws(CBORError) -> String {
        guard head.isIndefinite else { return try CBORReader.text(try run(of: head.number)) }
        var output = ""
        // No character may stand in two pieces, so each is a text of its own.
        while try !isAtBreak() {
            let piece = try pieceHead(of: head.major)
            output += try CBORReader.text(try run(of: piece.number))
        }
        return output
    }

    private mutating func pieceHead(of major: UInt8) throws(CBORError) -> Head {
        guard room > 0 else { throw .tooMany }
        room -= 1
        let piece = try head()
        guard piece.major == major, !piece.isIndefinite else { throw .form }
        return piece
    }

    private mutating func run(of count: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.count - position) else { throw .cut }
        defer { position += Int(count) }
        return bytes[position..<(position + Int(count))]
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(CBORError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .text }
        return text
    }

    private mutating func array(_ head: Head, depth: Int) throws(CBORError) -> [CBORValue] {
        var elements: [CBORValue] = []
        while try isMore(head, than: elements.count) { elements.append(try value(depth: depth)) }
        return elements
    }

    private mutating func map(_ head: Head, depth: Int) throws(CBORError) -> [CBOREntry] {
        var entries: [CBOREntry] = []
        while try isMore(head, than: entries.count) {
            let key = try value(depth: depth)
            switch key {
            case .unsigned, .negative, .bytes, .text: break
            default: throw .key
            }
            entries.append(CBOREntry(key, try value(depth: depth)))
        }
        try CBORReader.demandDifferent(entries)
        return entries
    }

    /// Whether an array or a map goes on; takes the break that ends an indefinite one.
    private mutating func isMore(_ head: Head, than count: Int) throws(CBORError) -> Bool {
        guard head.isIndefinite else { return UInt64(count) < head.number }
        return try !isAtBreak()
    }

    private mutating func isAtBreak() throws(CBORError) -> Bool {
        guard position < bytes.count else { throw .cut }
        guard bytes[position] == CBORReader.breakByte else { return false }
        position += 1
        return true
    }

    /// Two keys are the same where they are written in the same way in the shortest form.
    private static func demandDifferent(_ entries: [CBOREntry]) throws(CBORError) {
        guard entries.count > 1 else { return }
        let keys = entries.map(\.key.encoded).sorted { $0.lexicographicallyPrecedes($1) }
        for (one, next) in zip(keys, keys.dropFirst()) where one == next { throw .duplicate }
    }

    private static func simple(_ head: Head) throws(CBORError) -> CBORValue {
        switch head.information {
        case 20: .bool(false)
        case 21: .bool(true)
        case 22: .null
        default: throw .unsupported
        }
    }
}
