/// Distinguishes the path of a file from the content of one: a path that leads to nothing is printed, and a key must not be.
package enum PathText {
    /// Whether a text is what stands in a file rather than its path: PEM, lines, or the long word of a key without its frame.
    package static func isContent(_ text: String) -> Bool {
        text.contains("-----BEGIN") || text.contains(where: \.isNewline)
            || (text.hasPrefix("MII") && text.utf8.count > 255)
    }
}
