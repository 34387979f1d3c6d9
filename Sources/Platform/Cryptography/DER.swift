package import Primitives

/// Why bytes are no DER.
package struct DERError: Error, Sendable, Equatable {
    /// A sentence for people, without a full stop; nothing of it comes from the bytes.
    package let sentence: String

    /// The given reason.
    package init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// One value of DER, X.690: its tag and where its content lies in the bytes that were read.
///
/// Nothing is copied until it is asked for. Tags of one byte, lengths in the shortest form and of four bytes at most.
package struct DERValue: Sendable {
    /// Tags of one byte.
    package enum Tag {
        /// BOOLEAN.
        package static let boolean: UInt8 = 0x01
        /// INTEGER.
        package static let integer: UInt8 = 0x02
        /// BIT STRING.
        package static let bitString: UInt8 = 0x03
        /// OCTET STRING.
        package static let octetString: UInt8 = 0x04
        /// OBJECT IDENTIFIER.
        package static let identifier: UInt8 = 0x06
        /// UTF8String.
        package static let utf8String: UInt8 = 0x0C
        /// UTCTime.
        package static let utcTime: UInt8 = 0x17
        /// GeneralizedTime.
        package static let generalizedTime: UInt8 = 0x18
        /// SEQUENCE and SEQUENCE OF.
        package static let sequence: UInt8 = 0x30
        /// SET and SET OF.
        package static let set: UInt8 = 0x31
    }

    /// Class, form and number.
    package let tag: UInt8
    private let source: [UInt8]
    private let whole: Range<Int>
    private let inside: Range<Int>

    /// Reads bytes that hold one value and nothing behind it.
    package init(_ bytes: [UInt8]) throws(DERError) {
        try self.init(bytes, 0..<bytes.count)
        guard whole.upperBound == bytes.count else { throw DERError("bytes behind the structure") }
    }

    /// Reads the value at the beginning of a range.
    private init(_ source: [UInt8], _ range: Range<Int>) throws(DERError) {
        guard range.count >= 2 else { throw DERError("cut") }
        var position = range.lowerBound
        tag = source[position]
        guard tag & 0x1F != 0x1F else { throw DERError("a tag of several bytes") }
        let first = Int(source[position + 1])
        position += 2
        var length = first
        if first >= 0x80 {
            let count = first & 0x7F
            guard count > 0 else { throw DERError("an indefinite length: BER, not DER") }
            guard count <= 4, count <= range.upperBound - position else { throw DERError("a bad length") }
            length = source[position..<(position + count)].reduce(0) { $0 << 8 | Int($1) }
            guard source[position] != 0, length >= 0x80 else {
                throw DERError("a length that is not in its shortest form")
            }
            position += count
        }
        guard length <= range.upperBound - position else { throw DERError("a value that runs past its container") }
        self.source = source
        whole = range.lowerBound..<(position + length)
        inside = position..<(position + length)
    }

    /// The whole value: tag, length and content.
    package var encoding: [UInt8] { Array(source[whole]) }

    /// The content alone.
    package var content: [UInt8] { Array(source[inside]) }

    /// The values inside a constructed one.
    package func values() throws(DERError) -> [DERValue] {
        guard tag & 0x20 != 0 else { throw DERError("a primitive value in the place of a constructed one") }
        var values: [DERValue] = []
        var rest = inside
        while !rest.isEmpty {
            let value = try DERValue(source, rest)
            values.append(value)
            rest = value.whole.upperBound..<inside.upperBound
        }
        return values
    }

    /// The values inside a constructed one that has a given tag.
    package func values(of tag: UInt8) throws(DERError) -> [DERValue] {
        guard self.tag == tag else { throw DERError("another value than the one expected") }
        return try values()
    }

    /// An object identifier in numbers with dots.
    package func identifier() throws(DERError) -> String {
        guard tag == Tag.identifier, let last = source[inside].last, last < 0x80 else {
            throw DERError("no object identifier")
        }
        var numbers: [UInt64] = []
        var number: UInt64 = 0
        for byte in source[inside] {
            guard number < 1 << 56 else { throw DERError("an object identifier with a huge number") }
            number = number << 7 | UInt64(byte & 0x7F)
            guard byte < 0x80 else { continue }
            if numbers.isEmpty {
                let top = min(number / 40, 2)
                numbers = [top, number - 40 * top]
            } else {
                numbers.append(number)
            }
            number = 0
        }
        return numbers.map { String($0) }.joined(separator: ".")
    }

    /// The text of a string of characters; `nil` for another type or bytes that are no UTF-8.
    package var text: String? {
        switch tag {
        // UTF8String, PrintableString, IA5String; T61String as it is used: for ASCII.
        case Tag.utf8String, 0x13, 0x16, 0x14:
            guard let valid = try? UTF8Span(validating: source.span.extracting(inside)) else { return nil }
            return String(copying: valid)
        default: return nil
        }
    }

    /// A point in time; UTCTime up to the year 2049, GeneralizedTime after it, both to the second and in UTC.
    package func time() throws(DERError) -> WallTime {
        let digits = String(decoding: source[inside], as: UTF8.self)
        var text = digits
        switch (tag, inside.count) {
        case (Tag.utcTime, 13):
            text = (digits.octets < "50" ? "20" : "19") + digits
        case (Tag.generalizedTime, 15):
            guard !(digits.octets < "2050") else { throw DERError("a generalized time before the year 2050") }
        default: throw DERError("no time in the form of DER")
        }
        let day = String(decoding: text.utf8.prefix(8), as: UTF8.self)
        let rest = String(decoding: text.utf8.dropFirst(8), as: UTF8.self)
        guard let time = CalendarDate.time(of: "\(day)T\(rest)") else { throw DERError("no time of the calendar") }
        return time
    }
}

extension DERError: CustomStringConvertible {
    package var description: String { sentence }
}
