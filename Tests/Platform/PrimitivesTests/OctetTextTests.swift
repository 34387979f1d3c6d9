import Primitives
import TestKit
import Testing

@Suite("A text by its octets")
struct OctetTextTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    @Test func `is another where the octets are others, however Unicode reads them`() {
        #expect(Self.composed == Self.decomposed, "to Swift it is one text")
        #expect(Self.composed.octets != Self.decomposed.octets)
        #expect(Set([Self.composed.octets, Self.decomposed.octets, "cafe"]).count == 3)
        #expect(Self.composed.octets == OctetText(String(decoding: Array(Self.composed.utf8), as: UTF8.self)))
        #expect("".octets == "" && "".octets != "a")
    }

    @Test func `begins and ends with octets`() {
        #expect("abc".octets.starts(with: "ab") && "abc".octets.starts(with: "") && !"ab".octets.starts(with: "abc"))
        #expect("abc".octets.ends(with: "bc") && "abc".octets.ends(with: "") && !"bc".octets.ends(with: "abc"))
        #expect("e\u{301}".octets.starts(with: "e"))
    }

    @Test(arguments: [
        ("a,b", ["a", "b"]), (",a,", ["", "a", ""]), ("", [""]), ("x\u{600},b", ["x\u{600}", "b"]),
        ("a\r\n,b", ["a\r\n", "b"]),
    ])
    func `is taken apart at every separator, whatever stands in front of it`(text: String, parts: [String]) {
        #expect(text.octets.parts(between: UInt8(ascii: ",")).map(\.octets) == parts.map(\.octets))
    }

    @Test func `has as many parts as were asked for`() {
        let text = " a  b c".octets
        #expect(text.parts(between: UInt8(ascii: " "), limit: 1, keepingEmpty: false) == ["a", " b c"])
        #expect(text.parts(between: UInt8(ascii: " "), keepingEmpty: false) == ["a", "b", "c"])
    }

    @Test func `has capitals of ASCII alone`() {
        #expect("A-Z\u{C9}".octets.lowercase.octets == "a-z\u{C9}")
        #expect("abc".octets < "abd" && "Z".octets < "a" && "a".octets < "a\u{300}")
    }

    private enum Word: String, CaseIterable {
        case one
        case two = "second"
    }

    @Test(arguments: [("one", Word.one), ("second", .two), ("two", nil), ("", nil), ("One", nil), ("one\u{300}", nil)])
    private func `names the value of its word`(text: String, word: Word?) {
        #expect(Word(word: text.octets) == word)
    }

    @Test func `costs no more than its octets to compare, to hash and to take apart`() {
        let limit = 60_000
        for (name, work) in OctetTextTests.works {
            let texts = [limit: HostileText.marks(limit), 2 * limit: HostileText.marks(2 * limit)]
            let growth = Growth.of(name, size: limit) { size in work(texts[size] ?? "") }
            #expect(growth.isLinear, "\(growth)")
        }
    }

    private static let works: [(String, @Sendable (String) -> Void)] = [
        ("==", { text in _ = text.octets == (text + "").octets || text.octets == "a" }),
        ("hash", { text in _ = Set([text.octets, "a"]).count }),
        ("starts", { text in _ = text.octets.starts(with: "abc") || text.octets.ends(with: "abc") }),
        ("parts", { text in _ = text.octets.parts(between: UInt8(ascii: ",")) }),
        ("lowercase", { text in _ = text.octets.lowercase }),
        ("url", { text in _ = (HTTPURL(text), HTTPURL("https://" + text), HTTPHost(text)) }),
        ("time", { text in _ = CalendarDate.time(of: text) }),
        ("word", { text in _ = Word(word: text.octets) }),
    ]
}
