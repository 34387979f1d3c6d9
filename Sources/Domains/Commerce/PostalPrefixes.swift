/// The first three digits of Japanese postal codes, and the prefectures that use them.
///
/// Made from Japan Post's files of all postal codes (KEN_ALL and JIGYOSYO, edition of October 2026). Near borders, and for offices
/// with a code of their own, prefectures share digits: those place nothing by themselves. Digits that are not in the table are
/// not in use, and say nothing about a place.
enum PostalPrefixes {
    /// The prefectures that use some digits; empty where nobody does.
    ///
    /// - Parameter prefix: 0 to 999.
    static func prefectures(_ prefix: UInt16) -> [Prefecture] {
        rows.first { $0.prefixes.contains(prefix) }?.prefectures ?? []
    }

    /// The first three of the seven digits of a postal code; `nil` for any other text.
    ///
    /// - Parameter text: UTF-8; digits in any width, blanks, hyphens and the postal mark.
    static func prefix(of text: Span<UInt8>) -> UInt16? {
        guard text.count <= FoldedPlaceName.limit, let text = try? UTF8Span(validating: text) else { return nil }
        var scalars = text.makeUnicodeScalarIterator()
        var count = 0
        var prefix: UInt16 = 0
        while let scalar = scalars.next() {
            guard scalar != PostalPrefixes.mark, let plain = PlainScalar.of(scalar.value) else { continue }
            guard (0x30...0x39).contains(plain), count < 7 else { return nil }
            if count < 3 { prefix = prefix * 10 + UInt16(plain - 0x30) }
            count += 1
        }
        return count == 7 ? prefix : nil
    }

    private static let mark: Unicode.Scalar = "〒"

    private struct Row: Sendable {
        let prefixes: ClosedRange<UInt16>
        let prefectures: [Prefecture]

        init(_ prefixes: ClosedRange<UInt16>, _ prefectures: [Prefecture]) {
            self.prefixes = prefixes
            self.prefectures = prefectures
        }
    }

    private static let rows: [Row] = [
        Row(1...7, [.hokkaido]), Row(10...17, [.akita]), Row(18...18, [.aomori, .akita]), Row(19...19, [.akita]),
        Row(20...29, [.iwate]), Row(30...31, [.aomori]), Row(33...39, [.aomori]), Row(40...99, [.hokkaido]),
        Row(100...100, [.saitama, .chiba, .tokyo]), Row(101...116, [.tokyo]), Row(120...120, [.tokyo]),
        Row(121...121, [.saitama, .tokyo]), Row(123...125, [.tokyo]), Row(130...137, [.tokyo]),
        Row(140...146, [.tokyo]), Row(150...158, [.tokyo]), Row(160...171, [.tokyo]), Row(173...173, [.tokyo]),
        Row(174...174, [.saitama, .tokyo]), Row(175...198, [.tokyo]), Row(201...208, [.tokyo]),
        Row(210...216, [.kanagawa]), Row(220...220, [.tokyo, .kanagawa]), Row(221...227, [.kanagawa]),
        Row(230...246, [.kanagawa]), Row(247...247, [.tokyo, .kanagawa]), Row(248...259, [.kanagawa]),
        Row(260...267, [.chiba]), Row(270...279, [.chiba]), Row(282...290, [.chiba]), Row(292...299, [.chiba]),
        Row(300...310, [.ibaraki]), Row(311...311, [.ibaraki, .tochigi]), Row(312...319, [.ibaraki]),
        Row(320...329, [.tochigi]), Row(330...348, [.saitama]), Row(349...349, [.tochigi, .saitama]),
        Row(350...369, [.saitama]), Row(370...370, [.gunma, .saitama, .tokyo]), Row(371...379, [.gunma]),
        Row(380...383, [.nagano]), Row(384...384, [.gunma, .nagano]), Row(385...388, [.nagano]),
        Row(389...389, [.gunma, .niigata, .nagano]), Row(390...399, [.nagano]), Row(400...409, [.yamanashi]),
        Row(410...422, [.shizuoka]), Row(424...428, [.shizuoka]), Row(430...430, [.shizuoka]),
        Row(431...431, [.shizuoka, .aichi]), Row(432...439, [.shizuoka]), Row(440...497, [.aichi]),
        Row(498...498, [.aichi, .mie]), Row(500...509, [.gifu]), Row(510...519, [.mie]),
        Row(520...520, [.shiga, .kyoto]), Row(521...529, [.shiga]), Row(530...538, [.osaka]),
        Row(539...539, [.osaka, .hyogo]), Row(540...547, [.osaka]), Row(549...562, [.osaka]),
        Row(563...563, [.osaka, .hyogo]), Row(564...587, [.osaka]), Row(589...599, [.osaka]),
        Row(600...607, [.kyoto]), Row(610...617, [.kyoto]), Row(618...618, [.kyoto, .osaka]),
        Row(619...627, [.kyoto]), Row(629...629, [.kyoto]), Row(630...630, [.osaka, .nara]), Row(631...639, [.nara]),
        Row(640...646, [.wakayama]), Row(647...647, [.mie, .nara, .wakayama]), Row(648...648, [.nara, .wakayama]),
        Row(649...649, [.wakayama]), Row(650...679, [.hyogo]), Row(680...683, [.tottori]),
        Row(684...684, [.tottori, .shimane]), Row(685...685, [.shimane]), Row(689...689, [.tottori]),
        Row(690...699, [.shimane]), Row(700...719, [.okayama]), Row(720...723, [.hiroshima]),
        Row(725...739, [.hiroshima]), Row(740...747, [.yamaguchi]), Row(749...759, [.yamaguchi]),
        Row(760...769, [.kagawa]), Row(770...779, [.tokushima]), Row(780...789, [.kochi]), Row(790...799, [.ehime]),
        Row(800...810, [.fukuoka]), Row(811...811, [.fukuoka, .nagasaki]), Row(812...816, [.fukuoka]),
        Row(817...817, [.nagasaki]), Row(818...838, [.fukuoka]), Row(839...839, [.fukuoka, .oita]),
        Row(840...847, [.saga]), Row(848...848, [.saga, .nagasaki]), Row(849...849, [.saga]),
        Row(850...859, [.nagasaki]), Row(860...869, [.kumamoto]), Row(870...870, [.oita]),
        Row(871...871, [.fukuoka, .oita]), Row(872...879, [.oita]), Row(880...889, [.miyazaki]),
        Row(890...899, [.kagoshima]), Row(900...907, [.okinawa]), Row(910...919, [.fukui]),
        Row(920...921, [.ishikawa]), Row(922...922, [.ishikawa, .fukui]), Row(923...929, [.ishikawa]),
        Row(930...938, [.toyama]), Row(939...939, [.toyama, .ishikawa]), Row(940...948, [.niigata]),
        Row(949...949, [.niigata, .nagano]), Row(950...959, [.niigata]), Row(960...976, [.fukushima]),
        Row(979...979, [.fukushima]), Row(980...989, [.miyagi]), Row(990...999, [.yamagata]),
    ]
}
