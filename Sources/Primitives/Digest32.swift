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
        output.reserveCapacity(Digest32.byteCount)
        append(to: &output)
        return output
    }

    /// Appends the 32 bytes to a buffer.
    ///
    /// - Parameter output: Grows by 32 bytes.
    package func append(to output: inout [UInt8]) {
        Digest32.append(words.0, to: &output)
        Digest32.append(words.1, to: &output)
        Digest32.append(words.2, to: &output)
        Digest32.append(words.3, to: &output)
    }

    /// The first eight hexadecimal digits.
    package var description: String {
        Hex.encode(Array(bytes.prefix(4)))
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

    private static func append(_ word: UInt64, to output: inout [UInt8]) {
        var shift: UInt64 = 64
        while shift > 0 {
            shift -= 8
            output.append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }
}
