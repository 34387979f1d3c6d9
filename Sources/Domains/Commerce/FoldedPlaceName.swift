/// The name of a place, folded so that its usual spellings become the same octets.
///
/// Case, width, blanks, hyphens, invisible characters and marks on Latin letters are dropped; kana and Latin letters both
/// become one plain romanisation without long vowels and doubled letters (`Ōita`, `Ohita`, `オオイタ` are `oita`), as far as the
/// names of prefectures need it; kanji stay. The table of scalars is our own: nothing is normalised by the runtime, whose cost
/// grows with the square of a run of combining marks.
struct FoldedPlaceName {
    /// The longest text that is read, in octets of UTF-8; a longer one names no place.
    static let limit = 255
    /// The longest name, folded.
    private static let room = 96

    private var folded: InlineArray<96, UInt8>
    private var count = 0

    /// The folded text; `nil` where it is too long, no UTF-8, or nothing is left of it.
    ///
    /// - Parameter text: UTF-8.
    init?(_ text: Span<UInt8>) {
        folded = InlineArray(repeating: 0)
        guard text.count <= FoldedPlaceName.limit, let text = try? UTF8Span(validating: text) else { return nil }
        var scalars = text.makeUnicodeScalarIterator()
        // A kana waits for a mark behind it, which may stand alone.
        var waiting: UInt32?
        while let scalar = scalars.next() {
            guard let plain = PlainScalar.of(scalar.value) else { continue }
            if let voice = PlainScalar.voice(plain), let kana = waiting {
                waiting = PlainScalar.voiced(kana, by: voice)
                continue
            }
            if let kana = waiting, !append(kana: kana) { return nil }
            waiting = nil
            if PlainScalar.hiragana.contains(plain) {
                waiting = plain
            } else if !append(scalar: plain) {
                return nil
            }
        }
        if let kana = waiting, !append(kana: kana) { return nil }
        guard count > 0 else { return nil }
    }

    /// The folded octets.
    var octets: [UInt8] { (0..<count).map { folded[$0] } }

    /// Whether it is a spelling, or the country stands behind it.
    func isEqual(_ spelling: [UInt8]) -> Bool {
        guard begins(with: spelling) else { return false }
        let rest = count - spelling.count
        return rest == 0 || (rest == FoldedPlaceName.country.count && has(FoldedPlaceName.country, at: spelling.count))
    }

    /// Whether it begins with a spelling.
    func begins(with spelling: [UInt8]) -> Bool { has(spelling, at: 0) }

    private static let country = Array("japan".utf8)

    private func has(_ part: [UInt8], at start: Int) -> Bool {
        start + part.count <= count && part.indices.allSatisfy { folded[start + $0] == part[$0] }
    }

    // MARK: Folding

    private mutating func append(scalar value: UInt32) -> Bool {
        if value < 0x80 { return append(letter: UInt8(truncatingIfNeeded: value)) }
        guard let scalar = Unicode.Scalar(value), count + 4 <= FoldedPlaceName.room else { return false }
        for octet in UTF8.encode(scalar) ?? .init() {
            folded[count] = octet
            count += 1
        }
        return true
    }

    /// Adds a letter or digit; what only lengthens or doubles a sound is dropped.
    private mutating func append(letter: UInt8) -> Bool {
        let last = count > 0 ? folded[count - 1] : 0
        switch (last, letter) {
        case (UInt8(ascii: "s"), UInt8(ascii: "h")), (UInt8(ascii: "o"), UInt8(ascii: "h")),
            (UInt8(ascii: "o"), UInt8(ascii: "u")):
            return true
        case (UInt8(ascii: "c"), UInt8(ascii: "h")):
            // `chi` is `ti`, and `tchi` too.
            count -= 1
            return append(letter: UInt8(ascii: "t"))
        case (UInt8(ascii: "a")...UInt8(ascii: "z"), last):
            return true
        default:
            guard count < FoldedPlaceName.room else { return false }
            folded[count] = letter == UInt8(ascii: "f") ? UInt8(ascii: "h") : letter
            count += 1
            return true
        }
    }

    private mutating func append(kana: UInt32) -> Bool {
        let sound = PlainScalar.sound(kana)
        // `kiyo` with a small `yo` is `kyo`.
        if sound.first == UInt8(ascii: "y"), PlainScalar.small.contains(kana), count > 0,
            folded[count - 1] == UInt8(ascii: "i")
        {
            count -= 1
        }
        return sound.allSatisfy { append(letter: $0) }
    }
}

/// One scalar of a name, without what does not tell names apart.
enum PlainScalar {
    static let hiragana: ClosedRange<UInt32> = 0x3041...0x3096
    /// The small ya, yu and yo.
    static let small: [UInt32] = [0x3083, 0x3085, 0x3087]

    /// Its plain form; `nil` for what is dropped.
    static func of(_ value: UInt32) -> UInt32? {
        switch value {
        case 0x30...0x39, 0x61...0x7A: return value
        case 0x41...0x5A: return value + 0x20
        case 0...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7F: return isDropped(ascii: value) ? nil : value
        case 0x80...0x17F: return latin(value)
        case 0x300...0x36F: return nil
        // Full-width forms of ASCII.
        case 0xFF01...0xFF5E: return of(value - 0xFEE0)
        // Half-width katakana, and their marks.
        case 0xFF66...0xFF9D: return of(UInt32(halfWidth[Int(value - 0xFF66)]))
        case 0xFF9E: return 0x3099
        case 0xFF9F: return 0x309A
        case 0x309B, 0x309C: return value - 2
        // Katakana.
        case 0x30A1...0x30F6: return value - 0x60
        default: return isInvisible(value) ? nil : variants[value] ?? value
        }
    }

    /// Blanks and control characters, and what is written between the parts of a name.
    private static func isDropped(ascii value: UInt32) -> Bool {
        value <= 0x20 || value == 0x7F || [0x27, 0x2C, 0x2D, 0x2E, 0x5E, 0x60].contains(value)
    }

    /// Blanks, invisible characters, hyphens, dots, apostrophes, the mark of a long vowel, selectors of a form.
    private static func isInvisible(_ value: UInt32) -> Bool {
        switch value {
        case 0x2B0...0x2FF, 0x180E, 0x1680, 0x2000...0x201F, 0x2028...0x202F, 0x205F...0x206F, 0x2212, 0x3000...0x3002,
            0x30FB, 0x30FC, 0xFE00...0xFE0F, 0xFEFF, 0xFF61...0xFF65, 0xE0000...0xE0FFF:
            return true
        default: return false
        }
    }

    /// The vowel below a mark.
    private static func latin(_ value: UInt32) -> UInt32? {
        switch value {
        case 0x80...0xA0, 0xAD, 0xAF, 0xB4, 0xB7: return nil
        case 0xC0...0xC5, 0xE0...0xE5, 0x100...0x105: return 0x61
        case 0xC8...0xCB, 0xE8...0xEB, 0x112...0x11B: return 0x65
        case 0xCC...0xCF, 0xEC...0xEF, 0x128...0x131: return 0x69
        case 0xD2...0xD6, 0xF2...0xF6, 0x14C...0x151: return 0x6F
        case 0xD9...0xDC, 0xF9...0xFC, 0x168...0x173: return 0x75
        default: return value
        }
    }

    /// U+3099 for a voiced sound, U+309A for a half-voiced one; `nil` for other scalars.
    static func voice(_ value: UInt32) -> UInt32? { value == 0x3099 || value == 0x309A ? value : nil }

    /// A kana with its mark; those without such a form stay.
    static func voiced(_ kana: UInt32, by mark: UInt32) -> UInt32 {
        switch kana {
        case 0x306F...0x307D where (kana - 0x306F) % 3 == 0: return kana + (mark == 0x3099 ? 1 : 2)
        case 0x304B...0x3061 where kana % 2 == 1: return kana + 1
        case 0x3064...0x3068 where kana % 2 == 0: return kana + 1
        default: return kana
        }
    }

    /// A kana in the plainest romanisation; empty for the small tsu, which only doubles.
    static func sound(_ kana: UInt32) -> [UInt8] { sounds[Int(kana - hiragana.lowerBound)] }

    /// By place from U+3041.
    private static let sounds: [[UInt8]] =
        """
        a a i i u u e e o o ka ga ki gi ku gu ke ge ko go sa za si zi su zu se ze so zo ta da ti zi - tu zu te de to do \
        na ni nu ne no ha ba pa hi bi pi hu bu pu he be pe ho bo po ma mi mu me mo ya ya yu yu yo yo ra ri ru re ro \
        wa wa i e o n vu ka ke
        """
        .split(separator: " ").map { $0 == "-" ? [] : Array($0.utf8) }

    /// What half-width katakana from U+FF66 on stand for, in full width.
    private static let halfWidth: [UInt16] = Array(
        "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン".utf16
    )

    /// Older, simplified and compatible forms of the kanji in names of prefectures.
    private static let variants: [UInt32: UInt32] = {
        var found: [UInt32: UInt32] = [:]
        let pairs =
            "縣県 县県 繩縄 绳縄 冲沖 廣広 广広 德徳 靜静 﨑崎 嵜崎 嶋島 岛島 东東 库庫 长長 爱愛 鸟鳥 贺賀 冈岡 马馬 泻潟 櫔栃 枥栃 坂阪 宫宮 兒児 儿児"
        for pair in pairs.split(separator: " ") {
            let scalars = pair.unicodeScalars.map(\.value)
            if let from = scalars.first, let to = scalars.last, from != to { found[from] = to }
        }
        return found
    }()
}
