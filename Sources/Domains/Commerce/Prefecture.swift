package import Primitives

/// A prefecture of Japan; the raw value is its number in JIS X 0401 and ISO 3166-2:JP.
package enum Prefecture: UInt8, Sendable, Hashable, CaseIterable {
    /// 北海道.
    case hokkaido = 1
    /// 青森県.
    case aomori
    /// 岩手県.
    case iwate
    /// 宮城県.
    case miyagi
    /// 秋田県.
    case akita
    /// 山形県.
    case yamagata
    /// 福島県.
    case fukushima
    /// 茨城県.
    case ibaraki
    /// 栃木県.
    case tochigi
    /// 群馬県.
    case gunma
    /// 埼玉県.
    case saitama
    /// 千葉県.
    case chiba
    /// 東京都.
    case tokyo
    /// 神奈川県.
    case kanagawa
    /// 新潟県.
    case niigata
    /// 富山県.
    case toyama
    /// 石川県.
    case ishikawa
    /// 福井県.
    case fukui
    /// 山梨県.
    case yamanashi
    /// 長野県.
    case nagano
    /// 岐阜県.
    case gifu
    /// 静岡県.
    case shizuoka
    /// 愛知県.
    case aichi
    /// 三重県.
    case mie
    /// 滋賀県.
    case shiga
    /// 京都府.
    case kyoto
    /// 大阪府.
    case osaka
    /// 兵庫県.
    case hyogo
    /// 奈良県.
    case nara
    /// 和歌山県.
    case wakayama
    /// 鳥取県.
    case tottori
    /// 島根県.
    case shimane
    /// 岡山県.
    case okayama
    /// 広島県.
    case hiroshima
    /// 山口県.
    case yamaguchi
    /// 徳島県.
    case tokushima
    /// 香川県.
    case kagawa
    /// 愛媛県.
    case ehime
    /// 高知県.
    case kochi
    /// 福岡県.
    case fukuoka
    /// 佐賀県.
    case saga
    /// 長崎県.
    case nagasaki
    /// 熊本県.
    case kumamoto
    /// 大分県.
    case oita
    /// 宮崎県.
    case miyazaki
    /// 鹿児島県.
    case kagoshima
    /// 沖縄県.
    case okinawa

    /// The code of ISO 3166-2, `JP-01` to `JP-47`.
    package var code: String { rawValue < 10 ? "JP-0\(rawValue)" : "JP-\(rawValue)" }

    /// The name in kanji, in full, as the provider compares it.
    package var kanji: String {
        let names = Prefecture.names[Int(rawValue) - 1]
        return names.kanji + names.kind
    }

    /// The prefecture with a name, or `nil`.
    ///
    /// - Parameter kanji: The name in kanji, in full, and in no other spelling.
    package init?(kanji: OctetText) {
        guard let found = Prefecture.allCases.first(where: { $0.kanji.octets == kanji }) else { return nil }
        self = found
    }

    /// The names that addresses have for it.
    private struct Names {
        /// In kanji, without what kind of prefecture it is.
        let kanji: String
        /// In Latin letters, as passports have it.
        let latin: String
        /// What kind of prefecture it is, in kanji.
        var kind = "県"
        /// The same in Latin letters.
        var latinKind = "ken"
        /// Older and looser spellings that the folding does not lead to the others.
        var aliases: [String] = []

        /// Every spelling in full.
        var spellings: [String] {
            ([latin] + aliases).flatMap { [$0, $0 + latinKind, $0 + "prefecture", $0 + "pref"] } + [
                kanji, kanji + kind,
            ]
        }
    }

    private static let names: [Names] = [
        Names(kanji: "北海道", latin: "Hokkaido", kind: "", latinKind: "", aliases: ["ほつかいどう"]),
        Names(kanji: "青森", latin: "Aomori"), Names(kanji: "岩手", latin: "Iwate"),
        Names(kanji: "宮城", latin: "Miyagi"), Names(kanji: "秋田", latin: "Akita"),
        Names(kanji: "山形", latin: "Yamagata"), Names(kanji: "福島", latin: "Fukushima"),
        Names(kanji: "茨城", latin: "Ibaraki", aliases: ["Ibaragi"]), Names(kanji: "栃木", latin: "Tochigi"),
        Names(kanji: "群馬", latin: "Gunma", aliases: ["Gumma"]), Names(kanji: "埼玉", latin: "Saitama"),
        Names(kanji: "千葉", latin: "Chiba"),
        Names(
            kanji: "東京",
            latin: "Tokyo",
            kind: "都",
            latinKind: "to",
            aliases: ["Tokio", "とうきよう", "Tokyo metropolis", "Tokyo metropolitan"]
        ),
        Names(kanji: "神奈川", latin: "Kanagawa"), Names(kanji: "新潟", latin: "Niigata"),
        Names(kanji: "富山", latin: "Toyama"), Names(kanji: "石川", latin: "Ishikawa"),
        Names(kanji: "福井", latin: "Fukui"), Names(kanji: "山梨", latin: "Yamanashi"),
        Names(kanji: "長野", latin: "Nagano"), Names(kanji: "岐阜", latin: "Gifu"),
        Names(kanji: "静岡", latin: "Shizuoka"), Names(kanji: "愛知", latin: "Aichi"),
        Names(kanji: "三重", latin: "Mie"), Names(kanji: "滋賀", latin: "Shiga"),
        Names(kanji: "京都", latin: "Kyoto", kind: "府", latinKind: "fu", aliases: ["Kioto", "きようと"]),
        Names(kanji: "大阪", latin: "Osaka", kind: "府", latinKind: "fu"),
        Names(kanji: "兵庫", latin: "Hyogo", aliases: ["ひようご"]), Names(kanji: "奈良", latin: "Nara"),
        Names(kanji: "和歌山", latin: "Wakayama"),
        Names(kanji: "鳥取", latin: "Tottori", aliases: ["とつとり"]), Names(kanji: "島根", latin: "Shimane"),
        Names(kanji: "岡山", latin: "Okayama"), Names(kanji: "広島", latin: "Hiroshima"),
        Names(kanji: "山口", latin: "Yamaguchi"), Names(kanji: "徳島", latin: "Tokushima"),
        Names(kanji: "香川", latin: "Kagawa"), Names(kanji: "愛媛", latin: "Ehime"),
        Names(kanji: "高知", latin: "Kochi"), Names(kanji: "福岡", latin: "Fukuoka"),
        Names(kanji: "佐賀", latin: "Saga"), Names(kanji: "長崎", latin: "Nagasaki"),
        Names(kanji: "熊本", latin: "Kumamoto"), Names(kanji: "大分", latin: "Oita"),
        Names(kanji: "宮崎", latin: "Miyazaki"), Names(kanji: "鹿児島", latin: "Kagoshima"),
        Names(kanji: "沖縄", latin: "Okinawa"),
    ]
}

// MARK: Names

extension Prefecture {
    /// A spelling, folded.
    private struct Spelling: Sendable {
        let prefecture: Prefecture
        let octets: [UInt8]
        /// Whether a longer text that begins so is of this prefecture too: `沖縄県那覇市`.
        let isWhole: Bool

        init?(_ prefecture: Prefecture, _ text: String, isWhole: Bool = false) {
            guard let folded = FoldedPlaceName(text.utf8Span.span) else { return nil }
            self.prefecture = prefecture
            octets = folded.octets
            self.isWhole = isWhole
        }
    }

    private static let spellings: [Spelling] = zip(allCases, names).flatMap { prefecture, names in
        names.spellings.compactMap { Spelling(prefecture, $0, isWhole: $0 == names.kanji + names.kind) }
            + [Spelling(prefecture, prefecture.code)].compactMap { $0 }
    }

    /// The prefecture that a text names, or `nil`.
    ///
    /// In kanji, kana or Latin letters, with what kind of prefecture it is or without, or as ISO 3166-2 has it; in any case
    /// and width, with any blanks. Only the octets of the text are read, once.
    ///
    /// - Parameter text: UTF-8, as a buyer or the provider wrote it.
    package init?(named text: Span<UInt8>) {
        guard let name = FoldedPlaceName(text) else { return nil }
        let found = Prefecture.spellings.first {
            name.isEqual($0.octets) || ($0.isWhole && name.begins(with: $0.octets))
        }
        guard let found else { return nil }
        self = found.prefecture
    }
}
