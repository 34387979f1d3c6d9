import Foundation
import Merchant
import MerchantAPI
import Primitives
import ServiceAPI
import StrictJSON
import Testing

/// The description as it is served, of all routes.
@Suite struct `An example answer of the description` {
    private static let document = OpenAPIDocument([
        DescribedRoutes(
            MerchantPart.serviceRoutes.map(\.description),
            .ofMerchants(claims: UUIDBytes(high: 0, low: 0), events: [])
        )
    ]).json(server: "https://pay.example.com", version: "1")

    /// An answer of an operation that has content.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: String
        let content: JSONValue
    }

    private static let answers: [Answer] = (document["paths"]?.members ?? []).flatMap { path in
        path.value.members.flatMap { operation in
            (operation.value["responses"]?.members ?? []).compactMap { response in
                response.value["content"]?.members.first.map {
                    Answer(
                        testDescription: "\(operation.name) \(path.name) \(response.name) \($0.name)",
                        status: response.name,
                        content: $0.value
                    )
                }
            }
        }
    }

    @Test func `is there for each status of each operation`() {
        for path in Self.document["paths"]?.members ?? [] {
            for operation in path.value.members {
                for response in operation.value["responses"]?.members ?? [] where response.name != "304" {
                    let content = response.value["content"]?.members ?? []
                    #expect(content.count == 1, "\(operation.name) \(path.name) \(response.name)")
                    #expect(content.first?.value["examples"]?.members.isEmpty == false, "\(path.name) \(response.name)")
                }
            }
        }
        #expect(Self.answers.count > 150)
    }

    @Test(arguments: answers)
    func `has the shape of its answer, and no member beside it`(answer: Answer) throws {
        let shape = try #require(answer.content["schema"])
        let reader = SchemaReader(document: Self.document)
        for reference in answer.content["examples"]?.members ?? [] {
            let name = try #require(reference.value["$ref"]?.text)
            let example = try #require(reader.find(name)?["value"])
            #expect(reader.problems(of: example, shape, "") == [], "\(reference.name)")
            guard answer.status >= "400" else { continue }
            #expect(example["status"]?.integer.map { "\($0)" } == answer.status, "\(reference.name)")
        }
    }

    @Test(arguments: [
        (#"{"type":"string","maxLength":2}"#, #""abc""#), (#"{"type":"integer","maximum":2}"#, "3"),
        (#"{"type":"object","required":["a"],"properties":{}}"#, "{}"),
        (#"{"type":"object","properties":{}}"#, #"{"b":1}"#),
        (#"{"type":"array","items":{"type":"boolean"},"minItems":0,"maxItems":9}"#, "[1]"),
        (#"{"enum":["a"]}"#, #""b""#),
        (#"{"oneOf":[{"type":"string"},{"type":"null"}]}"#, "1"), (#"{"type":"string","pattern":"^a$"}"#, #""b""#),
        (#"{"type":"string","format":"date-time"}"#, #""yesterday""#),
    ])
    func `of another shape would be found`(shape: String, value: String) throws {
        let reader = SchemaReader(document: Self.document)
        let (shape, value) = (try JSONParser.parse(Array(shape.utf8)), try JSONParser.parse(Array(value.utf8)))
        #expect(reader.problems(of: value, shape, "").count == 1)
    }
}

/// Holds values to schemas in the words that the description uses, and to no other members than those it names.
private struct SchemaReader {
    let document: JSONValue

    func find(_ reference: String) -> JSONValue? {
        reference.split(separator: "/").dropFirst().reduce(document as JSONValue?) { $0?[String($1)] }
    }

    func problems(of value: JSONValue, _ shape: JSONValue, _ place: String) -> [String] {
        if let reference = shape["$ref"]?.text {
            guard let named = find(reference) else { return ["\(place): no \(reference)"] }
            return problems(of: value, named, place)
        }
        if let choices = shape["oneOf"] ?? shape["anyOf"] {
            let found = choices.elements.map { problems(of: value, $0, place) }
            return found.contains([]) ? [] : [found.map { "\($0)" }.joined(separator: " and ")]
        }
        if let words = shape["enum"] { return words.elements.contains(value) ? [] : ["\(place): \(value)"] }
        switch (shape["type"]?.text, value) {
        case ("null", .null), ("boolean", .bool): return []
        case ("string", .string(let text)): return isGood(text, shape) ? [] : ["\(place): \(text)"]
        case ("integer", .number):
            guard let number = value.integer else { return ["\(place): \(value)"] }
            let isGood = number >= shape["minimum"]?.integer ?? .min && number <= shape["maximum"]?.integer ?? .max
            return isGood ? [] : ["\(place): \(value)"]
        case ("array", .array(let elements)):
            let counts = (shape["minItems"]?.integer ?? 0)...(shape["maxItems"]?.integer ?? 0)
            let inner = elements.enumerated().flatMap { problems(of: $1, shape["items"] ?? .null, "\(place)[\($0)]") }
            return (counts.contains(elements.count) ? [] : ["\(place): \(elements.count) elements"]) + inner
        case ("object", .object(let members)): return problems(of: members, shape, place)
        default: return ["\(place): \(value) is no \(shape)"]
        }
    }

    private func problems(of members: [JSONMember], _ shape: JSONValue, _ place: String) -> [String] {
        let missing = (shape["required"]?.elements ?? []).compactMap(\.text)
            .filter { name in !members.contains { $0.name == name } }
            .map { "\(place): no \($0)" }
        return missing
            + members.flatMap { member in
                let inner = shape["properties"]?[member.name] ?? shape["additionalProperties"]
                return inner.map { problems(of: member.value, $0, "\(place).\(member.name)") }
                    ?? ["\(place): \(member.name) is not described"]
            }
    }

    private func isGood(_ text: String, _ shape: JSONValue) -> Bool {
        if let most = shape["maxLength"]?.integer, text.unicodeScalars.count > most { return false }
        if let least = shape["minLength"]?.integer, text.unicodeScalars.count < least { return false }
        let pattern = shape["format"]?.text == "date-time" ? "^[0-9-]{10}T[0-9:]{8}Z$" : shape["pattern"]?.text
        return pattern.map { text.range(of: $0, options: .regularExpression) != nil } ?? true
    }
}
