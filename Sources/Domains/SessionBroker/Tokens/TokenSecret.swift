import Primitives

/// The 32 random bytes that make a token worth something; describes itself by a placeholder.
struct TokenSecret: Sendable, CustomStringConvertible, CustomReflectable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    static let byteCount = 32

    /// A secret that nobody has seen.
    init(random: any RandomSource) {
        words = (
            random.number(byteCount: 8), random.number(byteCount: 8), random.number(byteCount: 8),
            random.number(byteCount: 8)
        )
    }

    /// The secret with the given bytes, or `nil` for another count than 32.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count == TokenSecret.byteCount else { return nil }
        func word(_ start: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in start..<(start + 8) { word = word << 8 | UInt64(bytes[index]) }
            return word
        }
        words = (word(0), word(8), word(16), word(24))
    }

    /// Appends the 32 bytes.
    func append(to output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: words.0)
        output.append(bigEndian: words.1)
        output.append(bigEndian: words.2)
        output.append(bigEndian: words.3)
    }

    /// The 32 bytes.
    var bytes: InlineArray<32, UInt8> {
        InlineArray(initializingWith: { room in append(to: &room) })
    }

    var description: String { "<secret>" }

    var customMirror: Mirror { Mirror(self, children: []) }
}

/// The four characters in front of every token: `sw`, a letter for what the token is, and `_`.
enum TokenTag {
    static let count = 4

    /// Appends the tag with a letter.
    static func append(_ letter: UInt8, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(ascii: "s"))
        output.append(UInt8(ascii: "w"))
        output.append(letter)
        output.append(UInt8(ascii: "_"))
    }

    /// Whether a text of four characters or more begins with the tag of a letter.
    static func begins(_ text: Span<UInt8>, with letter: UInt8) -> Bool {
        text[0] == UInt8(ascii: "s") && text[1] == UInt8(ascii: "w") && text[2] == letter
            && text[3] == UInt8(ascii: "_")
    }

    /// The tag and the first digits of a hash, which is all that may be printed of a token.
    static func description(_ letter: UInt8, _ hash: Digest32) -> String {
        String(ascii: 14) { room in
            append(letter, to: &room)
            room.append(UInt8(ascii: "<"))
            hash.appendFingerprint(to: &room)
            room.append(UInt8(ascii: ">"))
        }
    }
}
