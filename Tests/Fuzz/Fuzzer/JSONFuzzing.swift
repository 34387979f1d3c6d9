import StrictJSON

@testable import Checkout

/// JSON of anybody: the strict parser, the reader of members, and the reports of browsers, which are read without a parser.
///
/// Both readers take the same texts and write them the same way.
let jsonTarget = FuzzTarget(
    name: "json",
    examine: { unit in
        let expected = JSONGrammar.canonical(unit)
        let value = try? JSONParser.parse(unit)
        check((value == nil) == (expected == nil), "both readers take the same JSON: \(shown(unit))")
        if let value, let expected {
            check(value.bytes == expected, "both readers write the same JSON")
            check((try? JSONParser.parse(expected))?.bytes == expected, "JSON survives a round trip")
            check(
                (try? JSONParser.parse(Array(value.indented.utf8)))?.bytes == expected,
                "lines for people say the same"
            )
            readMembers(value)
        }
        examineReport(unit)
    },
    read: { unit in
        if let value = try? JSONParser.parse(unit) {
            readMembers(value)
            _ = value.bytes
        }
        _ = PolicyReport(unit)
    }
)

/// Takes members of every type, as the readers of messages do.
private func readMembers(_ value: JSONValue) {
    guard var reader = try? JSONReader(value) else { return }
    for name in ["a", "b", "c", "Type", "amount"] {
        var copy = reader
        _ = try? copy.optionalText(name)
        copy = reader
        _ = try? copy.optionalInteger(name)
        copy = reader
        _ = try? copy.texts(name)
        copy = reader
        for var object in (try? copy.optionalObjects(name)) ?? [] { _ = object.value("id") }
    }
    _ = reader.value("a")
    do throws(JSONRefusal) { try reader.end() } catch { _ = error.description.utf8.count }
}

/// Whatever a report says, what is logged of it has the form of such words.
private func examineReport(_ unit: [UInt8]) {
    let report = PolicyReport(unit)
    let directive = Array(report.directive.utf8)
    check(
        directive.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) } && (1...40).contains(directive.count),
        "a directive is a short word"
    )
    let source = Array(report.source.utf8)
    let isWord = source.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) }
    let origin = AddressGrammar.url(source)
    check(isWord || origin?.rest.isEmpty == true, "a source is a word or an origin: \(shown(source))")
    check(source.count <= 120, "a source is short")
}
