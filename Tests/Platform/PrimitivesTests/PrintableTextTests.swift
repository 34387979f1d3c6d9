import Primitives
import Testing

@Suite struct `A text of a merchant` {
    @Test(arguments: [
        "煎茶 100 g", "煎茶　特選  100 g", "葛\u{E0100}城", "か\u{309A}", "👨\u{200D}👩\u{200D}👧", "❤\u{FE0F}\u{200D}🔥",
        "👩🏽\u{200D}💻", "1\u{FE0F}\u{20E3}", "🇯🇵", "<b>&amp;</b>", "ｱｲｽ", "\u{FFFF}", "\u{E000}",
        String(repeating: "茶", count: 20),
    ])
    func `that can be shown in one line is taken as it is`(text: String) throws {
        #expect(try PrintableText.cleaned(text, length: 1...20).octets == text.octets)
        #expect(PrintableText.isGood(text, length: 1...20))
    }

    @Test(arguments: [
        (" 茶", "茶"), ("茶\u{3000}", "茶"), ("\u{A0}茶", "茶"), ("茶\u{200B}", "茶"), ("\u{FEFF}茶", "茶"), ("煎\u{AD}茶", "煎茶"),
        ("\u{E0001}茶", "茶"), ("茶\u{3164}", "茶"), ("ab\u{2060}c", "abc"), ("煎\t茶", "煎 茶"), ("茶\n", "茶"),
        ("\r\n茶", "茶"), ("煎\r\n茶", "煎 茶"), ("煎 \n\u{3000}\t茶", "煎 茶"), ("煎\u{2028}茶", "煎 茶"), ("煎\u{85}茶", "煎 茶"),
        ("煎 \u{FEFF}", "煎"), ("煎\n\u{200B}\n茶", "煎 茶"),
    ])
    func `loses what nobody sees and has a blank for a line end`(text: String, kept: String) throws {
        #expect(try PrintableText.cleaned(text, length: 1...20).octets == kept.octets)
        #expect(!PrintableText.isGood(text, length: 1...20))
    }

    @Test(arguments: [
        ("👨\u{200D}", "👨"), ("\u{200D}👨", "👨"), ("👨\u{200D}茶", "👨茶"), ("茶\u{200D}👨", "茶👨"), ("a\u{200D}b", "ab"),
        ("👨\u{200D} 👩", "👨 👩"), ("👨\u{200D}\n👩", "👨 👩"), ("1\u{200D}2", "12"), ("👨\u{200D}\u{200D}👩", "👨\u{200D}👩"),
        ("\u{FE0F}茶", "茶"), ("a\u{FE0F}", "a"), ("葛 \u{E0100}", "葛"), ("葛\u{E0100}\u{E0101}", "葛\u{E0100}"),
        ("か\u{FE00}", "か"), ("茶\u{E0041}", "茶"),
    ])
    func `keeps joiners between emoji, and selectors behind what they vary`(text: String, kept: String) throws {
        #expect(try PrintableText.cleaned(text, length: 1...20).octets == kept.octets)
    }

    @Test(arguments: [
        ("", "the text is empty"), (" \u{3000}\n", "the text is empty"),
        ("\u{200B}\u{FEFF}\u{FE0F}", "the text is empty"),
        ("煎\u{202E}茶", "the text has a character that turns the direction of a line, U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("\u{200F}茶", "the text has a character that turns the direction of a line, U+200F RIGHT-TO-LEFT MARK"),
        ("茶\u{2066}", "the text has a character that turns the direction of a line, U+2066 LEFT-TO-RIGHT ISOLATE"),
        ("a\u{7F}", "the text has a control character, U+007F"), ("\0", "the text has a control character, U+0000"),
        ("a\u{FFF9}", "the text has a format character, U+FFF9 INTERLINEAR ANNOTATION ANCHOR"),
        (String(repeating: "a", count: 21), "the text has more than 20 characters"),
        (String(repeating: "👨\u{200D}👩", count: 7), "the text has more than 20 characters"),
        (String(repeating: "\u{200B}", count: 100_000), "the text has more than 20 characters"),
    ])
    func `that is not taken is told which rule it breaks`(text: String, problem: String) {
        let refusal = #expect(throws: TextRefusal.self) { try PrintableText.cleaned(text, length: 1...20) }
        #expect(refusal?.sentence == problem)
        #expect(!PrintableText.isGood(text, length: 1...20))
    }

    @Test(arguments: [
        ("煎茶 🍵", true), ("Ä", true), ("a", true), (String(repeating: "顧", count: 20), true), ("", false), (" ", false),
        (" a", false), ("a\u{3000}", false), ("a\nb", false), ("a\u{200B}", false), ("☕\u{FE0F}", false),
        ("a\u{202E}b", false), ("a\0", false), (String(repeating: "a", count: 21), false),
    ])
    func `that names something is seen from end to end`(text: String, isVisible: Bool) {
        #expect(PrintableText.isVisible(text, length: 1...20) == isVisible)
    }

    @Test func `of which nothing may be kept is empty`() throws {
        #expect(try PrintableText.cleaned(" \u{200B}", length: 0...20).isEmpty)
        #expect(throws: TextRefusal("the text has fewer than 3 characters")) {
            try PrintableText.cleaned("茶茶\u{200B}", length: 3...20)
        }
    }

    @Test func `is refused for a character by its number, or has nothing left to lose`() throws {
        let planes: [ClosedRange<UInt32>] = [
            0...0x3FFF, 0xE000...0xFFFF, 0x1BC00...0x1D1FF, 0x1F300...0x1F6FF, 0xE0000...0xE01FF,
        ]
        for value in planes.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let number = "U+" + String(repeating: "0", count: value < 0x1000 ? 4 - String(value, radix: 16).count : 0)
            let shown = number + String(value, radix: 16, uppercase: true)
            for text in ["\(scalar)", "a\(scalar)", "\(scalar)a", "a\(scalar)a", "茶\(scalar)👨"] {
                do throws(TextRefusal) {
                    let kept = try PrintableText.cleaned(text, length: 0...20)
                    let again = try PrintableText.cleaned(kept, length: 0...20)
                    if kept.octets != again.octets { Issue.record("\(shown) in \(text.debugDescription)") }
                } catch {
                    if !error.sentence.contains(", \(shown)") { Issue.record("\(shown): \(error.sentence)") }
                }
            }
        }
    }
}
