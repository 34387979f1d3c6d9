/// Markup that is inserted as it stands; can only be written as a literal in the sources.
struct HTML: Sendable, ExpressibleByStringLiteral {
    /// The markup, UTF-8.
    let bytes: [UInt8]

    /// Takes markup from a literal.
    ///
    /// - Parameter value: A literal; a `StaticString` has no other origin, so no input can become markup.
    init(stringLiteral value: StaticString) {
        bytes = Array(value.description.utf8)
    }
}
