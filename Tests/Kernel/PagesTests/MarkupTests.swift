import Pages
import Testing

/// Texts that end a tag, an attribute, a script or a line of script where they are not escaped.
private let polyglots: [(text: String, escaped: String)] = [
    (#""><script>alert(1)</script>"#, "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"), ("'-a-'", "&#39;-a-&#39;"),
    ("<!--", "&lt;!--"), ("&lt;", "&amp;lt;"), ("\u{0}", "\u{FFFD}"), ("熨斗", "熨斗"),
]

/// A value enters a page as its type says.
@Suite struct `Markup` {
    private enum Slot {
        case gap
    }

    @Test(arguments: polyglots) func `escapes a text, made ahead or in a gap`(text: String, escaped: String) {
        let constant = Template<Never>("<p>\(text)</p>").bytes
        let template = Template<Slot>("<p>\(.gap)</p>")
        let filled = template.render(room: 0) { _, writer in writer.text(text) }
        let written = template.render(room: 0) { _, writer in
            writer.text(64) { room in for byte in text.utf8 { room.append(byte) } }
        }
        for page in [constant, filled, written] {
            #expect(String(decoding: page, as: UTF8.self) == "<p>\(escaped)</p>")
        }
    }

    @Test(
        arguments: [
            (0, "0"), (7, "7"), (999, "999"), (1_000, "1,000"), (27_996, "27,996"),
            (UInt64.max, "18,446,744,073,709,551,615"),
        ] as [(UInt64, String)]
    ) func `groups digits by three`(number: UInt64, text: String) {
        var writer = HTMLWriter()
        writer.grouped(number)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test func `keeps data for scripts from ending its block`() {
        let block = JSONBlock { data in
            data.add("text", "</script>&\u{2028}\"")
            data.add("flag", true)
        }
        let page = String(decoding: Template<Never>("\(block)").bytes, as: UTF8.self)
        #expect(page == #"{"text":"\u003c/script\u003e\u0026\u2028\"","flag":true}"#)
    }
}
