/// What is wrong with the cookies of a request.
package enum HTTPCookieError: Error, Sendable, Hashable {
    /// Two cookies have the name: somebody, perhaps a sibling domain, has planted one of them.
    case repeated
}

/// The cookies of a request, RFC 6265 section 5.4; names are case-sensitive.
///
/// Several Cookie fields count as one, which is also how HTTP/2 splits them. Cookies of other software may look like
/// anything, so nothing here refuses a request but a repeated name that somebody asks for. Reads the request in
/// place; not to be kept past its response.
package struct HTTPCookies {
    private let request: HTTPRequest

    /// The cookies of a request.
    ///
    /// - Parameter request: Not changed while this is in use.
    package init(_ request: HTTPRequest) {
        self.request = request
    }

    /// The value of a cookie, or `nil` where it is absent.
    ///
    /// - Parameter name: Compared byte by byte: `__host-x` is another cookie than `__Host-x`.
    /// - Returns: As it came, quotation marks included, which no browser adds; what is not UTF-8 becomes U+FFFD.
    /// - Throws: `repeated` where two cookies have the name, in one field or in several, whatever their values.
    package func value(_ name: String) throws(HTTPCookieError) -> String? {
        var found: String?
        _ = try read(name) { found = $0.text }
        return found
    }

    /// Looks at the value of a cookie without making a text of it.
    ///
    /// - Parameters:
    ///   - name: Compared byte by byte.
    ///   - body: Gets the value as it came; called once, or not at all.
    /// - Returns: Whether there is such a cookie.
    /// - Throws: `repeated` where two cookies have the name; the body may have seen the first then.
    package func read(_ name: String, _ body: (Span<UInt8>) -> Void) throws(HTTPCookieError) -> Bool {
        var count = 0
        request.forEachValue(.cookie) { field in
            HTTPCookies.forEachPair(field) { pairName, value in
                guard pairName.isEqual(to: name.utf8Span.span) else { return }
                count += 1
                if count == 1 { body(value) }
            }
        }
        guard count <= 1 else { throw .repeated }
        return count == 1
    }

    /// The names in the order in which they came; a repeated one is there as often as it came.
    package var names: [String] {
        var names: [String] = []
        request.forEachValue(.cookie) { field in
            HTTPCookies.forEachPair(field) { name, _ in names.append(name.text) }
        }
        return names
    }

    private static func forEachPair(_ field: Span<UInt8>, _ body: (Span<UInt8>, Span<UInt8>) -> Void) {
        var start = 0
        while start < field.count {
            var end = start
            var equals: Int?
            while end < field.count, field[end] != UInt8(ascii: ";") {
                if equals == nil, field[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            if let equals {
                let name = field.extracting(start..<equals)
                let value = field.extracting((equals + 1)..<end)
                body(name.extracting(name.trimmedRange()), value.extracting(value.trimmedRange()))
            }
            start = end + 1
        }
    }
}
