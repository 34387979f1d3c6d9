import Primitives
import Testing

@testable import WalletPass

@Suite("A file of a pass")
struct FileTests {
    // MARK: Strings

    @Test func `of strings is read in UTF-8 and in UTF-16 with a mark`() throws {
        let text = "/* c */ \"a\" = \"\\\"x\\\\ \\n \\u00e9 \\ud83d\\ude00 é\"; // end\n\"ключ\"=\"値\" ;"
        let units = Array(text.utf16)
        func octets(_ unit: UInt16) -> [UInt8] {
            [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
        }
        let little: [UInt8] = [0xFF, 0xFE] + units.map { octets($0.byteSwapped) }.joined()
        let big: [UInt8] = [0xFE, 0xFF] + units.map(octets).joined()
        for bytes in [Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8), little, big] {
            let file = try StringsFile(bytes)
            #expect(file.texts == ["a": "\"x\\ \n é 😀 é", "ключ": "値"])
        }
    }

    @Test func `of strings is written as it is read`() throws {
        let texts = ["a": "line\nbreak \"quoted\" \\ \u{1} \t", "値段": "¥100", "": "empty"]
        #expect(try StringsFile(StringsFile(texts: texts).bytes).texts == StringsFile(texts: texts).texts)
    }

    @Test(arguments: [
        ("\"a\" = \"b\"", 1), ("\"a\" = \"b\";\n\"a\" = \"c\";", 2), ("/* open", 1), ("\"a\" \"b\";", 1), ("a = b;", 1),
        ("\"a\" = \"b", 1), ("\"a\" = \"\\ud800\";", 1), ("\"a\" = \"\\q\";", 1), ("\"a\" = \"\\u12\";", 1),
        ("\"\\", 1),
    ])
    func `of strings with a mistake is refused, with its line`(text: String, line: Int) {
        do throws(StringsError) {
            _ = try StringsFile(Array(text.utf8))
            Issue.record("\(text) was read")
        } catch {
            #expect(error.line == line)
        }
    }

    @Test func `of strings in another encoding is refused`() {
        for bytes: [UInt8] in [[0x22, 0xE9, 0x22], [0xFF, 0xFE, 0x22], [0xFE, 0xFF, 0xD8, 0x00]] {
            #expect(throws: StringsError.self) { try StringsFile(bytes) }
        }
    }

    // MARK: Images

    @Test func `with an image has its size`() throws {
        #expect(try PNGImage(PassVectors.bytes("src/member/icon@3x.png")).width == 114)
        for name in ["strip.png", "logo@2x.png", "icon.png"] {
            let image = try PNGImage(PassVectors.bytes("src/member/\(name)"))
            #expect(image.width > 0 && image.height > 0)
        }
    }

    @Test func `with an image that is cut, or has any bit changed, is refused`() throws {
        let bytes = try PassVectors.bytes("src/member/icon.png")
        for count in 0..<bytes.count {
            #expect(throws: PNGError.self) { try PNGImage(Array(bytes.prefix(count))) }
            var changed = bytes
            changed[count] ^= 1 << UInt8(count % 8)
            #expect(throws: PNGError.self) { try PNGImage(changed) }
        }
        #expect(throws: PNGError.self) { try PNGImage(bytes + [0]) }
    }

    // MARK: Names

    @Test(arguments: [
        ("en.lproj", "en"), ("pt-BR.lproj", "pt-BR"), ("zh-Hant.lproj", "zh-Hant"), ("zh-Hant-TW.lproj", "zh-Hant-TW"),
        ("es-419.lproj", "es-419"), ("EN.lproj", nil), ("english.lproj", nil), ("en-us.lproj", nil), ("en", nil),
        (".lproj", nil), ("en-.lproj", nil),
    ])
    func `stands in the folder of a language`(folder: String, language: String?) {
        #expect(PassFileName.language(ofFolder: folder) == language)
    }

    @Test(arguments: [
        (#"<a href="https://a.example/">x</a>"#, true), ("<a  href = 'b' >x</a> & more", true), ("no markup", true),
        ("<b>x</b>", false), (#"<a onclick="x">"#, false), (#"<a href="x" onclick="y">"#, false),
        ("<ahref='x'>", false),
        ("<script>", false),
    ])
    func `with links has no other markup`(text: String, isGood: Bool) {
        #expect(Markup.hasLinksOnly(text) == isGood)
    }
}
