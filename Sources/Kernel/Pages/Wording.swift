/// One text of a language table, escaped once when the table is made.
package struct Wording: Sendable, ExpressibleByStringLiteral {
    /// As it is read.
    package let plain: String
    /// As it stands in a document, UTF-8.
    let escaped: [UInt8]

    /// Takes a text from a literal.
    package init(stringLiteral value: String) {
        self.init(value)
    }

    /// Takes a text from the settings.
    package init(_ plain: String) {
        self.plain = plain
        var writer = HTMLWriter()
        writer.text(plain)
        escaped = writer.bytes
    }
}
