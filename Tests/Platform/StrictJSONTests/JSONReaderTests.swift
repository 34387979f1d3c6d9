import StrictJSON
import Testing

@Suite("A reader of a JSON object")
struct JSONReaderTests {
    private static func reader(_ text: String) throws -> JSONReader {
        try JSONReader(try JSONParser.parse(Array(text.utf8)))
    }

    @Test func `gives each member by its name and type`() throws {
        var reader = try Self.reader(#"{"t":"x","n":7,"f":false,"o":{"a":""},"l":[{"i":1},{"i":2}],"m":{"k":"v"}}"#)
        #expect(try reader.text("t") == "x")
        #expect(try reader.integer("n") == 7)
        #expect(try reader.optionalFlag("f") == false)
        var object = try reader.object("o")
        #expect(try object.text("a") == "")
        try object.end()
        #expect(try reader.objects("l").map { try read($0) } == [1, 2])
        let texts = try reader.texts("m")
        #expect(texts.map(\.name) == ["k"])
        #expect(texts.map(\.text) == ["v"])
        try reader.end()
    }

    private func read(_ reader: JSONReader) throws -> Int {
        var reader = reader
        let number = try reader.integer("i")
        try reader.end()
        return number
    }

    @Test func `takes null for absent`() throws {
        var reader = try Self.reader(#"{"t":null,"n":null,"f":null,"o":null,"m":null}"#)
        #expect(try reader.optionalText("t") == nil)
        #expect(try reader.optionalInteger("n") == nil)
        #expect(try reader.optionalFlag("f") == nil)
        #expect(try reader.optionalObject("o") == nil)
        #expect(try reader.texts("m").isEmpty)
        #expect(try reader.optionalText("other") == nil)
        try reader.end()
    }

    @Test func `refuses what nobody asked for, by its whole path`() throws {
        var reader = try Self.reader(#"{"lines":[{"id":"a"},{"id":"b","colour":null}]}"#)
        var second = try reader.objects("lines")[1]
        _ = try second.text("id")
        #expect(throws: JSONRefusal("lines[1].colour", .unknown)) { try second.end() }
    }

    @Test func `refuses other types and absent members`() throws {
        var reader = try Self.reader(#"{"t":1,"n":"1","f":0,"o":[],"l":{},"e":[1],"m":{"k":2},"d":1.5}"#)
        #expect(throws: JSONRefusal("t", .notA("a text"))) { try reader.text("t") }
        #expect(throws: JSONRefusal("n", .notA("a whole number"))) { try reader.integer("n") }
        #expect(throws: JSONRefusal("d", .notA("a whole number"))) { try reader.optionalInteger("d") }
        #expect(throws: JSONRefusal("f", .notA("true or false"))) { try reader.optionalFlag("f") }
        #expect(throws: JSONRefusal("o", .notA("an object"))) { try reader.object("o") }
        #expect(throws: JSONRefusal("l", .notA("a list"))) { try reader.objects("l") }
        #expect(throws: JSONRefusal("e[0]", .notA("an object"))) { try reader.objects("e") }
        #expect(throws: JSONRefusal("m.k", .notA("a text"))) { try reader.texts("m") }
        #expect(throws: JSONRefusal("x", .missing)) { try reader.text("x") }
        #expect(throws: JSONRefusal("x", .missing)) { try reader.integer("x") }
        #expect(throws: JSONRefusal("x", .missing)) { try reader.object("x") }
        #expect(throws: JSONRefusal("x", .missing)) { try reader.objects("x") }
        #expect(throws: JSONRefusal("", .notA("an object"))) { try JSONReader(.array([])) }
    }

    @Test(arguments: [
        (JSONRefusal("a.b", .missing), "a.b is missing"),
        (JSONRefusal("", .notA("an object")), "the value is not an object"),
        (JSONRefusal("z", .unknown), "z is not known"),
    ])
    func `says what is wrong in words`(refusal: JSONRefusal, text: String) {
        #expect(refusal.description == text)
    }
}
