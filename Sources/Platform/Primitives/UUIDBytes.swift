/// The sixteen bytes of a UUID, RFC 9562.
package struct UUIDBytes: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The first eight bytes, big-endian.
    ///
    /// In version 7 the upper 48 bits are milliseconds since 1970, UTC.
    package let high: UInt64
    /// The last eight bytes, big-endian.
    package let low: UInt64

    /// The UUID with the given halves, taken as they are.
    ///
    /// - Parameters:
    ///   - high: The first eight bytes, big-endian.
    ///   - low: The last eight bytes, big-endian.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A UUID of version 7: ordered by time, with 74 random bits.
    ///
    /// - Parameters:
    ///   - time: Read to the millisecond; a time before 1970 counts as 1970.
    ///   - random: Supplies ten bytes.
    package init(version7At time: WallTime, random: any RandomSource) {
        let first = random.number(byteCount: 2)
        let second = random.number(byteCount: 8)
        let milliseconds = UInt64(max(0, time.microseconds / 1000)) & 0xFFFF_FFFF_FFFF
        high = milliseconds << 16 | 0x7000 | first & 0x0FFF
        low = second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// A UUID of version 4: 122 random bits.
    ///
    /// - Parameter random: Supplies sixteen bytes.
    package init(version4 random: any RandomSource) {
        high = random.number(byteCount: 8) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = random.number(byteCount: 8) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// The least UUID that can have been made at a time.
    ///
    /// - Parameter time: Read to the millisecond; a time before 1970 counts as 1970.
    package init(firstAt time: WallTime) {
        self.init(high: UInt64(max(0, time.microseconds / 1000)) << 16, low: 0)
    }

    /// The UUID behind this one in their order; behind the last the first.
    package var next: UUIDBytes { UUIDBytes(high: low == .max ? high &+ 1 : high, low: low &+ 1) }

    /// The time at which a UUID of version 7 was made, to the millisecond.
    package var creationTime: WallTime { WallTime(microseconds: Int64(high >> 16) * 1000) }

    /// The UUID in sixteen bytes, or `nil` for another count.
    ///
    /// - Parameter bytes: Exactly 16 bytes, network order.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<8 { high = high << 8 | UInt64(bytes[index]) }
        for index in 8..<16 { low = low << 8 | UInt64(bytes[index]) }
        self.init(high: high, low: low)
    }

    /// The UUID in its textual form, or `nil` where the text is not that form.
    ///
    /// - Parameter text: 36 characters, `8-4-4-4-12` hexadecimal digits of either case.
    package init?(_ text: String) {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return nil }
        for dash in [8, 13, 18, 23] where characters[dash] != UInt8(ascii: "-") { return nil }
        let digits = String(decoding: characters.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        guard let bytes = Hex.decode(digits) else { return nil }
        self.init(bytes.span)
    }

    /// The sixteen bytes in network order.
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    /// Appends the sixteen bytes in network order to a buffer.
    ///
    /// - Parameter output: Grows by 16 bytes.
    package func append(to output: inout [UInt8]) {
        output.append(addingCapacity: 16) { room in append(to: &room) }
    }

    /// Appends the sixteen bytes in network order to a buffer.
    ///
    /// - Parameter output: Grows by 16 bytes; has room for them.
    package func append(to output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: high)
        output.append(bigEndian: low)
    }

    /// The textual form: 36 characters, lower case.
    package var description: String {
        String(ascii: 36) { room in
            Hex.append(high >> 32, digits: 8, to: &room)
            room.append(UInt8(ascii: "-"))
            Hex.append(high >> 16, digits: 4, to: &room)
            room.append(UInt8(ascii: "-"))
            Hex.append(high, digits: 4, to: &room)
            room.append(UInt8(ascii: "-"))
            Hex.append(low >> 48, digits: 4, to: &room)
            room.append(UInt8(ascii: "-"))
            Hex.append(low, digits: 12, to: &room)
        }
    }

    package static func < (left: UUIDBytes, right: UUIDBytes) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
