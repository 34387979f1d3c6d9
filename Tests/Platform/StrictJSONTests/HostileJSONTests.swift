import Primitives
import StrictJSON
import TestKit
import Testing

/// More than anybody may post who is not known; a merchant may send six times as much.
private let size = 32_768

@Suite("JSON with hostile text")
struct HostileJSONTests {
    @Test func `has names by their octets`() throws {
        let text = "{\"caf\u{E9}\":1,\"cafe\u{301}\":2}"
        let value = try JSONParser.parse(Array(text.utf8))
        #expect(value["caf\u{E9}"]?.integer == 1 && value["cafe\u{301}"]?.integer == 2)
        var reader = try JSONReader(value)
        #expect(try reader.integer("cafe\u{301}") == 2 && reader.integer("caf\u{E9}") == 1)
        try reader.end()
        #expect(throws: JSONError.repeated("\u{E9}")) {
            try JSONParser.parse(Array("{\"\u{E9}\":1,\"\\u00e9\":2}".utf8))
        }
        #expect(JSONValue.string("\u{E9}") != JSONValue.string("e\u{301}"))
    }

    @Test(arguments: Place.allCases)
    func `costs no more than its octets to read`(place: Place) throws {
        let texts = [size, 2 * size].map { (size: $0, text: Array(place.text($0).utf8)) }
        let growth = try Growth.of("\(place)", size: size) { size in
            try HostileJSONTests.read(texts.first { $0.size == size }?.text ?? [])
        }
        #expect(growth.isLinear, "\(growth)")
    }

    /// Looks at everything in every way that there is.
    private static func read(_ text: [UInt8]) throws {
        let value: JSONValue
        do { value = try JSONParser.parse(text) } catch { return }
        #expect(value == value && value != ["a": 1])
        _ = value["a"]
        var reader = try JSONReader(value)
        let (found, others) = (try reader.optionalText("a"), try reader.texts("b"))
        #expect(found != nil || others.count <= 1)
        do { try reader.end() } catch { #expect(!error.path.isEmpty) }
        #expect(!value.description.isEmpty)
    }

    enum Place: CaseIterable {
        case name, escapedName, twoNames, sameName, nameInside, text, texts

        func text(_ size: Int) -> String {
            let marks = HostileText.marks(size)
            let half = HostileText.marks(size / 2)
            return switch self {
            case .name: "{\"\(marks)\":1}"
            case .escapedName:
                "{\"" + String(repeating: "\\u0300", count: size / 12) + String(repeating: "\\u0316", count: size / 12)
                    + "\":1}"
            case .twoNames: "{\"\(half)\":1,\"a\(half)\":2}"
            case .sameName: "{\"\(half)\":1,\"\(half)\":2}"
            case .nameInside: "{\"\(half)\":{\"\(half)\":[]}}"
            case .text: "{\"a\":\"\(marks)\"}"
            case .texts: "{\"b\":{\"\(half)\":\"\(half)\"}}"
            }
        }
    }
}
