/// The name of a field, RFC 9110 section 5.1: a token, compared without regard to case.
package struct HTTPFieldName: Sendable {
    /// Lower case, one character at least.
    package let text: String
    /// How a field line of HTTP/1.1 starts: name, colon, blank.
    package let linePrefix: [UInt8]
    /// The known name this is, if it is one.
    let known: KnownFieldName?

    /// The name with the given text, or `nil` where it is no token.
    ///
    /// - Parameter text: Either case; a name that is not known goes out in lower case.
    package init?(_ text: String) {
        guard text.utf8Span.span.isToken else { return nil }
        let known = KnownFieldName.recognise(text.utf8Span.span)
        self.init(known?.rawValue ?? text.lowercased(), known: known)
    }

    init(_ known: KnownFieldName) {
        self.init(known.rawValue, known: known)
    }

    private init(_ spelling: String, known: KnownFieldName?) {
        text = spelling.lowercased()
        linePrefix = Array((spelling + ": ").utf8)
        self.known = known
    }

    /// Whether the server writes this field itself, so that a handler's own is dropped.
    package var belongsToServer: Bool {
        known?.belongsToServer ?? false
    }
}

extension HTTPFieldName: Hashable, CustomStringConvertible {
    package static func == (left: HTTPFieldName, right: HTTPFieldName) -> Bool {
        left.text == right.text
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }

    package var description: String { text }
}
