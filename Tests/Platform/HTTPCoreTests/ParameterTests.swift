import HTTPCore
import Testing

@Suite("Form and query parameters")
struct ParameterTests {
    private func parse(_ text: String) throws(HTTPParameterError) -> HTTPParameters {
        try HTTPParameters(Array(text.utf8).span)
    }

    @Test(arguments: [
        ("a=1", "1"), ("a=", ""), ("a", ""), ("a=b=c", "b=c"), ("a=x+y", "x y"), ("a=%2B", "+"), ("a=%e3%81%82", "あ"),
        ("a=%E3%81%82", "あ"), ("a=あ", "あ"), ("%61=1", "1"), ("&&a=1&", "1"), ("b=2&a=1&A=3", "1"), ("a=%26%3D", "&="),
        ("a=%09", "\t"), ("a=Atza|x", "Atza|x"),
    ])
    func `a value is decoded`(text: String, value: String) throws {
        #expect(try parse(text).value("a") == value)
    }

    @Test func `an absent parameter has no value`() throws {
        #expect(try parse("").value("a") == nil)
        #expect(try parse("b=a").value("a") == nil)
        #expect(try parse("").names.isEmpty)
    }

    @Test(arguments: [
        "a=%", "a=%4", "a=%4g", "a=%g4", "a=%%41", "%=1", "a=%00", "a=%0d", "a=%0A", "a=\r", "a=\n", "a=\0", "a=%7F",
        "a=%1b", "a=%ff", "a=%c3", "a=%c0%80", "a=%ed%a0%80", "a=%e3%81&b=%82", "%e3=%81%82", "a=+%2",
    ])
    func `malformed text is refused`(text: String) {
        #expect(throws: HTTPParameterError.malformed) { try parse(text) }
    }

    @Test func `a repeated parameter is an error when it is asked for`() throws {
        let parameters = try parse("a=1&b=2&%61=1")
        #expect(throws: HTTPParameterError.repeated) { try parameters.value("a") }
        #expect(try parameters.value("b") == "2")
        #expect(parameters.names == ["a", "b", "a"])
    }

    @Test func `strangers and repeated names are found without a look at the values`() throws {
        let parameters = try parse("a=1&b=2&%61%62=3")
        #expect(parameters.firstName(otherThan: ["b", "a", "ab"]) == nil)
        #expect(parameters.firstName(otherThan: ["a", "B", "ab"]) == "b")
        #expect(!parameters.hasRepeatedName)
        #expect(try parse("a=1&b=2&%61=1").hasRepeatedName)
        #expect(try !parse("").hasRepeatedName)
    }

    @Test func `sixty-four parameters are accepted and one more is not`() throws {
        let many = (0..<64).map { "p\($0)=1" }.joined(separator: "&")
        #expect(try parse(many).count == 64)
        #expect(throws: HTTPParameterError.tooMany) { try parse(many + "&q") }
    }
}
