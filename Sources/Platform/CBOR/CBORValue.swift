/// A value of CBOR (RFC 8949), as far as authenticators use it.
package indirect enum CBORValue: Equatable, Sendable {
    case unsigned(UInt64)
    /// The value is -1 minus this number.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// In the order in which they stand.
    case map([CBOREntry])
    case bool(Bool)
    case null
}

/// A key and its value.
package struct CBOREntry: Equatable, Sendable {
    /// No two entries of a map have the same.
    package let key: CBORValue
    package let value: CBORValue

    package init(_ key: CBORValue, _ value: CBORValue) {
        self.key = key
        self.value = value
    }
}
