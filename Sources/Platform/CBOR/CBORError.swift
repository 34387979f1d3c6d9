/// Why bytes are no CBOR, or none that is read here.
package enum CBORError: String, Error, Sendable, CaseIterable {
    /// The bytes end inside a value, or a length reaches past their end.
    case cut
    /// Bytes behind the value.
    case trailing
    /// More bytes than the limit.
    case tooLarge = "too_large"
    /// Values deeper inside each other than the limit.
    case tooDeep = "too_deep"
    /// More values than the limit.
    case tooMany = "too_many"
    /// A reserved length, a break outside an indefinite length, or a string in pieces of another kind.
    case form
    /// A text that is no UTF-8.
    case text
    /// A floating-point number, a tag, or a simple value that is neither a truth value nor null.
    case unsupported
    /// A key that is neither an integer nor a string.
    case key
    /// A key twice in one map.
    case duplicate
}

/// How much is read before bytes are refused.
package struct CBORLimits: Sendable {
    /// Of all bytes.
    package let bytes: Int
    /// Of arrays and maps inside each other; a value outside all of them has depth 1.
    package let depth: Int
    /// Of values, keys and those inside others among them.
    package let values: Int

    /// Limits; the usual ones are far above what an authenticator sends.
    package init(bytes: Int = 1 << 16, depth: Int = 8, values: Int = 1_024) {
        self.bytes = bytes
        self.depth = depth
        self.values = values
    }
}
