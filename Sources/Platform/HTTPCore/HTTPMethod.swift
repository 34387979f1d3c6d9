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
        self =
            switch name.count {
            case 3 where name.isEqual(to: "GET"): .get
            case 3 where name.isEqual(to: "PUT"): .put
            case 4 where name.isEqual(to: "POST"): .post
            case 4 where name.isEqual(to: "HEAD"): .head
            case 5 where name.isEqual(to: "PATCH"): .patch
            case 6 where name.isEqual(to: "DELETE"): .delete
            case 7 where name.isEqual(to: "OPTIONS"): .options
            default: .other
            }
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
}
