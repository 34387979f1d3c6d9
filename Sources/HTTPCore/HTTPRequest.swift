import Primitives

/// One request, owned by its connection or stream and used again for the next one.
///
/// The request owns its bytes: target and fields lie in `head`, with a table of offsets beside it, the content lies in
/// `body`. No `String` is made unless somebody asks for one, and a request that has been filled before allocates
/// nothing. A handler must not keep a request past its response: take out what is needed. Lives on one loop.
///
/// The storage is the same for every protocol version. HTTP/1.1 hands over a finished head with offsets into it
/// (`noteTarget`, `noteField`, `adoptHead`), HTTP/2 appends one field after the other (`appendTarget`, `appendField`).
package final class HTTPRequest {
    /// The method.
    package var method: HTTPMethod = .get
    /// The content, after all framing has been taken off.
    package var body: [UInt8] = []
    /// Who is at the other end of the connection, or whom a trusted proxy names.
    package var peer: PeerAddress = .unknown
    /// Whether the request came over TLS.
    package var isSecure = false
    /// Tells requests apart in a log; set by the server, different for each request of the process.
    package var serialNumber: UInt64 = 0
    /// The bytes that `pathRange`, `queryRange` and the field values lie in.
    ///
    /// To look at them without a copy take the array into a constant and its span from there.
    package internal(set) var head: [UInt8] = []

    var pathPart = ByteRange()
    var queryPart: ByteRange?
    var fields: [FieldEntry] = []

    /// A request for `GET` with an empty target and nothing else.
    package init() {
        head.reserveCapacity(2048)
        fields.reserveCapacity(32)
    }

    /// Forgets the request and keeps its storage for the next one; peer and security stay.
    package func reset() {
        method = .get
        head.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        pathPart = ByteRange()
        queryPart = nil
        // A rare large body must not stay in memory for as long as its connection lives.
        body.removeAll(keepingCapacity: body.capacity <= HTTPRequest.keptBodyCapacity)
    }

    /// Sixteen hexadecimal digits that stand for the request in logs and error pages.
    package var requestID: String {
        Hex.encode((0..<8).map { UInt8(truncatingIfNeeded: serialNumber >> UInt64(56 - 8 * $0)) })
    }

    private static let keptBodyCapacity = 65_536
}

// MARK: - Target

extension HTTPRequest {
    /// The path as it came, percent-encoding not undone; begins with a slash.
    package var path: String { text(pathPart) }

    /// The query as it came, percent-encoding not undone and without its question mark; `nil` where there is none.
    package var query: String? { queryPart.map(text) }

    /// Where the path lies in `head`.
    package var pathRange: Range<Int> { checked(pathPart) }

    /// Where the query lies in `head`; empty where there is none.
    package var queryRange: Range<Int> { checked(queryPart ?? ByteRange()) }

    /// Whether the path is exactly the given one.
    ///
    /// - Parameter text: With its leading slash; compared byte by byte.
    /// - Returns: True where every byte agrees.
    package func pathIs(_ text: StaticString) -> Bool {
        withBytes(pathPart) { $0.isEqual(to: text) }
    }

    /// Whether the path begins with the given text.
    ///
    /// - Parameter text: With its leading slash; compared byte by byte.
    /// - Returns: True also where the path is the text.
    package func pathHasPrefix(_ text: StaticString) -> Bool {
        withBytes(pathPart) { $0.starts(with: text) }
    }

    /// The parameters of the query; none where there is no query.
    ///
    /// - Throws: `malformed` or `tooMany`.
    package func queryParameters() throws(HTTPParameterError) -> HTTPParameters {
        let bytes = head
        return try HTTPParameters(bytes.span.extracting(queryRange))
    }

    /// The parameters of a form in the body.
    ///
    /// - Throws: `notAForm` for another content type than `application/x-www-form-urlencoded`, `malformed` or `tooMany`.
    package func formParameters() throws(HTTPParameterError) -> HTTPParameters {
        guard contentTypeIs(.form) else { throw .notAForm }
        let bytes = body
        return try HTTPParameters(bytes.span)
    }
}

// MARK: - Storage

/// A part of the head.
struct ByteRange {
    var start: UInt32 = 0
    var end: UInt32 = 0

    init() {}

    /// Offsets beyond four gigabytes do not occur: heads have limits.
    init(_ range: Range<Int>) {
        start = UInt32(clamping: range.lowerBound)
        end = UInt32(clamping: range.upperBound)
    }
}

/// One field of a request; a known name is kept as its number, any other one as a range.
struct FieldEntry {
    var name: ByteRange
    var value: ByteRange
    var known: KnownFieldName?
}

extension HTTPRequest {
    /// A range that lies inside the head whatever was noted.
    func checked(_ part: ByteRange) -> Range<Int> {
        let end = min(Int(part.end), head.count)
        return min(Int(part.start), end)..<end
    }

    func text(_ part: ByteRange) -> String {
        withBytes(part) { $0.text }
    }

    /// Looks at a part of the head in place.
    func withBytes<Result>(_ part: ByteRange, _ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = head
        return body(bytes.span.extracting(checked(part)))
    }
}
