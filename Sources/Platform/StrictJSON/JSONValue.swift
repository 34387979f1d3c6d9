import Primitives

/// A JSON value that keeps the order of its members and the digits of its numbers, RFC 8259.
package enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number in the digits it was written with.
    case number(String)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members in the order they were written; no name occurs twice in one that was parsed.
    case object([JSONMember])
}

/// One member of a JSON object.
package struct JSONMember: Sendable {
    /// The name, escapes undone.
    package let name: String
    /// The value.
    package var value: JSONValue

    /// The given member.
    package init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

// By octets, as everything that comes from outside.
extension JSONValue: Equatable {
    package static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)), (.string(let one), .string(let other)): one.octets == other.octets
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }
}

extension JSONMember: Equatable {
    package static func == (one: JSONMember, other: JSONMember) -> Bool {
        one.name.octets == other.name.octets && one.value == other.value
    }
}

extension JSONValue {
    /// A text, or `null` where there is none.
    package init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }

    /// A whole number.
    package init(_ number: Int) {
        self = .number(String(number))
    }

    /// The value of a member; `nil` where it is absent or `null`, and in anything but an object.
    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        guard let value = members.first(where: { $0.name.octets == name.octets })?.value else { return nil }
        if case .null = value { return nil }
        return value
    }

    /// The text, or `nil` for anything else.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The truth value, or `nil` for anything else.
    package var flag: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    /// The whole number, or `nil` for anything else, a fraction or an exponent among it.
    package var integer: Int? {
        if case .number(let digits) = self { Int(digits) } else { nil }
    }

    /// The elements; none for anything but a list.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The members; none for anything but an object.
    package var members: [JSONMember] {
        if case .object(let members) = self { members } else { [] }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }

    package init(booleanLiteral value: Bool) { self = .bool(value) }

    package init(integerLiteral value: Int) { self.init(value) }

    package init(nilLiteral: ()) { self = .null }

    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { JSONMember($0.0, $0.1) })
    }
}
