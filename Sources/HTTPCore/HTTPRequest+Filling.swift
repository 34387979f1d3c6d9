// How a protocol fills a request. Handlers have no business here.

extension HTTPRequest {
    /// Notes where the parts of the target will lie in the head.
    ///
    /// - Parameters:
    ///   - path: Offsets into the head that is adopted later.
    ///   - query: Likewise, without the question mark; `nil` where there is none.
    package func noteTarget(path: Range<Int>, query: Range<Int>?) {
        pathPart = ByteRange(path)
        queryPart = query.map(ByteRange.init)
    }

    /// Notes where a field will lie in the head.
    ///
    /// - Parameters:
    ///   - name: Offsets of a token of either case.
    ///   - value: Offsets of the value without the blanks around it; no control character but the tab.
    ///   - head: What is known of the head so far; the offsets lie inside.
    /// - Returns: What the field is to the framing of the message.
    package func noteField(name: Range<Int>, value: Range<Int>, in head: Span<UInt8>) -> FramingField {
        let known = KnownFieldName.recognise(head.extracting(name))
        fields.append(FieldEntry(name: ByteRange(name), value: ByteRange(value), known: known))
        return FramingField(known)
    }

    /// Takes over the bytes that all noted offsets refer to, with one copy.
    ///
    /// - Parameter bytes: The whole head.
    package func adoptHead(_ bytes: Span<UInt8>) {
        head.append(bytes)
        for field in fields where field.known == nil {
            for index in checked(field.name) { head[index] = ByteText.lowercase(head[index]) }
        }
    }

    /// Appends a target in origin-form and splits it.
    ///
    /// - Parameter bytes: Path and query.
    /// - Returns: False where it does not begin with a slash or holds a character that no target may have.
    package func appendTarget(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 0, bytes[0] == UInt8(ascii: "/") else { return false }
        var question: Int?
        for index in bytes.indices {
            guard HTTPTarget.isAllowed(bytes[index], inQuery: question != nil) else { return false }
            if bytes[index] == UInt8(ascii: "?"), question == nil { question = index }
        }
        let start = head.count
        head.append(bytes)
        let end = start + (question ?? bytes.count)
        noteTarget(path: start..<end, query: question == nil ? nil : (end + 1)..<head.count)
        return true
    }

    /// Appends one field.
    ///
    /// - Parameters:
    ///   - name: A token; HTTP/2 has refused upper case before.
    ///   - value: As it came.
    /// - Returns: False where the name is no token, or the value has a control character other than the tab.
    package func appendField(name: Span<UInt8>, value: Span<UInt8>) -> Bool {
        guard name.isToken else { return false }
        for index in value.indices where (value[index] < 0x20 && value[index] != 0x09) || value[index] == 0x7F {
            return false
        }
        var entry = FieldEntry(name: ByteRange(), value: ByteRange(), known: KnownFieldName.recognise(name))
        if entry.known == nil {
            entry.name = ByteRange(head.count..<(head.count + name.count))
            for index in name.indices { head.append(ByteText.lowercase(name[index])) }
        }
        let trimmed = value.trimmedRange()
        entry.value = ByteRange(head.count..<(head.count + trimmed.count))
        head.append(value.extracting(trimmed))
        fields.append(entry)
        return true
    }

    /// Appends a part of the content.
    ///
    /// - Parameter bytes: The next part, framing taken off.
    package func appendBody(_ bytes: Span<UInt8>) {
        body.append(bytes)
    }

    /// A request made of texts, for simulators and tests; `nil` where a protocol would have refused it.
    ///
    /// - Parameters:
    ///   - method: Any method.
    ///   - target: Path and query, as on the wire.
    ///   - fields: Names and values in order.
    ///   - body: The content.
    package convenience init?(
        _ method: HTTPMethod,
        _ target: String,
        fields: [(name: HTTPFieldName, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.init()
        self.method = method
        self.body = body
        guard appendTarget(target.utf8Span.span) else { return nil }
        for field in fields {
            guard appendField(name: field.name.text.utf8Span.span, value: field.value.utf8Span.span) else { return nil }
        }
    }
}

/// The characters of a request target in origin-form.
package enum HTTPTarget {
    /// Whether a byte may stand in a path or a query.
    ///
    /// A path takes what RFC 3986 allows. A query takes every printable ASCII character but `"`, `#`, `<` and `>`:
    /// browsers send the vertical bar, for one, as it is.
    ///
    /// - Parameters:
    ///   - byte: Any byte.
    ///   - inQuery: Whether a question mark came before; the first one itself counts as part of the path.
    /// - Returns: False for every control character and every byte outside ASCII.
    @inlinable
    package static func isAllowed(_ byte: UInt8, inQuery: Bool) -> Bool {
        // One bit for each of the first 128 characters.
        let path: UInt64 = byte < 64 ? 0xAFFF_FFF2_0000_0000 : 0x47FF_FFFE_87FF_FFFF
        let query: UInt64 = byte < 64 ? 0xAFFF_FFF2_0000_0000 : 0x7FFF_FFFF_FFFF_FFFF
        return byte < 128 && (inQuery ? query : path) >> UInt64(byte & 63) & 1 == 1
    }
}

/// What a field means to the code that frames messages and keeps connections.
package enum FramingField: Sendable, Hashable {
    /// `Host`.
    case host
    /// `Content-Length`.
    case contentLength
    /// `Transfer-Encoding`.
    case transferEncoding
    /// `Connection`.
    case connection
    /// `Expect`.
    case expect
    /// Any other field: of no concern.
    case none

    init(_ known: KnownFieldName?) {
        self =
            switch known {
            case .host: .host
            case .contentLength: .contentLength
            case .transferEncoding: .transferEncoding
            case .connection: .connection
            case .expect: .expect
            default: .none
            }
    }
}
