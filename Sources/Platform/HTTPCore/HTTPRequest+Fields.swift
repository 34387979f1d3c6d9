// Looking fields up. One comparison of a byte per field of the request for a known name; RFC 9110 section 5.

extension HTTPRequest {
    /// The value of the first field of a name, or `nil` where there is none.
    ///
    /// - Returns: Without the blanks around it; what is not UTF-8 becomes U+FFFD.
    package func first(_ name: HTTPFieldName) -> String? {
        for field in storage.fields where isNamed(field, name) { return withBytes(field.value) { $0.text } }
        return nil
    }

    /// The values of all fields of a name in the order in which they came.
    ///
    /// - Returns: One element for each field line; lists inside a value are not taken apart.
    package func values(_ name: HTTPFieldName) -> [String] {
        var values: [String] = []
        forEachValue(name) { values.append($0.text) }
        return values
    }

    /// How many fields have a name.
    ///
    /// - Returns: Zero or more.
    package func count(_ name: HTTPFieldName) -> Int {
        var count = 0
        for field in storage.fields where isNamed(field, name) { count += 1 }
        return count
    }

    /// How many fields the request has.
    package var fieldCount: Int { storage.fields.count }

    /// Whether there is exactly one field of a name and it has the given value.
    ///
    /// - Parameters:
    ///   - literal: Compared byte by byte, case included.
    /// - Returns: False also where there are two.
    package func fieldIs(_ name: HTTPFieldName, _ literal: StaticString) -> Bool {
        guard let field = only(name) else { return false }
        return withBytes(field.value) { $0.isEqual(to: literal) }
    }

    /// Whether any field of a name lists a word, separated by commas or semicolons.
    ///
    /// - Parameters:
    ///   - name: Any name, for example `Connection` or `Sec-Purpose`.
    ///   - word: In lower case; compared without regard to case.
    /// - Returns: True where one of the parts is the word.
    package func fieldLists(_ name: HTTPFieldName, _ word: StaticString) -> Bool {
        for field in storage.fields where isNamed(field, name) {
            if withBytes(field.value, { $0.lists(word) }) { return true }
        }
        return false
    }

    /// Looks at the value of each field of a name without making a text of it.
    ///
    /// - Parameters:
    ///   - body: Called in the order in which the fields came.
    package func forEachValue(_ name: HTTPFieldName, _ body: (Span<UInt8>) -> Void) {
        for field in storage.fields where isNamed(field, name) { withBytes(field.value, body) }
    }

    /// The Host field, or HTTP/2's `:authority`; `nil` only in a request that no protocol has checked.
    package var host: String? { first(.host) }

    /// Whether the Host field is the given one.
    ///
    /// - Parameter host: Host and, where it is not the default, colon and port; compared without regard to case.
    /// - Returns: False also where there are two.
    package func hostIs(_ host: [UInt8]) -> Bool {
        guard let field = only(.host) else { return false }
        return withBytes(field.value) { $0.isEqualIgnoringCase(to: host.span) }
    }

    /// Whether the Host field names the same server as the given one, in whichever spelling.
    ///
    /// - Parameters:
    ///   - host: As `hostIs` has it.
    ///   - onAnyPort: Whether the name alone counts.
    /// - Returns: False also where there are two.
    package func hostNames(_ host: [UInt8], onAnyPort: Bool = false) -> Bool {
        guard let field = only(.host) else { return false }
        let isSecure = isSecure
        return withBytes(field.value) { value in
            if onAnyPort { return value.isSameName(as: host.span) }
            return value.isSameHost(as: host.span, isSecure: isSecure)
        }
    }

    /// Whether the Host field has the dot of the root behind its name.
    package var hasRootDot: Bool {
        guard let field = only(.host) else { return false }
        return withBytes(field.value) { $0.hasRootDot }
    }

    /// What stands behind the scheme `Bearer` in the only Authorization field, RFC 6750 section 2.1; `nil` for any other request.
    package var bearerToken: String? {
        guard let field = only(.authorization) else { return nil }
        return withBytes(field.value) { value in
            guard value.count > 7, value[6] == UInt8(ascii: " "),
                value.extracting(first: 6).isEqualIgnoringCase(to: "bearer")
            else { return nil }
            return value.extracting(7...).text
        }
    }

    /// Whether there is exactly one Content-Type and it names a media type, parameters aside.
    ///
    /// - Returns: False also where there are two.
    package func contentTypeIs(_ type: MediaType) -> Bool {
        guard let field = only(.contentType) else { return false }
        return withBytes(field.value) { type.matches($0) }
    }

    private func only(_ name: HTTPFieldName) -> FieldEntry? {
        var found: FieldEntry?
        for field in storage.fields where isNamed(field, name) {
            guard found == nil else { return nil }
            found = field
        }
        return found
    }

    private func isNamed(_ field: FieldEntry, _ name: HTTPFieldName) -> Bool {
        if let known = name.known { return field.known == known }
        guard field.known == nil else { return false }
        return withBytes(field.name) { $0.isEqual(to: name.text.utf8Span.span) }
    }
}
