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
        (#" { "b" : [ { "d" : 1 , "c" : "\u0041\/" } ] , "a" : null } "#, #"{"a":null,"b":[{"c":"A/","d":1}]}"#),
        (#"{"a":null,"b":[{"d":1,"c":"A\/"}]}"#, #"{"a":null,"b":[{"c":"A/","d":1}]}"#),
        // Lists keep their order, numbers their digits, names are sorted by octets.
        ("[3,1,2]", "[3,1,2]"), (#"{"n":1.0}"#, #"{"n":1.0}"#), (#"{"n":1}"#, #"{"n":1}"#),
        (#"{"é":1,"e":2,"E":3,"":4,"ea":5}"#, #"{"":4,"E":3,"e":2,"ea":5,"é":1}"#), ("{}", "{}"), (#""x""#, #""x""#),
    ])
    func `is the same in order for every spelling of a value`(text: String, expected: String) throws {
        var output: [UInt8] = []
        try JSONParser.parse(Array(text.utf8)).appendSorted(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        (#""\u3042\ud83c\udf63\/""#, "あ🍣/"), (#" "\b\f" "#, "\u{8}\u{C}"), (#""\u00e9""#, "é"),
        (#""a\u00e9日\n\nb\/c""#, "aé日\n\nb/c"), (#""\"""#, "\""), (#""""#, ""),
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

    @Test(arguments: [("[1,2,3]", 4), (#"{"a":1,"b":{"c":[]}}"#, 4), ("1", 1)])
    func `has as many values as it may`(text: String, count: Int) {
        #expect(throws: Never.self) { try JSONParser.parse(Array(text.utf8), values: count) }
        #expect(throws: JSONError.tooMany) { try JSONParser.parse(Array(text.utf8), values: count - 1) }
    }

    @Test(arguments: [
        ("[1", JSONError.malformed(at: 2)), (#"{"a":1,"a":2}"#, .repeated("a")),
        (#"{"a":[1,{"b":{"c":1,"c":2}}]}"#, .repeated("a[1].b.c")),
        (#"[[{"a":1,"a":2}]]"#, .repeated("[0][0].a")), (#""\ud800""#, .badText(at: 3)),
        ("", .malformed(at: 0)), ("1 2", .malformed(at: 2)), (#""ab"#, .malformed(at: 3)),
        (#""a\nb"#, .malformed(at: 5)),
        (#""a\nb\"#, .malformed(at: 6)), ("\"a\n\"", .malformed(at: 2)), ("\"a\\n\u{1}\"", .malformed(at: 4)),
    ])
    func `says what is wrong`(text: String, error: JSONError) {
        #expect(throws: error) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test(arguments: [
        (JSONError.malformed(at: 2), "no JSON from byte 2 on"), (.badText(at: 3), "a text is broken at byte 3"),
        (.tooDeep, "nested too deeply"), (.tooMany, "too many values"),
        (.repeated("\u{1B}[2J"), "a name comes twice in an object"),
    ])
    func `says it in words for people, and nothing that the sender chose`(error: JSONError, words: String) {
        #expect("\(error)" == words && String(reflecting: error) == words)
    }

    @Test(arguments: ["\"\u{E9}\"", "\"\u{E9}\\n\"", "\"\\n\u{E9}\"", "\"\u{E9}\\n\u{E9}\""])
    func `has texts of UTF-8 alone`(text: String) {
        let cut = text.utf8.filter { $0 != 0xA9 }
        #expect(throws: JSONError.badText(at: 1)) { try JSONParser.parse(cut) }
        #expect(throws: Never.self) { try JSONParser.parse(Array(text.utf8)) }
    }
}
