import Primitives
package import StrictJSON

/// The shape of a JSON value, as the description of the interface has it.
package indirect enum Schema: Sendable, Hashable {
    /// A text of so many characters.
    case text(ClosedRange<Int>)
    /// A text of so many characters that `PrintableText` takes; without any, one of which it may keep nothing.
    case printable(ClosedRange<Int>)
    /// The same as a parameter of a query, with a character at least.
    case printableParameter(ClosedRange<Int>)
    /// A text of so many characters that `PrintableText.isVisible` takes: it names something.
    case visible(ClosedRange<Int>)
    /// A text that a regular expression describes; with a length where that does not.
    case matching(String, upTo: Int? = nil)
    /// One of some words.
    case word([String])
    /// A whole number within bounds.
    case integer(ClosedRange<Int>)
    /// One of some whole numbers.
    case number([Int])
    /// `true` or `false`.
    case flag
    /// A time of RFC 3339 in UTC.
    case time
    /// An https address; of a request, so that it is written as `CallbackOrigin` reads it.
    case address
    /// An object of values of one shape under names of another, which the sender chooses, so many at most; some names it cannot have.
    case map(names: Schema, values: Schema, atMost: Int, without: [String] = [])
    /// A list of so many.
    case list(Schema, ClosedRange<Int>)
    /// An object with these members; in a request it has no others.
    case object([SchemaMember])
    /// The same, as one of several sorts, which exclude each other.
    case sorts([SchemaMember], [[SchemaRule]])
    /// One of some shapes.
    case either([Schema])
    /// The shape or `null`.
    case nullable(Schema)
    /// A shape that has a name of its own.
    case named(NamedSchema)
    /// Any value.
    case any

    /// An object of printable texts under names of the sender's choice, so many at most.
    package static func texts(_ count: Int) -> Schema {
        .map(names: .printable(1...40), values: .printable(0...255), atMost: count)
    }

    /// The shape in the words of JSON Schema 2020-12, as OpenAPI 3.1 has it.
    ///
    /// - Parameter isOpen: Whether objects may have members that nobody knows yet: those of answers, which grow.
    package func json(isOpen: Bool) -> JSONValue {
        switch self {
        case .text(let length): return Schema.text(length)
        case .word(let words): return ["type": "string", "enum": .array(words.map { .string($0) })]
        case .integer(let bounds):
            return [
                "type": "integer", "minimum": JSONValue(bounds.lowerBound), "maximum": JSONValue(bounds.upperBound),
            ]
        case .number(let numbers): return ["type": "integer", "enum": .array(numbers.map { JSONValue($0) })]
        case .printable(let length):
            return Schema.text(length, pattern: SchemaPattern.printable(orEmpty: length.lowerBound == 0))
        case .printableParameter(let length): return Schema.text(length, pattern: SchemaPattern.printableParameter)
        case .visible(let length): return Schema.text(length, pattern: SchemaPattern.visible)
        case .matching(let pattern, let length):
            let bound = length.map { [JSONMember("maxLength", JSONValue($0))] } ?? []
            return .object([JSONMember("type", "string")] + bound + [JSONMember("pattern", .string(pattern))])
        case .flag: return ["type": "boolean"]
        case .any: return [:]
        case .time: return ["type": "string", "format": "date-time"]
        case .address:
            guard !isOpen else { return ["type": "string", "format": "uri", "pattern": "^https://"] }
            return ["type": "string", "maxLength": 2_048, "pattern": .string(SchemaPattern.address)]
        case .map(let names, let values, let count, let others):
            let never: [JSONMember] = others.map { JSONMember($0, ["not": [:]]) }
            return .object(
                [JSONMember("type", "object"), JSONMember("maxProperties", JSONValue(count))]
                    + (never.isEmpty ? [] : [JSONMember("properties", .object(never))]) + [
                        JSONMember("propertyNames", names.json(isOpen: isOpen)),
                        JSONMember("additionalProperties", values.json(isOpen: isOpen)),
                    ]
            )
        case .list(let element, let count):
            return [
                "type": "array", "items": element.json(isOpen: isOpen), "minItems": JSONValue(count.lowerBound),
                "maxItems": JSONValue(count.upperBound),
            ]
        case .object(let members): return Schema.object(members, isOpen: isOpen)
        case .sorts(let members, let sorts):
            let object = Schema.object(members, isOpen: isOpen)
            return .object(object.members + [JSONMember("oneOf", .array(sorts.map(SchemaRule.json)))])
        // Of open objects more than one may fit.
        case .either(let shapes): return [isOpen ? "anyOf" : "oneOf": .array(shapes.map { $0.json(isOpen: isOpen) })]
        case .nullable(let shape): return ["oneOf": [shape.json(isOpen: isOpen), ["type": "null"]]]
        case .named(let schema):
            return ["$ref": .string("#/components/schemas/" + (isOpen ? schema.name : schema.nameInRequests))]
        }
    }

    private static func text(_ length: ClosedRange<Int>, pattern: String? = nil) -> JSONValue {
        .object(
            [
                JSONMember("type", "string"), JSONMember("minLength", JSONValue(length.lowerBound)),
                JSONMember("maxLength", JSONValue(length.upperBound)),
            ] + (pattern.map { [JSONMember("pattern", .string($0))] } ?? [])
        )
    }

    private static func object(_ members: [SchemaMember], isOpen: Bool) -> JSONValue {
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        var value: [JSONMember] = [JSONMember("type", "object")]
        if !required.isEmpty { value.append(JSONMember("required", .array(required))) }
        value.append(JSONMember("properties", .object(members.map { JSONMember($0.name, $0.json(isOpen: isOpen)) })))
        if !isOpen { value.append(JSONMember("additionalProperties", false)) }
        return .object(value)
    }
}

/// A member of an object.
package struct SchemaMember: Sendable, Hashable {
    let name: String
    let shape: Schema
    let meaning: String
    let isRequired: Bool

    /// A member that has to be there.
    ///
    /// - Parameters:
    ///   - meaning: For people; may be empty.
    package static func required(_ name: String, _ shape: Schema, _ meaning: String = "") -> SchemaMember {
        SchemaMember(name: name, shape: shape, meaning: meaning, isRequired: true)
    }

    /// A member that may be absent.
    ///
    /// - Parameters:
    ///   - meaning: For people; may be empty.
    package static func optional(_ name: String, _ shape: Schema, _ meaning: String = "") -> SchemaMember {
        SchemaMember(name: name, shape: shape, meaning: meaning, isRequired: false)
    }

    fileprivate func json(isOpen: Bool) -> JSONValue {
        // In a request `null` is as good as absent.
        let shape = isOpen || isRequired ? shape : .nullable(shape)
        let json = shape.json(isOpen: isOpen)
        guard !meaning.isEmpty, case .object(var members) = json else { return json }
        members.append(JSONMember("description", .string(meaning)))
        return .object(members)
    }
}

/// What holds for a member of an object of one sort.
package enum SchemaRule: Sendable, Hashable {
    /// It is one of these words.
    case word(String, [String])
    /// It is there.
    case present(String)
    /// It is absent, or `null`.
    case absent(String)
    /// It is an object for which this holds.
    case inside(String, [SchemaRule])
    /// It is a list for each element of which this holds.
    case each(String, [SchemaRule])
    /// It is `true`.
    case yes(String)
    /// It is `false`, absent or `null`.
    case no(String)
    /// It is `false`.
    case isFalse(String)
    /// It is `true`, absent or `null`.
    case isNotFalse(String)

    /// One sort of an object, in the words of JSON Schema.
    static func json(_ rules: [SchemaRule]) -> JSONValue {
        var required: [JSONValue] = []
        var properties: [JSONMember] = []
        var (present, absent): ([String], [String]) = ([], [])
        var inner: [(name: String, rules: [SchemaRule])] = []
        for rule in rules {
            switch rule {
            case .word(let name, let words):
                required.append(.string(name))
                properties.append(JSONMember(name, ["enum": .array(words.map { .string($0) })]))
            case .present(let name):
                required.append(.string(name))
                present.append(name)
            case .absent(let name):
                absent.append(name)
                properties.append(JSONMember(name, ["type": "null"]))
            case .yes(let name):
                required.append(.string(name))
                properties.append(JSONMember(name, ["const": true]))
            case .no(let name): properties.append(JSONMember(name, ["enum": [false, .null]]))
            case .isFalse(let name):
                required.append(.string(name))
                properties.append(JSONMember(name, ["const": false]))
            case .isNotFalse(let name): properties.append(JSONMember(name, ["enum": [true, .null]]))
            case .each(let name, let rules): properties.append(JSONMember(name, ["items": json(rules)]))
            case .inside(let name, let rules):
                // Two rules about one member are one schema: a name comes once.
                if let index = inner.firstIndex(where: { $0.name.octets == name.octets }) {
                    inner[index].rules += rules
                } else {
                    inner.append((name, rules))
                }
            }
        }
        for name in present where !inner.contains(where: { $0.name.octets == name.octets }) {
            properties.append(JSONMember(name, ["not": ["type": "null"]]))
        }
        // Nothing is to be said about what a member that is absent has in it.
        for (name, rules) in inner where !absent.contains(where: { $0.octets == name.octets }) {
            // Where it may be absent the rules are about objects alone, and `null` is as good as absent.
            let isPresent = present.contains { $0.octets == name.octets }
            properties.append(
                JSONMember(name, .object(json(rules).members + (isPresent ? [JSONMember("type", "object")] : [])))
            )
        }
        var members = [JSONMember("properties", .object(properties))]
        if !required.isEmpty { members.append(JSONMember("required", .array(required))) }
        return .object(members)
    }
}

/// A shape that several routes share, under a name of its own.
package struct NamedSchema: Sendable, Hashable {
    /// Upper camel case.
    package let name: String
    /// The shape.
    package let shape: Schema
    /// Whether it is in requests, which have no further members, and in answers, which may.
    let isInBoth: Bool

    /// A shape with a name in upper camel case, which only it has.
    package init(_ name: String, _ shape: Schema, isInBoth: Bool = false) {
        self.name = name
        self.shape = shape
        self.isInBoth = isInBoth
    }

    /// The name of the shape as a request has it.
    var nameInRequests: String { isInBoth ? name + "Input" : name }
}
