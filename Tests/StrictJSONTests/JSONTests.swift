import StrictJSON
import Testing

@Suite("JSON")
struct JSONTests {
    @Test(arguments: [
        #"{"a":1,"b":[true,false,null],"c":"x"}"#, "[]", "{}", "0", "-1.5e+10", #""\"\\\n\r\t""#, #""日本語🍣""#,
        #"{"z":1,"a":2}"#, #"[[[[1]]]]"#, #""\u0001\u007f""#,
    ])
    func `comes out as it went in`(text: String) throws {
        let value = try JSONParser.parse(Array(text.utf8))
        #expect(String(decoding: value.bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [
        (#""\u3042\ud83c\udf63\/""#, "あ🍣/"), (#" "\b\f" "#, "\u{8}\u{C}"), (#""\u00e9""#, "é"),
    ])
    func `undoes escapes`(text: String, expected: String) throws {
        #expect(try JSONParser.parse(Array(text.utf8)).text == expected)
    }

    @Test(arguments: [(16, true), (17, false)])
    func `has a bounded depth`(depth: Int, isRead: Bool) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let value = try? JSONParser.parse(Array(text.utf8))
        #expect((value != nil) == isRead)
    }

    @Test(arguments: [
        ("[1", JSONError.malformed(at: 2)), (#"{"a":1,"a":2}"#, .repeated("a")),
        (#"{"a":[1,{"b":{"c":1,"c":2}}]}"#, .repeated("a[1].b.c")),
        (#"[[{"a":1,"a":2}]]"#, .repeated("[0][0].a")), (#""\ud800""#, .badText(at: 3)),
        ("", .malformed(at: 0)), ("1 2", .malformed(at: 2)),
    ])
    func `says what is wrong`(text: String, error: JSONError) {
        #expect(throws: error) { try JSONParser.parse(Array(text.utf8)) }
    }
}
