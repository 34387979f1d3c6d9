import Primitives

/// A value of CBOR (RFC 8949), as far as authenticators use it.
package indirect enum CBORValue: Equatable, Sendable {
    /// A number that is not negative.
    case unsigned(UInt64)
    /// The value is -1 minus this number.
    case negative(UInt64)
    /// A byte string.
    case bytes([UInt8])
    /// A text in UTF-8.
    case text(String)
    /// Values in their order.
    case array([CBORValue])
    /// In the order in which they stand.
    case map([CBOREntry])
    /// True or false.
    case bool(Bool)
    /// No value.
    case null
}

/// A key and its value.
package struct CBOREntry: Equatable, Sendable {
    /// No two entries of a map have the same.
    package let key: CBORValue
    /// What it stands for.
    package let value: CBORValue

    /// An entry.
    package init(_ key: CBORValue, _ value: CBORValue) {
        self.key = key
        self.value = value
    }
}

extension CBORValue {
    /// The bytes of a byte string.
    package var asBytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The text of a text string.
    package var asText: String? { if case .text(let text) = self { text } else { nil } }

    /// The elements of an array.
    package var elements: [CBORValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The entries of a map.
    package var entries: [CBOREntry]? { if case .map(let entries) = self { entries } else { nil } }

    /// An integer, as far as the machine's own has room for it.
    package var asInteger: Int? {
        switch self {
        case .unsigned(let number): Int(exactly: number)
        case .negative(let number): Int(exactly: number).map { -1 - $0 }
        default: nil
        }
    }

    /// The value under a name in a map.
    package subscript(name: String) -> CBORValue? {
        entries?.first { $0.key.asText?.octets == name.octets }?.value
    }

    /// The value under a number in a map.
    package subscript(number: Int) -> CBORValue? { entries?.first { $0.key.asInteger == number }?.value }

    /// The value of an integer of the machine.
    package init(_ number: Int) {
        self = number < 0 ? .negative(UInt64(-1 - number)) : .unsigned(UInt64(number))
    }
}
