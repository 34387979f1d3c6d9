import Primitives

/// The name of a field, RFC 9110 section 5.1: a token, compared without regard to case.
package struct HTTPFieldName: Sendable {
    /// The known name this is, if it is one; such a name costs a byte and no reference.
    let known: KnownFieldName?
    private let custom: String?

    /// The name with the given text, or `nil` where it is no token.
    ///
    /// - Parameter text: Either case; a name that is not known goes out in lower case.
    package init?(_ text: String) {
        guard text.utf8Span.span.isToken else { return nil }
        known = KnownFieldIndex.shared.find(text.utf8Span.span)
        custom = known == nil ? text.octets.lowercase : nil
    }

    init(_ known: KnownFieldName) {
        self.known = known
        custom = nil
    }

    /// How the name goes out over HTTP/1.1: `Content-Type`, `ETag`, or lower case for a name that is not known.
    package var spelling: String {
        known?.rawValue ?? custom ?? ""
    }

    /// The name in lower case, as HTTP/2 wants it; one character at least.
    package var text: String {
        known?.rawValue.octets.lowercase ?? custom ?? ""
    }

    /// Whether the server writes this field itself, so that a handler's own is dropped.
    package var belongsToServer: Bool {
        known?.belongsToServer ?? false
    }
}

extension HTTPFieldName: Hashable, CustomStringConvertible {
    /// The name in lower case.
    package var description: String { text }
}
