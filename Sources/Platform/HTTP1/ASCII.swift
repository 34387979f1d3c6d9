/// The characters of HTTP/1.1 and the classes a parser sorts them into.
///
/// `HTTPCore` has the same classes; these are here because a call per byte across targets costs ten times the comparison.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lf: UInt8 = 0x0A
    static let cr: UInt8 = 0x0D
    static let blank: UInt8 = 0x20
    static let slash: UInt8 = 0x2F
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let question: UInt8 = 0x3F
    static let delete: UInt8 = 0x7F

    /// Whether a byte may stand in a token, RFC 9110 section 5.6.2.
    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        isIn(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    }

    /// Whether a byte may stand in a path, RFC 3986 section 3.3; the question mark ends it.
    static func isPathCharacter(_ byte: UInt8) -> Bool {
        isIn(byte, low: 0x2FFF_FFF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF)
    }

    /// Whether a byte may stand in a query: printable, and none of `"`, `#`, `<` and `>`.
    ///
    /// More than RFC 3986 allows: browsers send the vertical bar, for one, as it is.
    static func isQueryCharacter(_ byte: UInt8) -> Bool {
        isIn(byte, low: 0xAFFF_FFF2_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF)
    }

    /// Whether a byte may stand in a value, RFC 9110 section 5.5: no control character but the tab.
    static func isValueCharacter(_ byte: UInt8) -> Bool {
        (byte >= blank && byte != delete) || byte == tab
    }

    /// Whether a byte is a blank or a tab.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == blank || byte == tab
    }

    /// Whether a byte may stand in a Host field: letters, digits and what names, addresses and ports have besides.
    static func isHostCharacter(_ byte: UInt8) -> Bool {
        isIn(byte, low: 0x07FF_6000_0000_0000, high: 0x07FF_FFFE_AFFF_FFFE)
    }

    /// Eight bytes as one number, the first in the lowest byte.
    ///
    /// - Parameters:
    ///   - bytes: At least eight from the offset on.
    @inline(__always)
    static func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        let eight = bytes.extracting(offset..<(offset + 8))
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(eight[index]) << UInt64(8 * index) }
        return word
    }

    /// Whether any of eight bytes is a control character, the tab included; looked at as one number.
    ///
    /// - Parameters:
    ///   - bytes: At least eight from the offset on.
    /// - Returns: True where one of them is.
    @inline(__always)
    static func hasControlCharacter(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        let word = word(bytes, at: offset)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        // The classic tests for a byte less than 0x20 and for a byte equal to 0x7F.
        let below = (word &- ones &* 0x20) & ~word
        let difference = word ^ (ones &* 0x7F)
        let equal = (difference &- ones) & ~difference
        return (below | equal) & tops != 0
    }

    /// One bit for each of the first 128 characters.
    private static func isIn(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}
