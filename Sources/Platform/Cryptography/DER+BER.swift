extension DERValue {
    /// The DER of a structure in BER: definite lengths in their shortest form, octet strings in one piece.
    ///
    /// Older tools sign in this form. The order of sets is left as it is.
    ///
    /// - Throws: What is wrong, a depth of more than 32 among it.
    package static func fromBER(_ bytes: [UInt8]) throws(DERError) -> [UInt8] {
        var reader = BERReader(bytes: bytes)
        let output = try reader.value(until: bytes.count, depth: 32)
        guard reader.position == bytes.count else { throw DERError("bytes behind the structure") }
        return output
    }
}

private struct BERReader {
    let bytes: [UInt8]
    var position = 0

    /// Reads one value and returns it in DER.
    mutating func value(until end: Int, depth: Int) throws(DERError) -> [UInt8] {
        guard depth > 0 else { throw DERError("values too deep inside each other") }
        guard end - position >= 2 else { throw DERError("cut") }
        let tag = bytes[position]
        guard tag & 0x1F != 0x1F else { throw DERError("a tag of several bytes") }
        position += 1
        let length = try length(until: end)
        guard tag & 0x20 != 0 else {
            guard let length else { throw DERError("an indefinite length of a primitive value") }
            defer { position += length }
            return BERReader.wrapped(tag, bytes[position..<(position + length)])
        }
        var parts: [[UInt8]] = []
        if let length {
            let stop = position + length
            while position < stop { parts.append(try value(until: stop, depth: depth - 1)) }
        } else {
            while !isEnd(before: end) { parts.append(try value(until: end, depth: depth - 1)) }
            position += 2
        }
        guard tag == DERValue.Tag.octetString | 0x20 else { return BERReader.wrapped(tag, parts.joined()) }
        var content: [UInt8] = []
        for part in parts { content += try DERValue(part).content }
        return BERReader.wrapped(DERValue.Tag.octetString, content)
    }

    private func isEnd(before end: Int) -> Bool {
        end - position >= 2 && bytes[position] == 0 && bytes[position + 1] == 0
    }

    /// The length, or `nil` for an indefinite one.
    private mutating func length(until end: Int) throws(DERError) -> Int? {
        let first = Int(bytes[position])
        position += 1
        guard first != 0x80 else { return nil }
        var length = first
        if first > 0x80 {
            let count = first & 0x7F
            guard count <= 4, count <= end - position else { throw DERError("a bad length") }
            length = bytes[position..<(position + count)].reduce(0) { $0 << 8 | Int($1) }
            position += count
        }
        guard length <= end - position else { throw DERError("a value that runs past its container") }
        return length
    }

    private static func wrapped(_ tag: UInt8, _ content: some Sequence<UInt8>) -> [UInt8] {
        let content = Array(content)
        guard content.count >= 0x80 else { return [tag, UInt8(truncatingIfNeeded: content.count)] + content }
        let size = (0..<4).map { UInt8(truncatingIfNeeded: content.count >> (24 - 8 * $0)) }.drop { $0 == 0 }
        return [tag, 0x80 | UInt8(truncatingIfNeeded: size.count)] + size + content
    }
}
