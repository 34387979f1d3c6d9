/// The method of a request, RFC 9110 section 9.
///
/// Method names are case-sensitive: `get` is `.other`. A method that no route here can have is `.other` too; what
/// it was is not kept.
package enum HTTPMethod: Sendable, Hashable {
    /// GET.
    case get
    /// HEAD.
    case head
    /// POST.
    case post
    /// PUT.
    case put
    /// PATCH.
    case patch
    /// DELETE.
    case delete
    /// OPTIONS.
    case options
    /// Any other method.
    case other

    /// The method with the given name.
    ///
    /// - Parameter name: A token, upper case for every method that is known.
    package init(_ name: Span<UInt8>) {
        self = HTTPMethod.known.first { name.isEqual(to: $0.text) } ?? .other
    }

    /// The name on the wire; `?` for `.other`.
    package var text: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other: "?"
        }
    }

    private static let known: [HTTPMethod] = [.get, .post, .head, .put, .patch, .delete, .options]
}
