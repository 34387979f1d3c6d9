import Primitives

/// One request, owned by its connection or stream and used again for the next one.
///
/// The request owns its bytes: target and fields lie in `head`, the content in `body`. No `String` is made unless
/// somebody asks for one, and a request that has been filled before allocates nothing. A handler must not keep a
/// request past its response: take out what is needed. Lives on one loop.
package final class HTTPRequest {
    /// Method, target and fields.
    ///
    /// No other target reaches it in place: then the compiler sees every use, and none has to be checked for exclusiveness when
    /// the program runs.
    private(set) var storage = RequestHead()
    /// The content, after all framing has been taken off.
    package var body: [UInt8] = []
    /// Who is at the other end of the connection, or whom a trusted proxy names.
    package var peer: PeerAddress = .unknown
    /// Whether the request came over TLS.
    package var isSecure = false
    /// The id of the request in the log; set by the server, different for each request of the process.
    package var serialNumber: UInt64 = 0

    /// A request for `GET` with an empty target and nothing else.
    package init() {}

    /// A request made of texts, for simulators and tests; `nil` where a protocol would have refused it.
    ///
    /// - Parameters:
    ///   - target: Path and query, as on the wire.
    package init?(
        _ method: HTTPMethod,
        _ target: String,
        fields: [(name: HTTPFieldName, value: String)] = [],
        body: [UInt8] = []
    ) {
        var head = RequestHead()
        head.method = method
        guard head.appendTarget(target.utf8Span.span) else { return nil }
        for field in fields {
            let isAdded = head.appendField(name: field.name.text.utf8Span.span, value: field.value.utf8Span.span)
            guard isAdded else { return nil }
        }
        storage = head
        self.body = body
    }

    /// Forgets the request and keeps its storage for the next one; peer and security stay.
    package func reset() {
        var head = takeHead()
        head.reset()
        giveHead(head)
        clearBody()
    }

    /// Method, target and fields as a whole; handlers ask the request itself.
    ///
    /// Changing it in place copies it: a protocol takes it out for as long as it fills it.
    package var head: RequestHead {
        get { storage }
        set { storage = newValue }
    }

    /// Takes the head out, to be filled.
    ///
    /// - Returns: The head; the request has none until it is given back.
    package func takeHead() -> RequestHead {
        var head = RequestHead.none
        swap(&head, &storage)
        return head
    }

    /// Puts the head back.
    ///
    /// - Parameter head: From `takeHead`.
    package func giveHead(_ head: consuming RequestHead) {
        storage = head
    }

    /// How much memory the head takes, roughly.
    package var headSize: Int { storage.size }

    /// Frees the storage of a head that is larger than most; the method stays, the rest is empty then.
    ///
    /// For a request that is answered: its connection or stream may stay for long.
    package func dropLargeHead() {
        guard storage.isLarge else { return }
        let method = storage.method
        storage = RequestHead()
        storage.method = method
    }

    /// Keeps what a router has found for the path.
    package func note(_ match: RouteMatch) {
        storage.match = match
    }

    /// Forgets the content and keeps its storage, unless it is large.
    package func clearBody() {
        // A rare large body must not stay in memory for as long as its connection lives.
        if !body.isEmpty { body.removeAll(keepingCapacity: body.capacity <= HTTPRequest.keptBodyCapacity) }
    }

    /// Sixteen hexadecimal digits that stand for the request in logs and error pages.
    package var requestID: String {
        String(ascii: 16) { room in Hex.append(serialNumber, digits: 16, to: &room) }
    }

    private static let keptBodyCapacity = 65_536
}

// MARK: - Target and content

extension HTTPRequest {
    /// The method.
    package var method: HTTPMethod { storage.method }

    /// The route that a router has found for the path; forgotten when another request is read.
    package var match: RouteMatch { storage.match }

    /// The path as it came, percent-encoding not undone; begins with a slash.
    package var path: String { withBytes(storage.path) { $0.text } }

    /// The query as it came, percent-encoding not undone and without its question mark; `nil` where there is none.
    package var query: String? {
        storage.query.map { part in withBytes(part) { $0.text } }
    }

    /// Whether the path is exactly the given one.
    ///
    /// - Parameter text: With its leading slash; compared byte by byte.
    /// - Returns: True where every byte agrees.
    package func pathIs(_ text: StaticString) -> Bool {
        withBytes(storage.path) { $0.isEqual(to: text) }
    }

    /// Whether the path is the given one, byte by byte.
    ///
    /// - Parameter bytes: As it would stand in the request, not decoded.
    package func pathIs(_ bytes: [UInt8]) -> Bool {
        withBytes(storage.path) { $0.isEqual(to: bytes.span) }
    }

    /// Whether there is a query that is not empty.
    package var hasQuery: Bool { !storage.queryRange.isEmpty }

    /// The parameters of the query; none where there is no query.
    ///
    /// - Throws: `malformed` or `tooMany`.
    package func queryParameters() throws(HTTPParameterError) -> HTTPParameters {
        let head = storage
        return try HTTPParameters(head.bytes.span.extracting(head.queryRange))
    }

    /// The parameters of a form in the body.
    ///
    /// - Throws: `notAForm` for another content type than `application/x-www-form-urlencoded`, `malformed` or `tooMany`.
    package func formParameters() throws(HTTPParameterError) -> HTTPParameters {
        guard contentTypeIs(.form) else { throw .notAForm }
        let bytes = body
        return try HTTPParameters(bytes.span)
    }

    /// Looks at a part of the head in place.
    func withBytes<Result>(_ part: ByteRange, _ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = storage.bytes
        return body(bytes.span.extracting(part.clamped(to: bytes.count)))
    }
}
