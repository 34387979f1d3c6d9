import Primitives
import Testing

@Suite struct `A text of a merchant` {
    @Test(arguments: [
        "煎茶 100 g", "葛\u{E0100}", "か\u{309A}", "👨\u{200D}👩\u{200D}👧", "<b>&amp;</b>", "ｱｲｽ", "\u{FFFF}", "\u{E000}",
        String(repeating: "茶", count: 20),
    ])
    func `that can be shown in one line is taken`(text: String) {
        #expect(PrintableText.problem(in: text, length: 1...20) == nil && PrintableText.isGood(text, length: 1...20))
    }

    @Test(arguments: [
        ("", "the text is empty"), (" 茶", "the text begins with a blank (U+0020)"),
        ("茶\u{3000}", "the text ends with a blank (U+3000)"), ("\u{A0}茶", "the text begins with a blank (U+00A0)"),
        ("茶\u{200B}", "the text has an invisible character (U+200B)"),
        ("\u{FEFF}茶", "the text has an invisible character (U+FEFF)"),
        ("煎\u{AD}茶", "the text has an invisible character (U+00AD)"),
        ("\u{200F}茶", "the text has an invisible character (U+200F)"),
        ("\u{E0001}茶", "the text has an invisible character (U+E0001)"),
        ("煎\t茶", "the text has a control character (U+0009)"), ("茶\n", "the text has a control character (U+000A)"),
        ("a\u{7F}", "the text has a control character (U+007F)"),
        ("煎\u{2028}茶", "the text has a line separator (U+2028)"),
        (String(repeating: "a", count: 21), "the text has more than 20 characters"),
        (String(repeating: "👨\u{200D}👩", count: 7), "the text has more than 20 characters"),
        (String(repeating: "\u{200B}", count: 100_000), "the text has more than 20 characters"),
    ])
    func `that is not taken is told which rule it breaks`(text: String, problem: String) {
        #expect(PrintableText.problem(in: text, length: 1...20) == problem)
        #expect(!PrintableText.isGood(text, length: 1...20))
    }

    @Test func `has a rule for every character that it may not have`() {
        let planes: [ClosedRange<UInt32>] = [0...0x3FFF, 0xE000...0xFFFF, 0x1BC00...0x1D1FF, 0xE0000...0xE01FF]
        for value in planes.joined() {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)", "a\(scalar)", "\(scalar)a", "a\(scalar)a"] {
                guard let problem = PrintableText.problem(in: text, length: 1...20) else { continue }
                let digits = String(value, radix: 16, uppercase: true)
                if !problem.hasSuffix("\(digits))") { Issue.record("U+\(digits): \(problem)") }
            }
        }
    }
}
