extension DERValue {
    /// Writes one value: tag, length in its shortest form, content.
    ///
    /// - Parameter tag: Of one byte.
    package static func encode(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        guard count >= 0x80 else { return [tag, UInt8(truncatingIfNeeded: count)] + content }
        var length: [UInt8] = []
        var rest = count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(truncatingIfNeeded: length.count)] + length + content
    }

    /// Writes a SEQUENCE of values that are written already.
    package static func sequence(_ values: [UInt8]...) -> [UInt8] {
        encode(Tag.sequence, values.flatMap(\.self))
    }

    /// Writes an INTEGER that is not negative.
    ///
    /// - Parameter magnitude: Big-endian; zeros in front are left out.
    package static func integer(_ magnitude: some Sequence<UInt8>) -> [UInt8] {
        var digits = Array(magnitude.drop { $0 == 0 })
        // The highest bit is the sign.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return encode(Tag.integer, digits)
    }

    /// The bytes of an INTEGER that is not negative, big-endian, without zeros in front; none for zero.
    package func magnitude() throws(DERError) -> [UInt8] {
        let content = content
        guard tag == Tag.integer, let first = content.first else { throw DERError("no integer") }
        guard first < 0x80 else { throw DERError("a negative integer") }
        guard first != 0 || content.count == 1 || content[1] >= 0x80 else {
            throw DERError("an integer that is not in its shortest form")
        }
        return Array(content.drop { $0 == 0 })
    }
}
