import Primitives

/// A URL in its one plain spelling; text that a browser might read differently is refused.
enum StrictURL {
    /// The URL in a text, or `nil`.
    ///
    /// - Parameter text: At most 2,048 bytes, without quotes, brackets, braces and bars outside the host; a path comes before a
    ///   query.
    static func read(_ text: String) -> HTTPURL? {
        guard text.utf8.count <= 2048, !text.utf8.contains(where: refused.contains), let url = HTTPURL(text),
            url.isPlain, url.rest.isEmpty || url.rest.hasPrefix("/")
        else { return nil }
        return url
    }

    private static let refused = Array("\"'<>^`{|}".utf8)
}
