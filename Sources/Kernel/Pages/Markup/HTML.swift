/// Markup that is inserted as it stands; can only be written as a literal in the sources.
package struct HTML: Sendable, ExpressibleByStringLiteral {
    /// The markup, UTF-8.
    let bytes: [UInt8]

    /// Markup of the sources: a `StaticString` has no other origin, so no input can become markup.
    package init(stringLiteral value: StaticString) {
        bytes = Array(value.description.utf8)
    }
}
