/// Thirty-two bytes that a one-way function produced: a SHA-256 digest or an HMAC-SHA256 tag.
///
/// Comparison takes constant time; the description shows the first eight hexadecimal digits only, enough to follow
/// a value through a log and too little to be of use to a reader of it.
package struct Digest32: Sendable, Hashable, CustomStringConvertible {
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// The digest with the given bytes, or `nil` for another count than 32.
    ///
    /// - Parameter bytes: Exactly 32 bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Digest32.byteCount else { return nil }
        words = (
            Digest32.word(bytes, at: 0), Digest32.word(bytes, at: 8), Digest32.word(bytes, at: 16),
            Digest32.word(bytes, at: 24)
        )
    }

    /// The number of bytes in a digest.
    package static let byteCount = 32

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        append(to: &output)
        return output
    }

    /// Appends the 32 bytes to a buffer.
    ///
    /// - Parameter output: Grows by 32 bytes.
    package func append(to output: inout [UInt8]) {
        output.append(addingCapacity: Digest32.byteCount) { room in append(to: &room) }
    }

    /// Appends the 32 bytes to a buffer.
    ///
    /// - Parameter output: Grows by 32 bytes; has room for them.
    package func append(to output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: words.0)
        output.append(bigEndian: words.1)
        output.append(bigEndian: words.2)
        output.append(bigEndian: words.3)
    }

    /// All sixty-four hexadecimal digits, in lower case.
    package var hexadecimal: String {
        String(ascii: Digest32.byteCount * 2) { room in
            Hex.append(words.0, digits: 16, to: &room)
            Hex.append(words.1, digits: 16, to: &room)
            Hex.append(words.2, digits: 16, to: &room)
            Hex.append(words.3, digits: 16, to: &room)
        }
    }

    /// The first eight hexadecimal digits.
    package var description: String {
        String(ascii: 8) { room in appendFingerprint(to: &room) }
    }

    /// The first four bytes, the highest first: what its description shows.
    package var fingerprint: UInt32 { UInt32(truncatingIfNeeded: words.0 >> 32) }

    /// The first eight bytes, the highest first; for tables in memory.
    package var prefix: UInt64 { words.0 }

    /// Appends the first eight hexadecimal digits to a buffer.
    ///
    /// - Parameter output: Grows by 8 characters; has room for them.
    package func appendFingerprint(to output: inout OutputSpan<UInt8>) {
        Hex.append(UInt64(fingerprint), digits: 8, to: &output)
    }

    package static func == (left: Digest32, right: Digest32) -> Bool {
        let difference =
            (left.words.0 ^ right.words.0) | (left.words.1 ^ right.words.1) | (left.words.2 ^ right.words.2)
            | (left.words.3 ^ right.words.3)
        return difference == 0
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }

    private static func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in offset..<(offset + 8) { word = word << 8 | UInt64(bytes[index]) }
        return word
    }
}
